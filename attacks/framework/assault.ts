import type { Expectation } from './bounds.ts';
import { passed, type PeerAddress, RawPeer, type Tally } from './raw-peer.ts';
import type { Target } from './service.ts';

/** What an attack did and saw. */
export interface AssaultReport {
  readonly bytes: number;
  readonly frames: number;
  readonly connections: number;
  /** Of those, what was sent before {@link Assault.begin}. */
  readonly beforehand: { readonly bytes: number; readonly connections: number };
  /** Whether the service has read everything: it closed none of the connections. */
  readonly isRead: boolean;
  readonly expectations: readonly Expectation[];
}

/** One run of an attack: where it goes, how much of it, and what it opened. */
export class Assault {
  readonly target: Target;
  /** Whether it is the short form, of a second or two. */
  readonly isShort: boolean;
  readonly #tally: Tally = { bytes: 0, frames: 0, connections: 0 };
  readonly #peers: RawPeer[] = [];
  readonly #expectations: Expectation[] = [];
  readonly #begun: () => Promise<void>;
  #beforehand = { bytes: 0, connections: 0 };

  /** @param begun measures the service; what it costs counts from there on. */
  constructor(target: Target, isShort: boolean, begun: () => Promise<void>) {
    this.target = target;
    this.isShort = isShort;
    this.#begun = begun;
  }

  /** How much: of the whole attack, or of its short form. */
  amount(whole: number, short: number): number {
    return this.isShort ? short : whole;
  }

  /** Ends the preparation: CPU counts from here. Everything counts when it is not called. */
  async begin(): Promise<void> {
    await this.#begun();
    this.#beforehand = { bytes: this.#tally.bytes, connections: this.#tally.connections };
  }

  /** Connects to the gRPC listener, or elsewhere. */
  async connect(address: PeerAddress = { port: this.target.grpcPort, ca: this.target.ca }): Promise<RawPeer> {
    const peer = await RawPeer.connect(address, this.#tally);
    this.#peers.push(peer);
    return peer;
  }

  /** Connects so many times, some at once; with the hello of HTTP/2. */
  async connectMany(count: number, address?: PeerAddress): Promise<RawPeer[]> {
    const peers: RawPeer[] = [];
    while (peers.length < count) {
      const some = Math.min(AT_ONCE, count - peers.length);
      const opened = Array.from({ length: some }, async () => (await this.connect(address)).hello());
      peers.push(...(await Promise.all(opened)));
    }
    return peers;
  }

  /** Counts what is sent by other means than a {@link RawPeer}. */
  count(bytes: number, frames: number, connections = 0): void {
    this.#tally.bytes += bytes;
    this.#tally.frames += frames;
    this.#tally.connections += connections;
  }

  /** Goes on for so many seconds, while what was opened stays open. */
  async hold(seconds: number): Promise<void> {
    // Keeps the process, unlike what only waits.
    const busy = setInterval(() => undefined, 1000);
    await passed(seconds * 1000);
    clearInterval(busy);
  }

  /** States what must be so. */
  expect(what: string, holds: boolean, found: string | number): void {
    this.#expectations.push({ what, holds, found: String(found) });
  }

  report(): AssaultReport {
    const isRead = this.#peers.every(({ isClosed }) => !isClosed);
    return { ...this.#tally, beforehand: this.#beforehand, isRead, expectations: this.#expectations };
  }

  /** Closes everything. */
  end(): void {
    for (const peer of this.#peers) peer.destroy();
  }
}

const AT_ONCE = 64;
