import { callBounds } from '../transport.ts';
import type { FloodLimits } from '../../http2/flood-guard.ts';
import type { HeaderBlockLimits } from '../../http2/header-frames.ts';
import type { OpenCallLimits } from './open-calls.ts';
import type { PoolLimits } from './stalled-first-pool.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** What one peer, and all peers together, may take. Sizes in bytes, times in milliseconds. */
export interface Http2Limits extends OpenCallLimits, HeaderBlockLimits, FloodLimits {
  /**
   * Open calls of a connection (SETTINGS_MAX_CONCURRENT_STREAMS), those included that the peer gave up and a method
   * still works on.
   */
  readonly maxConcurrentStreams: number;
  /**
   * What a connection may send before we answer WINDOW_UPDATE, at least 65535; memory is bounded by the pools, not by
   * this.
   */
  readonly connectionWindowBytes: number;
  /** Half-received messages, as far as a stream's first window goes: memory for what has arrived. */
  readonly partPool: PoolLimits;
  /** Messages that methods wait with, but for large ones. */
  readonly runningPool: PoolLimits;
  /**
   * Messages beyond a stream's first window, by their lengths: so many may come at a time, the others wait for their
   * turn.
   */
  readonly turnPool: PoolLimits;
  /** What must have arrived of a large message before it has a turn; less than the first window. */
  readonly turnBytes: number;
  /** A large message has to go on by `turnBytes` in this time, or lose its turn while others wait. */
  readonly turnStallMs: number;
  /** Memory of large messages that is kept for the next ones, on top of what the pool allows. */
  readonly maxIdleLargeBytes: number;
  /** Answers that wait for the peer's windows. */
  readonly answerPool: PoolLimits;
  /** Unsent bytes of a connection above which its input is not read on. */
  readonly pauseAboveBytes: number;
  /** Unsent bytes of all connections above which those end whose peers take nothing, and the others pause early. */
  readonly maxUnsentBytes: number;
  /**
   * Instead of `pauseAboveBytes` while all have more than `maxUnsentBytes`. Nor does more of a connection wait for the
   * end of a turn.
   */
  readonly pauseEarlyAboveBytes: number;
  /** How long a full socket may make no progress while all have more than `maxUnsentBytes`. */
  readonly unsentStallMs: number;
  /**
   * Frames of all connections that are worked on in one turn of the event loop; each has `framesOfEach` beyond them.
   */
  readonly framesPerTurn: number;
  readonly framesOfEach: number;
  /** How long a preface, a header block or a request message may make no progress. */
  readonly receiveStallMs: number;
  /** How long an answer or a full socket may make no progress. */
  readonly sendStallMs: number;
}

/** Room for several Envoys whose `max_requests` is 2048, and for some twenty bodies of 10 MiB at once. */
export const defaultLimits: Http2Limits = {
  maxConcurrentStreams: 2048,
  ...callBounds,
  maxHeaderBlockBytes: 16 * KIB,
  maxHeaderBlockFrames: 16,
  connectionWindowBytes: 16 * MIB,
  partPool: { serverBytes: 64 * MIB, connectionBytes: 16 * MIB },
  runningPool: { serverBytes: 128 * MIB, connectionBytes: 32 * MIB },
  turnPool: { serverBytes: 256 * MIB, connectionBytes: 64 * MIB },
  turnBytes: 16 * KIB,
  turnStallMs: 2000,
  maxIdleLargeBytes: 48 * MIB,
  answerPool: { serverBytes: 128 * MIB, connectionBytes: 32 * MIB },
  pauseAboveBytes: 1 * MIB,
  maxUnsentBytes: 64 * MIB,
  pauseEarlyAboveBytes: 16 * KIB,
  unsentStallMs: 2000,
  idleFrames: 10_000,
  idleFramesPerSecond: 1000,
  windowSteps: 10_000,
  bytesPerWindowStep: 8,
  framesPerTurn: 512,
  framesOfEach: 16,
  receiveStallMs: 10_000,
  sendStallMs: 30_000,
};
