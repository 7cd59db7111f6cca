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
/** The answer to a call that ends without a message. */
export const noMessage: GrpcFailure = {
  status: grpcStatus.unimplemented,
  message: 'a unary call has one message, this has none',
};
const cutOff: GrpcFailure = { status: grpcStatus.internal, message: 'the message is cut off' };

/** Where a message of known length is put together: memory for all of it, memory of the assembler's own (null), or why there is none. */
export type MessageRoom = Buffer | GrpcFailure | null;

/**
 * Puts the one message of a call together from its DATA frames (gRPC over HTTP/2, "Length-Prefixed-Message").
 * Memory is asked for once, when the length is known. Of its own an assembler has as much as fits the first window, beyond
 * which no more can come before {@link moveTo}.
 */
export class MessageAssembler {
  readonly #maxBytes: number;
  readonly #reserve: (length: number) => MessageRoom;
  #prefixBytes = 0;
  #compressed = 0;
  #length = 0;
  #message: Buffer = NOTHING;
  #filled = 0;

  constructor(maxBytes: number, reserve: (length: number) => MessageRoom) {
    this.#maxBytes = maxBytes;
    this.#reserve = reserve;
  }

  /** Takes `bytes[start, end)`. @returns why the call is refused, or null. */
  push(bytes: Buffer, start: number, end: number): GrpcFailure | null {
    let at = start;
    while (this.#prefixBytes < MESSAGE_PREFIX_BYTES) {
      if (at >= end) return null;
      this.#prefixOctet(u8(bytes, at++));
      if (this.#prefixBytes < MESSAGE_PREFIX_BYTES) continue;
      const refused = refusePrefix(this.#compressed, this.#length, this.#maxBytes) ?? this.#makeRoom();
      if (refused !== null) return refused;
    }
    if (end - at > this.#length - this.#filled) return secondMessage;
    this.#filled += bytes.copy(this.#message, this.#filled, at, end);
    return null;
  }

  /** Goes on in memory that is at least as long as the message. */
  moveTo(memory: Buffer): void {
    const message = memory.subarray(0, this.#length);
    this.#message.copy(message, 0, 0, this.#filled);
    this.#message = message;
  }

  /** Call at the end of the stream. @returns the message, or why there is none. */
  finish(): Buffer | GrpcFailure {
    if (this.#prefixBytes === 0) return noMessage;
    const isWhole = this.#prefixBytes === MESSAGE_PREFIX_BYTES && this.#filled === this.#length;
    return isWhole ? this.#message : cutOff;
  }

  #makeRoom(): GrpcFailure | null {
    const room = this.#reserve(this.#length);
    if (room !== null && 'status' in room) return room;
    if (room === null) this.#message = Buffer.allocUnsafeSlow(Math.min(this.#length, MAX_SMALL_MESSAGE_BYTES));
    else this.moveTo(room);
    return null;
  }

  #prefixOctet(octet: number): void {
    if (this.#prefixBytes === 0) this.#compressed = octet;
    else this.#length = this.#length * 256 + octet;
    this.#prefixBytes++;
  }
}
