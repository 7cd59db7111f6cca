import type { Clock } from '../../../base/clock.ts';
import type { Http2Limits } from './limits.ts';
import type { Wire } from '../../http2/socket-wire.ts';

/** The bounds of {@link UnsentBytes}. */
export type UnsentLimits = Pick<Http2Limits, 'maxUnsentBytes' | 'unsentStallMs'>;

/** How often, at most, all connections are looked at while there is too much. */
const LOOK_MS = 250;

/**
 * Bytes of all connections of a server that were given to sockets and have not left. While there are too many,
 * connections pause early (see {@link isFull}), and those whose peers have taken nothing for a while are ended, the
 * largest first. One whose peer goes on reading stays. A write costs a sum; all are looked at only when there is too
 * much, and seldom.
 */
export class UnsentBytes {
  readonly #limits: UnsentLimits;
  readonly #clock: Clock;
  /** Connections with unsent bytes. */
  readonly #behind = new Set<Share>();
  #bytes = 0;
  #lookedAtMs = -Infinity;

  constructor(limits: UnsentLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether all connections together have too much. */
  get isFull(): boolean {
    return this.#bytes > this.#limits.maxUnsentBytes;
  }

  /** A connection's part. @param end closes the connection at once; what it had not sent is dropped. */
  share(wire: Wire, end: () => void): UnsentShare {
    return new Share(this, this.#clock, wire, end);
  }

  /** Ends what makes no progress while there is too much. To be called after writes, and every few seconds. */
  makeRoom(): void {
    if (!this.isFull) return;
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#lookedAtMs < LOOK_MS) return;
    this.#lookedAtMs = nowMs;
    const behind = [...this.#behind];
    for (const share of behind) share.look();
    const stalled = behind.filter((share) => nowMs - share.progressAtMs > this.#limits.unsentStallMs);
    for (const share of stalled.sort((one, other) => other.bytes - one.bytes)) {
      if (this.#bytes <= this.#limits.maxUnsentBytes) return;
      share.drop();
    }
  }

  /** For {@link Share}. */
  change(share: Share, bytes: number): void {
    this.#bytes += bytes;
    if (share.bytes > 0) this.#behind.add(share);
    else this.#behind.delete(share);
  }
}

/** A connection's part of {@link UnsentBytes}. */
export interface UnsentShare {
  /** So many bytes were given to the wire. When it has fewer than with them before, the peer reads. */
  wrote(addedBytes: number): void;
  /** Nothing is unsent any more: it has left, or the connection is gone. */
  clear(): void;
}

class Share implements UnsentShare {
  bytes = 0;
  /** When bytes last left, or began to wait. */
  progressAtMs = 0;
  readonly #all: UnsentBytes;
  readonly #clock: Clock;
  readonly #wire: Wire;
  readonly #end: () => void;

  constructor(all: UnsentBytes, clock: Clock, wire: Wire, end: () => void) {
    this.#all = all;
    this.#clock = clock;
    this.#wire = wire;
    this.#end = end;
  }

  wrote(addedBytes: number): void {
    this.#set(this.#wire.unsentBytes, addedBytes);
  }

  clear(): void {
    this.#set(0, 0);
  }

  /** For {@link UnsentBytes}: sees whether the peer has gone on since the last write. */
  look(): void {
    this.#set(this.#wire.unsentBytes, 0);
  }

  /** For {@link UnsentBytes}. */
  drop(): void {
    this.clear();
    this.#end();
  }

  #set(unsentBytes: number, addedBytes: number): void {
    const { bytes } = this;
    if (bytes === 0 && unsentBytes === 0) return;
    if (bytes === 0 || unsentBytes < bytes + addedBytes) this.progressAtMs = this.#clock.nowMs();
    this.bytes = unsentBytes;
    this.#all.change(this, unsentBytes - bytes);
  }
}
