import { FrameWriter } from '../../http2/frame-writer.ts';
import type { Wire } from '../../http2/socket-wire.ts';
import { noTable } from './answer-block.ts';
import type { Conduct } from './conduct.ts';
import type { ServerContext } from './server-context.ts';
import type { UnsentShare } from './unsent-bytes.ts';

/** What a connection does for its output. */
export interface OutputEvents {
  /** What was written has to be sent now. */
  readonly flush: () => void;
  /** All connections together have too much unsent, and this peer takes nothing: the connection has to go. */
  readonly unread: () => void;
}

/**
 * What one connection sends. Frames wait in {@link writer} until a flush gives them to the wire; behind a peer that
 * does not read, nothing more is written until everything has left.
 */
export class Output {
  readonly writer: FrameWriter;
  readonly #context: ServerContext;
  readonly #wire: Wire;
  readonly #conduct: Conduct;
  readonly #flush: () => void;
  readonly #unsent: UnsentShare;
  /** See {@link giveBackOnceSent}. */
  #spent: Buffer[] = [];
  #isHeld = false;
  #flushPlanned = false;
  #turnFlushPlanned = false;
  #pausedAtMs: number | null = null;

  constructor(context: ServerContext, wire: Wire, conduct: Conduct, { flush, unread }: OutputEvents) {
    this.#context = context;
    this.#wire = wire;
    this.#conduct = conduct;
    this.#flush = flush;
    this.writer = new FrameWriter(wire, noTable);
    this.#unsent = context.unsent.share(wire, unread);
  }

  /** Whether more may be written now. */
  get writable(): boolean {
    return this.#pausedAtMs === null && this.writer.bufferedBytes <= this.#pauseAboveBytes;
  }

  /** Since when nothing is read or written because the peer does not read; null while it does. */
  get pausedAtMs(): number | null {
    return this.#pausedAtMs;
  }

  /** Whether there is something to send, so little that it need not count as unsent yet. */
  get isLittleBuffered(): boolean {
    const { bufferedBytes } = this.writer;
    return bufferedBytes > 0 && bufferedBytes <= this.#context.limits.pauseEarlyAboveBytes;
  }

  /** Input is being worked on: a flush follows, so {@link wrote} need not plan one. */
  hold(): void {
    this.#isHeld = true;
  }

  /** The end of {@link hold}. */
  release(): void {
    this.#isHeld = false;
  }

  /** Something was written. What comes in the same turn goes with it. */
  wrote(): void {
    if (this.#isHeld || this.#flushPlanned || this.#conduct.over) return;
    this.#flushPlanned = true;
    queueMicrotask(() => {
      this.#flushPlanned = false;
      this.#flush();
    });
  }

  /** Leaves the sending to the next read of this turn, or to the end of the turn. */
  flushThisTurn(): void {
    if (this.#turnFlushPlanned) return;
    this.#turnFlushPlanned = true;
    setImmediate(() => {
      this.#turnFlushPlanned = false;
      this.#flush();
    });
  }

  /** Gives the wire what was written. */
  send(): void {
    const { bufferedBytes } = this.writer;
    this.writer.flush();
    this.#unsent.wrote(bufferedBytes);
  }

  /** Sends, and stops reading from a peer that does not read. @returns whether more may be written. */
  sendOrPause(): boolean {
    this.send();
    this.#context.unsent.makeRoom();
    if (this.#pausedAtMs === null && this.#wire.unsentBytes > this.#pauseAboveBytes) {
      this.#pausedAtMs = this.#conduct.nowMs;
      this.#wire.pause();
    }
    return this.#pausedAtMs === null;
  }

  /** Everything given to the wire has left. @returns whether the peer was paused, which is over. */
  drained(): boolean {
    this.#unsent.clear();
    this.giveBack();
    if (this.#conduct.over || this.#pausedAtMs === null) return false;
    this.#pausedAtMs = null;
    return true;
  }

  /** The wire is gone, or about to be: nothing of it counts as unsent any more. */
  lost(): void {
    this.#unsent.clear();
  }

  /** Memory that others may have when everything that was written has left. */
  giveBackOnceSent(memory: Buffer): void {
    this.#spent.push(memory);
  }

  /** What was given to the wire may still be read from memory: of a wire that is gone, too, so that is left alone. */
  giveBack(): void {
    if (this.#spent.length === 0 || this.#conduct.over) return;
    if (this.writer.bufferedBytes > 0 || this.#wire.unsentBytes > 0) return;
    for (const memory of this.#spent.splice(0)) this.#context.largeBuffers.give(memory);
  }

  get #pauseAboveBytes(): number {
    const { limits, unsent } = this.#context;
    return unsent.isFull ? limits.pauseEarlyAboveBytes : limits.pauseAboveBytes;
  }
}
