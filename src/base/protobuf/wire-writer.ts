import { writeLatin1 } from '../text/latin1.ts';

/** What most answers need; what grew beyond it for one answer is given up with it. */
const USUAL_CAPACITY = 4096;
const LENGTH_DELIMITED = 2;
const MAX_ONE_BYTE = 0x7f;
const ZERO = 0x30;

/** Bytes that are the end of a message. */
export interface TrailingBytes {
  readonly bytes: Buffer;
  /** So many bytes before them in the same memory are free: the beginning may be written there. */
  readonly freeBefore: number;
}

/**
 * Writes a protocol buffer message from its end to its beginning: when the head of a field is written its content is
 * there, so its length is known, and nested messages need no second pass and no memory of their own. Field numbers are
 * below 16.
 */
export class WireWriter {
  #bytes = Buffer.allocUnsafeSlow(USUAL_CAPACITY);
  /** Where the written part begins. */
  #at = USUAL_CAPACITY;
  #trailingBytes = 0;

  /** Begins a message; so many bytes come behind what is written here, as a part of it (see {@link finish}). */
  begin(trailingBytes = 0): void {
    if (this.#bytes.length > USUAL_CAPACITY) this.#bytes = Buffer.allocUnsafeSlow(USUAL_CAPACITY);
    this.#at = this.#bytes.length;
    this.#trailingBytes = trailingBytes;
  }

  /** How long the message is by now, the bytes behind it included. */
  get size(): number {
    return this.#bytes.length - this.#at + this.#trailingBytes;
  }

  /** Text of one character a byte. */
  text(text: string): void {
    const at = this.#room(text.length);
    writeLatin1(this.#bytes, text, at);
  }

  /** A whole number that is not negative, as decimal digits. */
  digits(number: number): void {
    let rest = number;
    do {
      const tenth = Math.floor(rest / 10);
      this.#byte(ZERO + rest - tenth * 10);
      rest = tenth;
    } while (rest > 0);
  }

  /** Any text, as UTF-8. */
  utf8(text: string): void {
    const length = Buffer.byteLength(text, 'utf8');
    const at = this.#room(length);
    this.#bytes.write(text, at, 'utf8');
  }

  /** The head of a field (string, bytes, message) whose content is what was written since the message had this size. */
  head(number: number, sizeBefore: number): void {
    const length = this.size - sizeBefore;
    const tag = (number << 3) | LENGTH_DELIMITED;
    if (length <= MAX_ONE_BYTE) {
      const at = this.#room(2);
      const bytes = this.#bytes;
      bytes[at] = tag;
      bytes[at + 1] = length;
      return;
    }
    this.#varint(length);
    this.#byte(tag);
  }

  /** A whole field of text of one character a byte. */
  textField(number: number, text: string): void {
    const before = this.size;
    this.text(text);
    this.head(number, before);
  }

  /** A whole field with an unsigned number or an enum. */
  numberField(number: number, value: number): void {
    this.#varint(value);
    this.#byte(number << 3);
  }

  /**
   * The whole message; `trailing` are the bytes that {@link begin} announced. They are copied only when there is not
   * enough free memory before them for the rest.
   */
  finish(trailing?: TrailingBytes): Buffer {
    const ownBytes = this.#bytes.length - this.#at;
    const isInPlace = trailing !== undefined && ownBytes <= trailing.freeBefore;
    const message = isInPlace
      ? Buffer.from(trailing.bytes.buffer, trailing.bytes.byteOffset - ownBytes, this.size)
      : Buffer.allocUnsafe(this.size);
    this.#bytes.copy(message, 0, this.#at);
    if (trailing !== undefined && !isInPlace) message.set(trailing.bytes, ownBytes);
    return message;
  }

  #byte(byte: number): void {
    const at = this.#room(1);
    this.#bytes[at] = byte;
  }

  /** A number that is not negative, seven bits a byte, the lowest first. */
  #varint(value: number): void {
    let length = 1;
    for (let rest = value; rest > MAX_ONE_BYTE; rest = Math.floor(rest / 128)) length += 1;
    let at = this.#room(length);
    let rest = value;
    for (; rest > MAX_ONE_BYTE; rest = Math.floor(rest / 128)) this.#bytes[at++] = (rest & MAX_ONE_BYTE) | 0x80;
    this.#bytes[at] = rest;
  }

  /** Room for the next bytes before what is written, maybe in other memory. @returns where they begin. */
  #room(length: number): number {
    if (this.#at < length) this.#grow(length);
    this.#at -= length;
    return this.#at;
  }

  #grow(length: number): void {
    const written = this.#bytes.subarray(this.#at);
    const larger = Buffer.allocUnsafeSlow(2 * (written.length + length));
    this.#at = larger.length - written.length;
    larger.set(written, this.#at);
    this.#bytes = larger;
  }
}
