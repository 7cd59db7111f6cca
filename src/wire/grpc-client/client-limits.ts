import type { FloodLimits } from '../http2/flood-guard.ts';
import { MAX_STREAM_ID } from '../http2/frame.ts';
import type { HeaderBlockLimits } from '../http2/header-frames.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** What a service that is called may take. Sizes in bytes, times in milliseconds. */
export interface ClientLimits extends HeaderBlockLimits, FloodLimits {
  /** Calls under way on a connection, even where the peer allows more (SETTINGS_MAX_CONCURRENT_STREAMS). */
  readonly maxOpenCalls: number;
  /** The largest stream identifier that is used; the next call goes over a new connection (RFC 9113 §5.1.1). */
  readonly maxStreamId: number;
  /** Calls that wait for a connection or for one of those places. */
  readonly maxWaitingCalls: number;
  /** Length of an answer's message. */
  readonly maxAnswerBytes: number;
  /** What the fields of a header block may add up to (SETTINGS_MAX_HEADER_LIST_SIZE). */
  readonly maxHeaderListBytes: number;
  /** What has arrived of answers that are not complete, of all calls of a connection. */
  readonly maxHeldBytes: number;
  /** What the peer may send on a connection before it is renewed, at least 65535. */
  readonly connectionWindowBytes: number;
  /** Unsent bytes of a connection above which no more calls begin on it. */
  readonly pauseAboveBytes: number;
  /** Unsent bytes that end it. */
  readonly maxUnsentBytes: number;
  /** Connections that have no new calls, and have not finished those under way. */
  readonly maxOldConnections: number;
  /** How long a connection may take, from the look-up of its name to the peer's SETTINGS. */
  readonly connectMs: number;
  /** The first pause after a connection that failed, and the longest; they grow by {@link BACKOFF_FACTOR}. */
  readonly firstBackoffMs: number;
  readonly maxBackoffMs: number;
  /** A connection that has lived so long, or answered a call, is followed by the next one without a pause. */
  readonly provenMs: number;
  /** A call on a connection from which nothing has come for so long is sent with a PING, and how long that may take. */
  readonly keepaliveMs: number;
  readonly pingMs: number;
}

/** By which factor each wait before another attempt is longer (gRPC's connection backoff protocol). */
export const BACKOFF_FACTOR = 1.6;
/** The part of a wait by which it may be longer or shorter (gRPC's connection backoff protocol). */
export const BACKOFF_JITTER = 0.2;

/** Enough for a service that answers small messages in time; a service that takes more is out of order. */
export const clientLimits: ClientLimits = {
  maxOpenCalls: 1024,
  maxStreamId: MAX_STREAM_ID,
  maxWaitingCalls: 16_384,
  maxAnswerBytes: 16 * KIB,
  maxHeaderListBytes: 8 * KIB,
  maxHeaderBlockBytes: 8 * KIB,
  maxHeaderBlockFrames: 8,
  maxHeldBytes: 4 * MIB,
  connectionWindowBytes: 1 * MIB,
  pauseAboveBytes: 256 * KIB,
  maxUnsentBytes: 1 * MIB,
  maxOldConnections: 4,
  idleFrames: 10_000,
  idleFramesPerSecond: 1000,
  windowSteps: 10_000,
  bytesPerWindowStep: 8,
  connectMs: 5000,
  firstBackoffMs: 100,
  maxBackoffMs: 1000,
  provenMs: 1000,
  // Services close connections that ping more often than this.
  keepaliveMs: 300_000,
  pingMs: 2000,
};
