import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { FRAME_HEADER_BYTES, frameFlag, frameType } from '../../src/wire/http2/frame.ts';
import { clientPreface, frame } from '../../test/support/grpc/fake-wire.ts';

/** How long one waits for the service to have worked on what it was sent, or to close. */
const SETTLE_MS = 45_000;
const CONNECT_MS = 10_000;

/** Counts what attackers sent, for the table. */
export interface Tally {
  bytes: number;
  frames: number;
  connections: number;
}

/** Where a peer connects; with `ca` over TLS. */
export interface PeerAddress {
  readonly port: number;
  readonly ca?: string | null;
  /** Takes what comes back, when that is no HTTP/2. */
  readonly reads?: (bytes: Buffer) => void;
}

/** A connection of an attacker: it sends what a test gives it, and counts the frames that come back. */
export class RawPeer {
  readonly socket: Socket;
  /** Frames received, by type. */
  readonly received = new Map<number, number>();
  /** Answers that ended, and those that are to go on: HEADERS with END_STREAM and without. */
  readonly answers = { ended: 0, open: 0 };
  isClosed = false;
  readonly #tally: Tally;
  readonly #closed: Promise<void>;
  #pingsAnswered = 0;
  #wake: (() => void)[] = [];
  #rest: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket, tally: Tally, reads?: (bytes: Buffer) => void) {
    this.socket = socket;
    this.#tally = tally;
    socket.setNoDelay(true).on('error', () => undefined); // shows as the end
    this.#closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.isClosed = true;
        this.#wakeAll();
        resolve();
      });
    });
    socket.on('end', () => socket.destroy());
    socket.on('data', (bytes: Buffer) => {
      if (reads === undefined) this.#receive(bytes);
      else reads(bytes);
    });
  }

  /** Connects, and resolves also when the service refuses or says nothing: then the peer is closed. */
  static async connect({ port, ca = null, reads }: PeerAddress, tally: Tally): Promise<RawPeer> {
    const host = '127.0.0.1';
    const socket = ca === null ? connectTcp({ host, port }) : connectTls({ host, port, ca, ALPNProtocols: ['h2'] });
    const peer = new RawPeer(socket, tally, reads);
    tally.connections += 1;
    const connected = once(socket, ca === null ? 'connect' : 'secureConnect').catch(() => undefined);
    await Promise.race([connected, peer.#closed, passed(CONNECT_MS)]);
    return peer;
  }

  /** The preface and empty SETTINGS (RFC 9113 §3.4). */
  hello(): this {
    this.send(clientPreface);
    return this;
  }

  /** Sends bytes that hold so many frames. */
  send(bytes: Buffer, frames = 1): void {
    if (this.isClosed) return;
    this.#tally.bytes += bytes.length;
    this.#tally.frames += frames;
    this.socket.write(bytes);
  }

  /** Resolves when the kernel has taken what was sent, or the connection is over. */
  async flushed(): Promise<void> {
    if (this.isClosed || !this.socket.writableNeedDrain) return;
    await Promise.race([once(this.socket, 'drain').catch(() => undefined), this.#closed]);
  }

  /**
   * Waits until the service has worked on everything sent: it answers a PING, or closes.
   * @returns whether it did; a service that is stalled or does not read does neither.
   */
  async settled(withinMs = SETTLE_MS): Promise<boolean> {
    const wanted = this.#pingsAnswered + 1;
    this.send(frame(frameType.ping, 0, 0, Buffer.alloc(8)));
    const end = performance.now() + withinMs;
    const isDone = (): boolean => this.isClosed || this.#pingsAnswered >= wanted;
    while (!isDone() && performance.now() < end) {
      await Promise.race([new Promise<void>((resolve) => this.#wake.push(resolve)), passed(withinMs)]);
    }
    return isDone();
  }

  /** Resolves when so many frames of a type have come, or the connection is over, or the time has passed. */
  async gets(type: number, count: number, withinMs = SETTLE_MS): Promise<void> {
    const end = performance.now() + withinMs;
    while (!this.isClosed && (this.received.get(type) ?? 0) < count && performance.now() < end) await passed(5);
  }

  /** Resolves when the service has closed, or the time has passed. @returns whether it did. */
  async closes(withinMs: number): Promise<boolean> {
    await Promise.race([this.#closed, passed(withinMs)]);
    return this.isClosed;
  }

  /** Reads no more. */
  stopReading(): void {
    this.socket.pause();
  }

  destroy(): void {
    this.socket.destroy();
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  #receive(bytes: Buffer): void {
    let rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (rest.length >= FRAME_HEADER_BYTES) {
      const end = FRAME_HEADER_BYTES + rest.readUIntBE(0, 3);
      if (rest.length < end) break;
      this.#frame(rest.readUInt8(3), rest.readUInt8(4));
      rest = rest.subarray(end);
    }
    // A copy: the read that it is a part of may be large.
    this.#rest = Buffer.from(rest);
  }

  #frame(type: number, flags: number): void {
    this.received.set(type, (this.received.get(type) ?? 0) + 1);
    if (type === frameType.headers) this.answers[(flags & frameFlag.endStream) === 0 ? 'open' : 'ended'] += 1;
    else if (type === frameType.ping && (flags & frameFlag.ack) !== 0) {
      this.#pingsAnswered += 1;
      this.#wakeAll();
    }
  }
}

/** Resolves after so many milliseconds; keeps no process alive. */
export async function passed(ms: number): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
}
