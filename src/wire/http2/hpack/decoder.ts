import { u8 } from '../octets.ts';
import { DynamicTable, STATIC_ENTRIES } from './tables.ts';
import {
  type Classify,
  type Field,
  FIELD_OVERHEAD_BYTES,
  type FieldKind,
  type FieldSink,
  valueUnread,
} from './field.ts';
import { decodeHuffman, maxDecodedBytes } from './huffman.ts';

/** No number of a block that fits our limits needs more; far below what would lose precision (RFC 7541 §5.1). */
const MAX_INTEGER_SHIFT = 21;

/** What a decoder needs. */
export interface HpackDecoderOptions {
  /** From `createStaticTable(classify)`; shared by all decoders of one `classify`. */
  readonly staticTable: readonly Field[];
  readonly classify: Classify;
  /** SETTINGS_HEADER_TABLE_SIZE as announced (RFC 9113 §6.5.2). */
  readonly tableLimitBytes: number;
}

/**
 * Decodes the header blocks of one connection (RFC 7541), in order and all of them: each may change the table.
 * After a problem it is of no further use, as the connection is not (RFC 9113 §4.3).
 * Its work is proportional to the block's octets: an index hands out an entry and copies nothing.
 */
export class HpackDecoder {
  readonly #staticTable: readonly Field[];
  readonly #classify: Classify;
  readonly #limitBytes: number;
  readonly #table: DynamicTable;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;
  #problem: string | null = null;
  /** Where Huffman-coded text is decoded to; grows to the longest seen. */
  #scratch: Buffer = Buffer.alloc(0);
  /** The string last read: {@link #textStart} and {@link #textEnd} within {@link #text}. */
  #text: Buffer = this.#block;
  #textStart = 0;
  #textEnd = 0;

  constructor(options: HpackDecoderOptions) {
    this.#staticTable = options.staticTable;
    this.#classify = options.classify;
    this.#limitBytes = options.tableLimitBytes;
    this.#table = new DynamicTable(options.tableLimitBytes);
  }

  /** @returns null, or what is wrong with the block: a connection error COMPRESSION_ERROR. */
  decode(block: Buffer, start: number, end: number, sink: FieldSink): string | null {
    this.#block = block;
    this.#at = start;
    this.#end = end;
    this.#problem = null;
    let mayResize = true;
    while (this.#at < this.#end && !this.#hasFailed()) {
      const octet = u8(block, this.#at);
      if (octet >= 0x80) {
        // RFC 7541 §6.1, indexed field
        const field = this.#lookUp(octet === 0xff || octet === 0x80 ? this.#integer(7) : this.#short(octet & 0x7f));
        if (field !== null) sink.field(field);
        mayResize = false;
      } else if (octet >= 0x40) {
        // RFC 7541 §6.2.1, literal that enters the table
        const field = this.#literal(6);
        if (field !== null) {
          this.#table.add(field);
          sink.field(field);
        }
        mayResize = false;
      } else if (octet >= 0x20) {
        this.#resize(mayResize);
      } else {
        // RFC 7541 §6.2.2, §6.2.3, literals that do not
        const field = this.#literal(4);
        if (field !== null) sink.field(field);
        mayResize = false;
      }
    }
    this.#block = this.#text = EMPTY; // the memory that a block lies in is the next read's
    return this.#problem;
  }

  #short(value: number): number {
    this.#at++;
    return value;
  }

  #lookUp(index: number): Field | null {
    if (this.#hasFailed()) return null;
    const field = index <= STATIC_ENTRIES ? this.#staticTable[index - 1] : this.#table.at(index - STATIC_ENTRIES - 1);
    return field ?? this.#fail('an index points outside the tables');
  }

  /** @param prefixBits of the first octet that belong to the name's index; index 0 means the name follows. */
  #literal(prefixBits: number): Field | null {
    const index = this.#integer(prefixBits);
    let name: string;
    let kind: FieldKind;
    if (index === 0) {
      if (!this.#string()) return null;
      name = this.#text.toString('latin1', this.#textStart, this.#textEnd);
      kind = this.#classify(name);
    } else {
      const named = this.#lookUp(index);
      if (named === null) return null;
      ({ name, kind } = named);
    }
    if (!this.#string()) return null;
    const valueBytes = this.#textEnd - this.#textStart;
    return {
      name,
      value: kind === valueUnread ? '' : this.#text.toString('latin1', this.#textStart, this.#textEnd),
      kind,
      sizeBytes: name.length + valueBytes + FIELD_OVERHEAD_BYTES,
      malformedValue: isMalformed(this.#text, this.#textStart, this.#textEnd),
    };
  }

  /** RFC 7541 §6.3: only before the first field, and never above what we announced. */
  #resize(allowed: boolean): void {
    const maxBytes = this.#integer(5);
    if (this.#hasFailed()) return;
    if (!allowed) this.#fail('a table size update follows a field');
    else if (maxBytes > this.#limitBytes) this.#fail('a table size update is above the limit');
    else this.#table.resize(maxBytes);
  }

  /** RFC 7541 §5.1. The octet at the cursor is there. */
  #integer(prefixBits: number): number {
    const mask = (1 << prefixBits) - 1;
    let value = u8(this.#block, this.#at++) & mask;
    if (value < mask) return value;
    for (let shift = 0; this.#at < this.#end; shift += 7) {
      if (shift > MAX_INTEGER_SHIFT) break;
      const octet = u8(this.#block, this.#at++);
      value += (octet & 0x7f) << shift;
      if (octet < 0x80) return value;
    }
    this.#fail('a number is cut off or too large');
    return 0;
  }

  /** RFC 7541 §5.2. Leaves the octets in {@link #text}. */
  #string(): boolean {
    if (this.#hasFailed()) return false;
    if (this.#at >= this.#end) return this.#fault('a string is missing');
    const huffman = u8(this.#block, this.#at) >= 0x80;
    const length = this.#integer(7);
    const start = this.#at;
    const end = start + length;
    if (this.#hasFailed()) return false;
    if (end > this.#end) return this.#fault('a string is cut off');
    this.#at = end;
    if (!huffman) {
      this.#text = this.#block;
      this.#textStart = start;
      this.#textEnd = end;
      return true;
    }
    const room = maxDecodedBytes(length);
    if (this.#scratch.length < room) this.#scratch = Buffer.allocUnsafeSlow(room);
    const decoded = decodeHuffman(this.#block, start, end, this.#scratch);
    if (decoded < 0) return this.#fault('a string is not Huffman-coded as it says');
    this.#text = this.#scratch;
    this.#textStart = 0;
    this.#textEnd = decoded;
    return true;
  }

  #hasFailed(): boolean {
    return this.#problem !== null;
  }

  #fail(problem: string): null {
    this.#problem = problem;
    return null;
  }

  #fault(problem: string): false {
    this.#problem = problem;
    return false;
  }
}

const EMPTY = Buffer.alloc(0);
const SPACE = 0x20;
const TAB = 0x09;

/** RFC 9113 §8.2.1: NUL, CR and LF nowhere, white space not at the ends. */
function isMalformed(bytes: Uint8Array, start: number, end: number): boolean {
  if (start === end) return false;
  for (let at = start; at < end; at++) {
    const octet = u8(bytes, at);
    if (octet === 0x00 || octet === 0x0a || octet === 0x0d) return true;
  }
  const first = u8(bytes, start);
  const last = u8(bytes, end - 1);
  return first === SPACE || first === TAB || last === SPACE || last === TAB;
}
