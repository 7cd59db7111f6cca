/** Protocol buffer wire types that proto3 messages use (groups are not among them). */
export const VARINT = 0;
/** The wire type of texts, bytes and messages (Protocol Buffers, "Encoding"). */
export const LENGTH_DELIMITED = 2;
const FIXED64 = 1;
const FIXED32 = 5;
const MAX_VARINT_BYTES = 10;

/**
 * Walks over the fields of a protocol buffer message without copying or converting anything.
 * Bytes that are no message end the walk and leave `failed` set; nothing is thrown, whatever the input.
 */
export class WireReader {
  readonly bytes: Uint8Array;
  at: number;
  failed = false;
  /** Where the length-delimited field that {@link readSpan} read last ends. */
  spanEnd = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.at = 0;
  }

  /** Reads a varint; above 2^53 it loses precision, which no field read here needs. */
  readVarint(): number {
    const first = this.bytes[this.at];
    if (first !== undefined && first < 0x80) {
      this.at += 1;
      return first;
    }
    let value = 0;
    let factor = 1;
    for (let count = 0; count < MAX_VARINT_BYTES; count += 1) {
      const byte = this.bytes[this.at];
      if (byte === undefined) return this.#fail();
      this.at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    return this.#fail();
  }

  /** Reads the length of a field and steps over its bytes, up to `end`; gives where they start and keeps `spanEnd`. */
  readSpan(end: number): number {
    const length = this.readVarint();
    const start = this.at;
    if (this.failed || length > end - start) return this.#fail();
    this.spanEnd = this.at = start + length;
    return start;
  }

  /** Steps over a field that is not read. */
  skip(wireType: number, end: number): void {
    if (wireType === LENGTH_DELIMITED) this.readSpan(end);
    else if (wireType === VARINT) this.readVarint();
    else if (wireType === FIXED64) this.at += 8;
    else if (wireType === FIXED32) this.at += 4;
    else this.#fail();
    if (this.at > end) this.#fail();
  }

  /** Makes sure that the fields read last end exactly where their message does. */
  finish(end: number): void {
    if (this.at !== end) this.#fail();
  }

  /** Ends the walk: `at` goes behind every border, so that each loop over fields stops. */
  #fail(): number {
    this.failed = true;
    this.at = this.bytes.length;
    this.spanEnd = this.at;
    return this.at;
  }
}
