import type { Socket } from 'node:net';
import { groupOfAddress } from '../../base/net/address-group.ts';
import type { Clock } from '../../base/clock.ts';
import { socketBelow } from './listening.ts';

/** How many connections a listener takes, and how long they may be of no use. Times in milliseconds. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Of one address (an IPv6 /64); a unix socket has none, and no share. */
  readonly maxOfAddress: number;
  /** Without any answered request since it was opened. */
  readonly unusedMs: number;
  /** With nothing open, since the last answered request. */
  readonly idleMs: number;
}

/** What the table asks of a connection, and may do with it. */
export interface Guest {
  /** Of the peer; null on a unix socket. */
  readonly address: string | null;
  /** For people. */
  readonly peer: string;
  /** When its last request was answered, on {@link Clock.nowMs}'s scale; null when none was. */
  readonly servedAtMs: number | null;
  /** A request of it is being worked on: it stays. */
  readonly isWorking: boolean;
  /** Something is open on it, such as a watch: it is not idle. */
  readonly isOpen: boolean;
  /** Ends it without losing a request, as far as its protocol can. */
  leave(): void;
  /** The peer has had time to see that it should go. */
  finishLeaving(): void;
  /** Ends it now. */
  cut(): void;
}

/** Why a connection ended, or was not taken, for lack of room or use and not for a breach of the protocol. */
export const connectionEnds = {
  unused: 'no request came on it',
  idle: 'no request came on it for long',
  full: 'it made room for another one: the listener is nearly full, and it was longest without a request',
  share: 'it made room for another one: its address has nearly all it may have, and it was longest without a request',
  unread: 'it made room for answers: it does not read its own, and unsent answers hold too much memory',
  refused: 'there are too many, and requests run on all of them',
} as const;
export type ConnectionEnd = keyof typeof connectionEnds;

/** Notified of connections that are ended or refused so. Does not throw. */
export interface ConnectionObserver {
  connectionEnded(end: ConnectionEnd, peer: string): void;
}

/** One place in so many is kept free, so that who makes room has time to go in good order. */
const HEADROOM = 16;
/** How long a peer may take to notice that it should go, and how long it may then stay. */
const NOTICE_MS = 1000;
const GRACE_MS = 10_000;
/** How often connections are looked over. */
const SWEEP_MS = 2000;

/**
 * The connections of one listener, and who may have one. A new one is always let in while there is one on which nothing
 * is worked: when the listener, or the share of an address, is nearly full, the one of least use makes room. Those that
 * never had a request answered go first, the oldest before others; then those whose last answer is longest ago. What is
 * of no use for long is ended at any rate.
 */
export class ConnectionTable<G extends Guest = Guest> implements Disposable {
  readonly #limits: ConnectionLimits;
  readonly #clock: Clock;
  readonly #observer: ConnectionObserver | undefined;
  readonly #places = new Map<Guest, Place>();
  readonly #guests = new WeakMap<Socket, G>();
  /** Those that the table asked to leave, or cut. */
  readonly #ended = new WeakSet<Guest>();
  readonly #all = new Group();
  readonly #groups = new Map<string, Group>();
  #sweeper: NodeJS.Timeout | undefined;

  constructor(limits: ConnectionLimits, clock: Clock, observer?: ConnectionObserver) {
    this.#limits = limits;
    this.#clock = clock;
    this.#observer = observer;
  }

  /** Open connections, those included that are asked to leave. */
  get size(): number {
    return this.#places.size;
  }

  /**
   * Takes a connection in. @returns false when it must be closed: there is no room, and no connection that could make
   * it.
   */
  admit(guest: Guest): boolean {
    const { maxConnections, maxOfAddress } = this.#limits;
    const name = guest.address === null ? null : groupOfAddress(guest.address);
    const share = name === null ? undefined : this.#groups.get(name);
    const hasShare = share === undefined || share.size < maxOfAddress || this.#cutOne(share, 'share');
    if (!hasShare || (this.#all.size >= maxConnections && !this.#cutOne(this.#all, 'full'))) {
      this.#observer?.connectionEnded('refused', guest.peer);
      return false;
    }
    if (share !== undefined && isNearlyFull(share, maxOfAddress)) this.#sendOneAway(share, 'share');
    else if (isNearlyFull(this.#all, maxConnections)) this.#sendOneAway(this.#all, 'full');
    const place: Place = { guest, name, openedAtMs: this.#clock.nowMs(), leavingSinceMs: null };
    this.#places.set(guest, place);
    if (name !== null && !this.#groups.has(name)) this.#groups.set(name, new Group());
    for (const group of this.#groupsOf(place)) group.fresh.add(place);
    return true;
  }

  /** Takes the connection of a socket in until it closes. @returns false when there was no room and it is destroyed. */
  admitSocket(socket: Socket, guest: G): boolean {
    if (!this.admit(guest)) {
      socket.destroy();
      return false;
    }
    this.#guests.set(socket, guest);
    socket.once('close', () => {
      this.left(guest);
    });
    return true;
  }

  /** The connection of a socket that was admitted, or of the TLS socket above it. */
  guestOf(socket: Socket): G | undefined {
    return this.#guests.get(socketBelow(socket));
  }

  /** Whether the table ended the connection of a socket, or did not admit it. */
  wasEnded(socket: Socket): boolean {
    const guest = this.guestOf(socket);
    return guest === undefined || this.#ended.has(guest);
  }

  /** It is closed. Of one that the table does not know, nothing happens. */
  left(guest: Guest): void {
    const place = this.#places.get(guest);
    if (place === undefined) return;
    this.#places.delete(guest);
    for (const group of this.#groupsOf(place)) group.delete(place);
    if (place.name !== null && this.#groups.get(place.name)?.size === 0) this.#groups.delete(place.name);
  }

  /** Ends all at once. */
  cutAll(): void {
    for (const place of [...this.#places.values()]) this.#cut(place);
  }

  /** Calls {@link sweep}, and `also`, every two seconds until the table is disposed of. */
  startSweeping(also?: () => void): void {
    this.#sweeper = setInterval(() => {
      also?.();
      this.sweep();
    }, SWEEP_MS).unref();
  }

  /** Ends the sweeping. Connections stay. */
  [Symbol.dispose](): void {
    clearInterval(this.#sweeper);
  }

  /** Ends what is of no use for long, and what does not leave. */
  sweep(): void {
    const nowMs = this.#clock.nowMs();
    for (const place of [...this.#places.values()]) {
      const { guest, leavingSinceMs } = place;
      if (leavingSinceMs !== null) {
        if (nowMs - leavingSinceMs > GRACE_MS && !guest.isWorking) this.#cut(place);
        else if (nowMs - leavingSinceMs > NOTICE_MS) guest.finishLeaving();
      } else if (!guest.isWorking && !guest.isOpen) {
        const { servedAtMs } = guest;
        if (servedAtMs === null) {
          if (nowMs - place.openedAtMs > this.#limits.unusedMs) this.#sendAway(place, 'unused');
        } else if (nowMs - servedAtMs > this.#limits.idleMs) this.#sendAway(place, 'idle');
      }
    }
  }

  #groupsOf({ name }: Place): Group[] {
    const group = name === null ? undefined : this.#groups.get(name);
    return group === undefined ? [this.#all] : [this.#all, group];
  }

  #sendOneAway(group: Group, end: ConnectionEnd): void {
    const place = group.findLeastUseful();
    if (place !== null) this.#sendAway(place, end);
  }

  #sendAway(place: Place, end: ConnectionEnd): void {
    place.leavingSinceMs = this.#clock.nowMs();
    this.#ended.add(place.guest);
    for (const group of this.#groupsOf(place)) group.leave(place);
    this.#observer?.connectionEnded(end, place.guest.peer);
    place.guest.leave();
  }

  #cutOne(group: Group, end: ConnectionEnd): boolean {
    const place = group.findLeaving() ?? group.findLeastUseful();
    if (place === null) return false;
    if (place.leavingSinceMs === null) this.#observer?.connectionEnded(end, place.guest.peer);
    this.#cut(place);
    return true;
  }

  #cut({ guest }: Place): void {
    this.left(guest);
    this.#ended.add(guest);
    guest.cut();
  }
}

interface Place {
  readonly guest: Guest;
  /** Of its group; null without an address. */
  readonly name: string | null;
  readonly openedAtMs: number;
  leavingSinceMs: number | null;
}

/**
 * The places of an address, or all: each in one of three sets. What is asked of them under a flood costs little: it
 * stands in front.
 */
class Group {
  /** In the order in which they came; those that were served since are put right when they are met. */
  readonly fresh = new Set<Place>();
  readonly #served = new Set<Place>();
  /** In the order in which they were asked. */
  readonly #leaving = new Set<Place>();

  get size(): number {
    return this.staying + this.#leaving.size;
  }

  get staying(): number {
    return this.fresh.size + this.#served.size;
  }

  leave(place: Place): void {
    this.delete(place);
    this.#leaving.add(place);
  }

  delete(place: Place): void {
    if (!this.fresh.delete(place) && !this.#served.delete(place)) this.#leaving.delete(place);
  }

  /** The first that was asked to leave and is still here, unless something is worked on. */
  findLeaving(): Place | null {
    for (const place of this.#leaving) if (!place.guest.isWorking) return place;
    return null;
  }

  /** The connection of least use. */
  findLeastUseful(): Place | null {
    for (const place of this.fresh) {
      if (place.guest.servedAtMs !== null) {
        this.fresh.delete(place);
        this.#served.add(place);
      } else if (!place.guest.isWorking) return place;
    }
    let least: Place | null = null;
    let leastMs = Infinity;
    for (const place of this.#served) {
      const { isWorking, servedAtMs } = place.guest;
      if (isWorking || servedAtMs === null || (least !== null && servedAtMs >= leastMs)) continue;
      least = place;
      leastMs = servedAtMs;
    }
    return least;
  }
}

function isNearlyFull({ staying }: Group, max: number): boolean {
  return staying >= max - Math.ceil(max / HEADROOM);
}
