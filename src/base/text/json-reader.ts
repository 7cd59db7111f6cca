import { hexValue } from './encodings.ts';
import type { BodyMemory } from './body-memory.ts';
import { UNESCAPED_AT_ONCE, Unescaper } from './unescape.ts';
import { PIECE_BYTES, type Work } from './work.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const FIRST_PRINTABLE = 0x20;
const HEX_DIGITS = 4;
const unescaper = new Unescaper();

/** What one-letter escapes stand for (RFC 8259 §7), by the byte of their letter; 0 for every other byte. */
const unescapedLetters = new Uint8Array(256);
for (const [letter, plain] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'].map((pair) =>
  Buffer.from(pair),
)) {
  unescapedLetters[letter ?? 0] = plain ?? 0;
}

/**
 * Reads the few pieces of JSON (RFC 8259) that a wrapper is made of, strictly and in one pass, from bytes that are
 * known to be UTF-8. Nothing is converted: a string comes as the UTF-8 bytes it stands for, a number as its source.
 */
export class JsonReader {
  readonly #bytes: Buffer;
  #at = 0;
  #problem = '';
  /**
   * Where strings with escapes are written, one after the other; made once, so that many of them cost no more than one.
   */
  #unescaped: Buffer | null = null;
  #unescapedAt = 0;
  /** Whether the string that was read last was read to its end. */
  #isAfterString = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** What was wrong, with its place, after a read gave null. */
  get problem(): string {
    return this.#problem;
  }

  /** Skips white space. @returns whether nothing follows it. */
  isAtEnd(): boolean {
    this.#skipSpace();
    return this.#at === this.#bytes.length;
  }

  /** Skips white space and, when it stands next, the given ASCII character. @returns whether it stood there. */
  take(character: string): boolean {
    this.#skipSpace();
    if (this.#bytes[this.#at] !== character.charCodeAt(0)) return false;
    this.#at += 1;
    return true;
  }

  /** Skips white space. @returns whether a string begins there. */
  isAtString(): boolean {
    this.#skipSpace();
    return this.#bytes[this.#at] === QUOTE;
  }

  /** Skips white space and reads a string: the UTF-8 bytes it stands for (a view when nothing is escaped), or null. */
  readString(): Buffer | null {
    if (!this.take('"')) return this.#fail('a string is expected');
    const start = this.#at;
    let at = start;
    for (; at < this.#bytes.length; at += 1) {
      const byte = this.#bytes[at] ?? 0;
      if (byte === QUOTE || byte === BACKSLASH || byte < FIRST_PRINTABLE) break;
    }
    this.#at = at;
    if (this.#bytes[at] === BACKSLASH) return this.#readEscapedString(start);
    if (this.#bytes[at] !== QUOTE) return this.#failInString();
    this.#at = at + 1;
    return this.#bytes.subarray(start, at);
  }

  /**
   * The same for a string that may be long, in turns with other work: into `memory`, in which so many bytes before it
   * are free.
   */
  *readingString(freeBytes: number, memory: BodyMemory): Work<Buffer | null> {
    if (!this.take('"')) return this.#fail('a string is expected');
    // What an escape stands for is never longer than the escape.
    const roomBytes = freeBytes + this.#bytes.length - this.#at;
    const out = memory.takeMemory?.(roomBytes) ?? Buffer.allocUnsafe(roomBytes);
    let length = freeBytes;
    let turnAt = this.#at + PIECE_BYTES;
    for (;;) {
      const pieceEnd = Math.min(this.#at + UNESCAPED_AT_ONCE, this.#bytes.length);
      length += this.#unescapePiece(out, length, pieceEnd);
      // What stopped it before the end of the piece is left to the loop here, and so is as much behind it.
      if (this.#at < pieceEnd - 1 || pieceEnd === this.#bytes.length) {
        length = this.#unescape(out, length, this.#at + UNESCAPED_AT_ONCE);
        if (length === -1) return null;
        if (this.#isAfterString) return out.subarray(freeBytes, length);
      }
      if (this.#at < turnAt) continue;
      yield;
      turnAt = this.#at + PIECE_BYTES;
    }
  }

  /** Skips white space and reads a number: its source text, or null. */
  readNumber(): Buffer | null {
    this.#skipSpace();
    const start = this.#at;
    this.#takeByte(0x2d);
    if (!this.#takeByte(0x30) && !this.#takeDigits()) return this.#fail('a number is expected');
    if (this.#takeByte(0x2e) && !this.#takeDigits()) return this.#fail('a digit is expected');
    if (this.#takeByte(0x65) || this.#takeByte(0x45)) {
      if (!this.#takeByte(0x2b)) this.#takeByte(0x2d);
      if (!this.#takeDigits()) return this.#fail('a digit is expected');
    }
    return this.#bytes.subarray(start, this.#at);
  }

  /** Reads on at the first escape of a string; what stands before it, from `start`, is plain. */
  #readEscapedString(start: number): Buffer | null {
    // What an escape stands for is never longer than the escape, so that all strings find room.
    this.#unescaped ??= Buffer.allocUnsafe(this.#bytes.length - start);
    const out = this.#unescaped;
    const outStart = this.#unescapedAt;
    const length = this.#unescape(out, outStart + this.#bytes.copy(out, outStart, start, this.#at), Infinity);
    if (length === -1) return null;
    this.#unescapedAt = length;
    return out.subarray(outStart, length);
  }

  /**
   * Writes what a string stands for into `out`, from `start` on: up to its end, or up to `limit` and to the end of an
   * escape that stands there. Gives the index in `out` after it; -1 for what is no string.
   */
  #unescape(out: Buffer, start: number, limit: number): number {
    const bytes = this.#bytes;
    const end = Math.min(limit, bytes.length);
    let length = start;
    let at = this.#at;
    while (at < end) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) {
        this.#at = at + 1;
        this.#isAfterString = true;
        return length;
      }
      if (byte < FIRST_PRINTABLE) break;
      if (byte !== BACKSLASH) {
        out[length] = byte;
        length += 1;
        at += 1;
        continue;
      }
      const letter = bytes[at + 1] ?? 0;
      const plain = unescapedLetters[letter] ?? 0;
      if (plain !== 0) {
        out[length] = plain;
        length += 1;
        at += 2;
        continue;
      }
      this.#at = at;
      const codePoint = letter === LETTER_U ? this.#readCodePoint() : null;
      if (codePoint === null) {
        this.#fail('the string has a bad escape or half of a surrogate pair');
        return -1;
      }
      length = writeCodePoint(out, length, codePoint);
      at = this.#at;
    }
    this.#at = at;
    if (at >= limit) {
      this.#isAfterString = false;
      return length;
    }
    this.#failInString();
    return -1;
  }

  /** Reads on to the end of a piece, or to what {@link Unescaper} leaves to others. Gives how much it has written. */
  #unescapePiece(out: Buffer, start: number, pieceEnd: number): number {
    const { read, written } = unescaper.unescape(this.#bytes.subarray(this.#at, pieceEnd), out, start);
    this.#at += read;
    return written;
  }

  /** Reads `\uXXXX`, or two of them that are a surrogate pair; null for half of a pair or a bad escape. */
  #readCodePoint(): number | null {
    const first = this.#readEscapedUnit();
    if (first === null || (first & 0xfc00) === 0xdc00) return null;
    if ((first & 0xfc00) !== 0xd800) return first;
    const second = this.#readEscapedUnit();
    if (second === null || (second & 0xfc00) !== 0xdc00) return null;
    return 0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff);
  }

  #readEscapedUnit(): number | null {
    if (this.#bytes[this.#at] !== BACKSLASH || this.#bytes[this.#at + 1] !== LETTER_U) return null;
    let unit = 0;
    for (let index = this.#at + 2; index < this.#at + 2 + HEX_DIGITS; index += 1) {
      const digit = hexValue(this.#bytes[index] ?? 0);
      if (digit === -1) return null;
      unit = unit * 16 + digit;
    }
    this.#at += 2 + HEX_DIGITS;
    return unit;
  }

  #takeByte(byte: number): boolean {
    if (this.#bytes[this.#at] !== byte) return false;
    this.#at += 1;
    return true;
  }

  #takeDigits(): boolean {
    const start = this.#at;
    for (;;) {
      const byte = this.#bytes[this.#at] ?? 0;
      if (byte < 0x30 || byte > 0x39) return this.#at > start;
      this.#at += 1;
    }
  }

  #skipSpace(): void {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.#at += 1;
    }
  }

  #failInString(): null {
    return this.#fail(this.#at < this.#bytes.length ? 'the string has a control character' : 'the string has no end');
  }

  #fail(problem: string): null {
    this.#problem = `${problem} at byte ${String(this.#at)}`;
    return null;
  }
}

/** Writes a code point as UTF-8 and gives the index after it. */
function writeCodePoint(out: Buffer, start: number, codePoint: number): number {
  let at = start;
  if (codePoint < 0x80) {
    out[at++] = codePoint;
  } else if (codePoint < 0x800) {
    out[at++] = 0xc0 | (codePoint >> 6);
    out[at++] = 0x80 | (codePoint & 0x3f);
  } else if (codePoint < 0x10000) {
    out[at++] = 0xe0 | (codePoint >> 12);
    out[at++] = 0x80 | ((codePoint >> 6) & 0x3f);
    out[at++] = 0x80 | (codePoint & 0x3f);
  } else {
    out[at++] = 0xf0 | (codePoint >> 18);
    out[at++] = 0x80 | ((codePoint >> 12) & 0x3f);
    out[at++] = 0x80 | ((codePoint >> 6) & 0x3f);
    out[at++] = 0x80 | (codePoint & 0x3f);
  }
  return at;
}
