import { type GrpcFailure, grpcStatus } from '../transport.ts';
import { noMemory } from './call-failures.ts';
import { MESSAGE_PREFIX_BYTES } from '../../http2/frame-writer.ts';
import { u8 } from '../../http2/octets.ts';

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

/** Memory of a message that comes in parts. */
export interface MessageRoom {
  /** The length has become known; it is within the bound. */
  announced(length: number): void;
  /** Memory for `neededBytes` at least, which begins with what is in `filled`; null when there is none. */
  grow(filled: Buffer, neededBytes: number, length: number): Buffer | null;
  /** More has come. */
  progressed(): void;
}

/**
 * Puts the one message of a call together from its DATA frames (gRPC over HTTP/2, "Length-Prefixed-Message"). Memory is
 * asked for as the message comes.
 */
export class MessageAssembler {
  readonly #maxBytes: number;
  readonly #room: MessageRoom;
  #prefixBytes = 0;
  #compressed = 0;
  #length = 0;
  #memory: Buffer = NOTHING;
  #filled = 0;

  constructor(maxBytes: number, room: MessageRoom) {
    this.#maxBytes = maxBytes;
    this.#room = room;
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
      this.#room.announced(this.#length);
    }
    const neededBytes = this.#filled + end - at;
    if (neededBytes > this.#length) return secondMessage;
    if (neededBytes > this.#memory.length) {
      const memory = this.#room.grow(this.#memory.subarray(0, this.#filled), neededBytes, this.#length);
      if (memory === null) return noMemory;
      this.#memory = memory;
    } else this.#room.progressed();
    this.#filled += bytes.copy(this.#memory, this.#filled, at, end);
    return null;
  }

  /** Call at the end of the stream. @returns the message, or why there is none. */
  finish(): Buffer | GrpcFailure {
    if (this.#prefixBytes === 0) return noMessage;
    const isWhole = this.#prefixBytes === MESSAGE_PREFIX_BYTES && this.#filled === this.#length;
    return isWhole ? this.#memory.subarray(0, this.#length) : cutOff;
  }

  #prefixOctet(octet: number): void {
    if (this.#prefixBytes === 0) this.#compressed = octet;
    else this.#length = this.#length * 256 + octet;
    this.#prefixBytes++;
  }
}
