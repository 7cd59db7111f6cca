/** The byte stream below a connection: a socket, or a test. */
export interface Wire {
  /** Sends the blocks in order, in one go. @returns whether they have left already, so that their memory may be used again. */
  write(blocks: readonly Buffer[]): boolean;
  /** Bytes that were given to {@link write} and have not left. When they have, the connection's `drained` is called. */
  readonly unsentBytes: number;
  pause(): void;
  resume(): void;
  /** Closes once everything has been sent; input is dropped from here on. */
  end(): void;
  /** Closes now. */
  destroy(): void;
}
