import { ANSWER_EARNS, FloodGuard } from '../../http2/flood-guard.ts';
import { type ErrorCode, errorCode } from '../../http2/frame.ts';
import type { MemoryPoolName } from '../transport.ts';
import type { ServerContext } from './server-context.ts';

/** What a connection does about its peer's conduct. */
export interface ConductEvents {
  /** A connection error (RFC 9113 §5.4.1). `reason` holds nothing of the peer's. */
  readonly breached: (code: ErrorCode, reason: string) => void;
  /** The peer has acknowledged the ping of a drain. */
  readonly sawDrain: () => void;
}

/**
 * The conduct of one connection's peer: what its frames cost, whether they may go on, and whether the connection still
 * takes any. Frames and calls report here; only the connection decides when it is over.
 */
export class Conduct {
  /** The time of the last input or event. */
  nowMs: number;
  /** Nothing more is read from the peer. Set by the connection. */
  over = false;
  /** Calls that the peer opens from now on are refused: it was sent a GOAWAY. Set by the connection. */
  closing = false;
  readonly #context: ServerContext;
  readonly #peer: string;
  readonly #events: ConductEvents;
  readonly #flood: FloodGuard;
  /** Frames worked on in this turn. */
  #turnFrames = 0;
  #turn = 0;

  /** @param peer its address, for people. */
  constructor(context: ServerContext, peer: string, events: ConductEvents) {
    this.#context = context;
    this.#peer = peer;
    this.#events = events;
    this.nowMs = context.clock.nowMs();
    this.#flood = new FloodGuard(context.limits, this.nowMs);
  }

  /** So many bytes have come. */
  received(bytes: number): void {
    this.#flood.received(bytes);
  }

  /** Input or an event is worked on from now on. */
  tick(): void {
    this.nowMs = this.#context.clock.nowMs();
  }

  /** Begins the count of frames again when another turn of the event loop has begun. */
  enterTurn(): void {
    const { number } = this.#context.turns;
    if (this.#turn === number) return;
    this.#turn = number;
    this.#turnFrames = 0;
  }

  /** Whether another frame may be worked on in this turn. */
  get hasTurn(): boolean {
    return this.#context.turns.admits(this.#turnFrames);
  }

  /**
   * A frame has been worked on, which cost as much as so many usual ones. @returns whether the next may follow at once.
   */
  frameDone(frames: number): boolean {
    this.#turnFrames += frames;
    this.#context.turns.spend(frames);
    return !this.over && this.hasTurn;
  }

  /** A call was answered. */
  answered(): void {
    this.#flood.earn(ANSWER_EARNS);
  }

  /** Charges the peer for what brings no call. @returns whether to go on; else it was a breach. */
  spend(tokens: number): boolean {
    return (
      this.#flood.spend(tokens, this.nowMs) ||
      this.breach(errorCode.enhanceYourCalm, 'too many frames that bring no call')
    );
  }

  /** Charges the peer for what its windows make us do. @returns whether to go on; else it was a breach. */
  spendWindowSteps(steps: number): boolean {
    return (
      this.#flood.spendWindowSteps(steps) ||
      this.breach(errorCode.enhanceYourCalm, 'the windows ask for more work than the peer has sent')
    );
  }

  /** A connection error (RFC 9113 §5.4.1), which ends the connection. @returns false: go no further. */
  breach(code: ErrorCode, reason: string): false {
    if (!this.over) this.#events.breached(code, reason);
    return false;
  }

  /** The peer has acknowledged the ping of a drain. */
  sawDrain(): void {
    this.#events.sawDrain();
  }

  /** A call of the peer's is refused for lack of memory. */
  lacksMemory(pool: MemoryPoolName): void {
    this.#context.observer.memoryRefused(pool, this.#peer);
  }
}

/** Bytes of a header block that cost as much as a usual frame. */
const HEADER_BYTES_OF_FRAME = 256;

/** What a HEADERS or CONTINUATION frame costs in usual frames. */
export function headerFrames(bytes: number): number {
  return 1 + Math.floor(bytes / HEADER_BYTES_OF_FRAME);
}
