import { INITIAL_WINDOW_BYTES } from './frame.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** What one peer, and all peers together, may take. Sizes in bytes, times in milliseconds. */
export interface Http2Limits {
  /** Open calls of a connection (SETTINGS_MAX_CONCURRENT_STREAMS), those included that the peer gave up and a method still works on. */
  readonly maxConcurrentStreams: number;
  /** Compressed size of one header block over all its frames; more ends the connection (CVE-2024-27316 and its like). */
  readonly maxHeaderBlockBytes: number;
  /** Frames of one header block. */
  readonly maxHeaderBlockFrames: number;
  /** What a connection may send before we answer WINDOW_UPDATE, at least 65535; memory is bounded by the pools, not by this. */
  readonly connectionWindowBytes: number;
  /** Messages that fit a stream's first window: half-received ones, and those that a method waits with. */
  readonly smallPool: PoolLimits;
  /** Larger messages: they wait for their turn, at a window's price, and then hold their whole length. */
  readonly largePool: PoolLimits;
  /** Memory of large messages that is kept for the next ones, on top of what the pool allows. */
  readonly maxIdleLargeBytes: number;
  /** Answers that wait for the peer's windows. */
  readonly answerPool: PoolLimits;
  /** Unsent bytes of a connection above which its input is not read on. */
  readonly pauseAboveBytes: number;
  /** Frames that do no work for a call: how many at once, and how many per second on top. */
  readonly idleFrames: number;
  readonly idleFramesPerSecond: number;
  /** How long a preface, a header block or a request message may make no progress. */
  readonly receiveStallMs: number;
  /** How long an answer or a full socket may make no progress. */
  readonly sendStallMs: number;
}

export interface PoolLimits {
  readonly serverBytes: number;
  readonly connectionBytes: number;
}

/** Room for several Envoys whose `max_requests` is 2048, and for some twenty bodies of 10 MiB at once. */
export const defaultLimits: Http2Limits = {
  maxConcurrentStreams: 2048,
  maxHeaderBlockBytes: 16 * KIB,
  maxHeaderBlockFrames: 16,
  connectionWindowBytes: 16 * MIB,
  smallPool: { serverBytes: 128 * MIB, connectionBytes: 64 * MIB },
  largePool: { serverBytes: 256 * MIB, connectionBytes: 128 * MIB },
  maxIdleLargeBytes: 48 * MIB,
  answerPool: { serverBytes: 128 * MIB, connectionBytes: 64 * MIB },
  pauseAboveBytes: 1 * MIB,
  idleFrames: 10_000,
  idleFramesPerSecond: 1000,
  receiveStallMs: 10_000,
  sendStallMs: 30_000,
};

/** The largest message that a stream's first window takes whole, after the five octets before it. */
export const MAX_SMALL_MESSAGE_BYTES = INITIAL_WINDOW_BYTES - 5;
