import { type GrpcFailure, grpcStatus } from '../transport.ts';
import { MESSAGE_PREFIX_BYTES } from './frame-writer.ts';
import { MAX_SMALL_MESSAGE_BYTES } from './limits.ts';
import { u8 } from './octets.ts';

const NOTHING = Buffer.alloc(0);

/** Why a prefix is refused: the message is compressed, or longer than the method takes. */
export function refusePrefix(compressed: number, length: number, maxBytes: number): GrpcFailure | null {
  if (compressed !== 0) return compressedMessage;
  if (length <= maxBytes) return null;
  const message = `the message has ${String(length)} bytes, more than ${String(maxBytes)}`;
  return { status: grpcStatus.resourceExhausted, message };
}

/** The answer to a compressed message; the transport adds what it takes instead. */
export const compressedMessage: GrpcFailure = {
  status: grpcStatus.unimplemented,
  message: 'compressed messages are not supported',
};
const secondMessage: GrpcFailure = {
  status: grpcStatus.unimplemented,
  message: 'a unary call has one message, this has more',
};
const noMessage: GrpcFailure = {
  status: grpcStatus.unimplemented,
  message: 'a unary call has one message, this has none',
};
const cutOff: GrpcFailure = { status: grpcStatus.internal, message: 'the message is cut off' };

/**
 * Puts the one message of a call together from its DATA frames (gRPC over HTTP/2, "Length-Prefixed-Message").
 * A message that fits the first window gets its memory as soon as its length is known; a larger one only with
 * {@link allowAll}, until which no more than that window can come.
 */
export class MessageAssembler {
  readonly #maxBytes: number;
  #prefixBytes = 0;
  #compressed = 0;
  #length = 0;
  #message: Buffer = NOTHING;
  #filled = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The message's length, or -1 before it is known. */
  get length(): number {
    return this.#prefixBytes === MESSAGE_PREFIX_BYTES ? this.#length : -1;
  }

  /** Octets of the message that have not come; meaningful once {@link length} is known. */
  get missingBytes(): number {
    return this.#length - this.#filled;
  }

  /** Takes `bytes[start, end)`. @returns why the call is refused, or null. */
  push(bytes: Buffer, start: number, end: number): GrpcFailure | null {
    let at = start;
    while (this.#prefixBytes < MESSAGE_PREFIX_BYTES) {
      if (at >= end) return null;
      this.#prefixOctet(u8(bytes, at++));
      if (this.#prefixBytes < MESSAGE_PREFIX_BYTES) continue;
      const refused = refusePrefix(this.#compressed, this.#length, this.#maxBytes);
      if (refused !== null) return refused;
      this.#message = Buffer.allocUnsafeSlow(Math.min(this.#length, MAX_SMALL_MESSAGE_BYTES));
    }
    if (end - at > this.missingBytes) return secondMessage;
    this.#filled += bytes.copy(this.#message, this.#filled, at, end);
    return null;
  }

  /** Makes room for the whole of a large message: its memory has been reserved. */
  allowAll(): void {
    const message = Buffer.allocUnsafeSlow(this.#length);
    this.#message.copy(message, 0, 0, this.#filled);
    this.#message = message;
  }

  /** Call at the end of the stream. @returns the message, or why there is none. */
  finish(): Buffer | GrpcFailure {
    if (this.#prefixBytes === 0) return noMessage;
    return this.length < 0 || this.missingBytes > 0 ? cutOff : this.#message;
  }

  #prefixOctet(octet: number): void {
    if (this.#prefixBytes === 0) this.#compressed = octet;
    else this.#length = this.#length * 256 + octet;
    this.#prefixBytes++;
  }
}
