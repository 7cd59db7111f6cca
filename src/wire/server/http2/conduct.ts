import type { ErrorCode } from '../../http2/frame.ts';

/** Where a peer's conduct is judged: by its connection, which ends on a breach. */
export interface Conduct {
  /** Nothing more is read from the peer. */
  readonly over: boolean;
  /**
   * A frame has been worked on, which cost as much as `frames` usual ones. @returns whether the next may follow at
   * once.
   */
  frameDone(frames: number): boolean;
  /** The time of the input that is being worked on. */
  readonly nowMs: number;
  /** Calls that the peer opens from now on are refused: it was sent a GOAWAY. */
  readonly closing: boolean;
  /** A connection error (RFC 9113 §5.4.1). `reason` holds nothing of the peer's. @returns false: go no further. */
  breach(code: ErrorCode, reason: string): false;
  /** Charges the peer for what brings no call. @returns whether to go on; else it was a breach. */
  spend(tokens: number): boolean;
  /** The peer has acknowledged the ping of a drain. */
  sawDrain(): void;
}

/** Bytes of a header block that cost as much as a usual frame. */
const HEADER_BYTES_OF_FRAME = 256;

/** What a HEADERS or CONTINUATION frame costs in usual frames. */
export function headerFrames(bytes: number): number {
  return 1 + Math.floor(bytes / HEADER_BYTES_OF_FRAME);
}
