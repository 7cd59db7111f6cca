import type { Bytes } from './bytes.ts';

/** Reads the DER of keys and signatures (X.690), strictly: definite lengths in their shortest form. */
export class DerReader {
  readonly #bytes: Bytes;
  #at = 0;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
  }

  /** The contents of the next element, which must have this tag; null when it has not, or is cut. */
  element(tag: number): Bytes | null {
    if (this.#bytes[this.#at] !== tag) return null;
    const first = this.#bytes[this.#at + 1] ?? 0x80;
    const more = first < 0x80 ? 0 : first - 0x80;
    if (first === 0x80 || more > 3) return null;
    let length = more === 0 ? first : 0;
    for (const byte of this.#bytes.subarray(this.#at + 2, this.#at + 2 + more)) length = length * 256 + byte;
    if (more > 0 && length < (more === 1 ? 0x80 : 256 ** (more - 1))) return null;
    const start = this.#at + 2 + more;
    if (start + length > this.#bytes.length) return null;
    this.#at = start + length;
    return this.#bytes.slice(start, this.#at);
  }

  /** Whether nothing is left. */
  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }
}

/** Tags of elements. */
export const TAGS = { integer: 0x02, octets: 0x04, oid: 0x06, sequence: 0x30 } as const;

/**
 * An ECDSA signature as r and s of so many bytes each (RFC 9421 §3.3.4), from that or from DER, in which key services
 * give it. Null when it is neither.
 */
export function joinedSignature(signature: Bytes, bytes: number): Bytes | null {
  if (signature.length === 2 * bytes) return signature;
  const outer = new DerReader(signature);
  const inner = outer.element(TAGS.sequence);
  if (inner === null || !outer.isAtEnd) return null;
  const numbers = new DerReader(inner);
  const joined: Bytes = new Uint8Array(2 * bytes);
  for (const end of [bytes, 2 * bytes]) {
    const number = withoutSign(numbers.element(TAGS.integer));
    if (number === null || number.length > bytes) return null;
    joined.set(number, end - number.length);
  }
  return numbers.isAtEnd ? joined : null;
}

/** The bytes of a positive number without the zero byte before a high bit; null when it is not one. */
export function withoutSign(number: Bytes | null): Bytes | null {
  const first = number?.[0];
  if (number === null || first === undefined || first >= 0x80) return null;
  if (first !== 0) return number;
  return (number[1] ?? 0) >= 0x80 ? number.slice(1) : null;
}
