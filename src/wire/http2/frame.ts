/** What every client sends first (RFC 9113 §3.4). */
export const CLIENT_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** Octets of every frame's header (RFC 9113 §4.1). */
export const FRAME_HEADER_BYTES = 9;

/** SETTINGS_MAX_FRAME_SIZE as it is before any SETTINGS, which we neither raise nor use beyond (RFC 9113 §6.5.2). */
export const MAX_FRAME_BYTES = 16384;

/** Frame types (RFC 9113 §6). */
export const frameType = {
  data: 0x0,
  headers: 0x1,
  priority: 0x2,
  rstStream: 0x3,
  settings: 0x4,
  pushPromise: 0x5,
  ping: 0x6,
  goaway: 0x7,
  windowUpdate: 0x8,
  continuation: 0x9,
} as const;

/** Frame flags (RFC 9113 §6); ACK is SETTINGS's and PING's, END_STREAM DATA's and HEADERS's. */
export const frameFlag = {
  endStream: 0x01,
  ack: 0x01,
  endHeaders: 0x04,
  padded: 0x08,
  priority: 0x20,
} as const;

/** Error codes (RFC 9113 §7) that we send. */
export const errorCode = {
  noError: 0x0,
  protocolError: 0x1,
  internalError: 0x2,
  flowControlError: 0x3,
  streamClosed: 0x5,
  frameSizeError: 0x6,
  refusedStream: 0x7,
  cancel: 0x8,
  compressionError: 0x9,
  enhanceYourCalm: 0xb,
} as const;
export type ErrorCode = (typeof errorCode)[keyof typeof errorCode];

/** Settings (RFC 9113 §6.5.2). */
export const setting = {
  headerTableSize: 0x1,
  enablePush: 0x2,
  maxConcurrentStreams: 0x3,
  initialWindowSize: 0x4,
  maxFrameSize: 0x5,
  maxHeaderListSize: 0x6,
} as const;

/** Flow-control windows before any SETTINGS or WINDOW_UPDATE (RFC 9113 §6.9.2). */
export const INITIAL_WINDOW_BYTES = 65535;
/** No window may become larger (RFC 9113 §6.9.1). */
export const MAX_WINDOW_BYTES = 0x7fffffff;
/** The largest stream identifier (RFC 9113 §5.1.1). */
export const MAX_STREAM_ID = 0x7fffffff;

/**
 * A breach of the protocol or of a limit that ends the connection (RFC 9113 §5.4.1). `reason` holds nothing of the
 * peer's.
 */
export interface ConnectionProblem {
  readonly code: ErrorCode;
  readonly reason: string;
}
