import type { Socket } from 'node:net';

/** The byte stream below a connection: a socket, or a test. */
export interface Wire {
  /**
   * Sends the blocks in order, in one go. @returns whether they have left already, so that their memory may be used
   * again.
   */
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

const NOTHING = Buffer.alloc(0);
/** How long a peer may take to notice that we closed, once it has been sent everything. */
const CLOSE_TIMEOUT_MS = 1000;
/** How long the last bytes may take to leave. */
const FLUSH_TIMEOUT_MS = 10_000;

/** A connection's socket, plain or TLS. */
export class SocketWire implements Wire {
  readonly #socket: Socket;
  readonly #written: () => void;
  /** Whether something waits to leave, and `sent` is to be called then. */
  #isBehind = false;
  /** Whether the last write did not leave at once, as on TLS none does. */
  #isSlow = false;

  /** @param sent is called when everything has left that could not leave at once, however little it was. */
  constructor(socket: Socket, sent: () => void) {
    this.#socket = socket;
    this.#written = () => {
      if (!this.#isBehind || socket.writableLength > 0) return;
      this.#isBehind = false;
      sent();
    };
  }

  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  write(blocks: readonly Buffer[]): boolean {
    const socket = this.#socket;
    if (!socket.writable) return true; // closed under us; `close` follows
    if (blocks.length > 1) socket.cork();
    // A callback costs a tick of its own, also when the kernel takes everything at once: only who was slow gets one.
    const written = this.#isSlow ? this.#written : undefined;
    for (const block of blocks) socket.write(block, written);
    if (blocks.length > 1) socket.uncork();
    this.#isBehind = this.#isSlow = socket.writableLength > 0;
    if (this.#isBehind && written === undefined) this.#watch();
    return !this.#isBehind;
  }

  /**
   * Waits until what was written without a callback has left. The event `drain` is for those only who have more unsent
   * than the socket's high-water mark.
   */
  #watch(): void {
    // Not at once: TLS passes on what it has received when it is given an empty write.
    queueMicrotask(() => {
      if (this.#socket.writable) this.#socket.write(NOTHING, this.#written);
    });
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /**
   * Input is read on and dropped: closing with unread input would make the system discard what we just sent (RFC 1122
   * §4.2.2.13).
   */
  end(): void {
    const socket = this.#socket;
    let timer = setTimeout(() => {
      socket.destroy();
    }, FLUSH_TIMEOUT_MS);
    socket.end(() => {
      this.#written();
      clearTimeout(timer);
      timer = setTimeout(() => {
        socket.destroy();
      }, CLOSE_TIMEOUT_MS);
    });
    socket.resume();
    socket.once('close', () => {
      clearTimeout(timer);
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
