import type { WireReader } from '../../base/protobuf/wire-reader.ts';

/** Name start, name end, value start, value end. */
const SLOTS = 4;
/** Look-ups that walk over all headers before an index is made. Few requests of good callers need as many. */
const MAX_WALKS = 48;

/**
 * The headers of a request as positions in the bytes of a message. Names compare without case; `name` is given in
 * lower case. Text comes one character a byte (latin1). What look-ups cost together is linear in the bytes of the
 * headers, however many names a caller has looked up: from a certain number on an index answers.
 */
export class HeaderFields {
  readonly #bytes: Buffer;
  readonly #slots: number[] = [];
  #isRaw = false;
  #walks = 0;
  /** Where the headers of each name stand, by its text in lower case; null until it pays. */
  #index: ReadonlyMap<string, readonly number[]> | null = null;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** How many headers there are, pseudo-headers included. */
  get count(): number {
    return this.#slots.length / SLOTS;
  }

  /**
   * Whether values came as raw bytes (`header_map`). In the other form Envoy writes `!` for bytes it cannot show and
   * joins repeated headers with `,`.
   */
  get isRaw(): boolean {
    return this.#isRaw;
  }

  /** Reads an `envoy.config.core.v3.HeaderMap`, in place of all entries of the other form. */
  readMap(reader: WireReader, start: number, end: number): void {
    if (!this.#isRaw && this.#slots.length > 0) this.#slots.length = 0;
    this.#isRaw = true;
    reader.at = start;
    while (reader.at < end) {
      const tag = reader.readVarint();
      if (tag === 0x0a) {
        const from = reader.readSpan(end);
        readPair(reader, from, reader.spanEnd, this.#slots);
      } else {
        reader.skip(tag & 7, end);
      }
    }
    reader.finish(end);
  }

  /** Reads one entry of the map `headers`; it counts only where no raw headers came. */
  readEntry(reader: WireReader, start: number, end: number): void {
    const { length } = this.#slots;
    readPair(reader, start, end, this.#slots);
    if (this.#isRaw) this.#slots.length = length;
  }

  has(name: string): boolean {
    return this.#indexOf(name, 0) !== -1;
  }

  /** The first value; null when there is none. */
  find(name: string): string | null {
    const at = this.#indexOf(name, 0);
    return at === -1 ? null : this.#valueAt(at);
  }

  /** The only value; null when there is none, and `repeated` when there is more than one. */
  findSingle(name: string): string | null | { readonly repeated: true } {
    const at = this.#indexOf(name, 0);
    if (at === -1) return null;
    return this.#indexOf(name, at + SLOTS) === -1 ? this.#valueAt(at) : { repeated: true };
  }

  /** Every value in the order received. */
  valuesOf(name: string): readonly string[] {
    if (this.#index !== null || this.#walks >= MAX_WALKS) {
      this.#index ??= this.#makeIndex();
      return (this.#index.get(name) ?? []).map((at) => this.#valueAt(at));
    }
    this.#walks += 1;
    const values: string[] = [];
    for (let at = this.#indexOf(name, 0); at !== -1; at = this.#indexOf(name, at + SLOTS)) {
      values.push(this.#valueAt(at));
    }
    return values;
  }

  /** The names that `isWanted` picks by their bytes, as received; a name may come more than once. */
  namesWhere(isWanted: (bytes: Uint8Array, start: number, end: number) => boolean): string[] {
    const names: string[] = [];
    for (let at = 0; at < this.#slots.length; at += SLOTS) {
      const start = this.#slots[at] ?? 0;
      const end = this.#slots[at + 1] ?? 0;
      if (isWanted(this.#bytes, start, end)) names.push(this.#bytes.toString('latin1', start, end));
    }
    return names;
  }

  #makeIndex(): ReadonlyMap<string, readonly number[]> {
    const index = new Map<string, number[]>();
    for (let at = 0; at < this.#slots.length; at += SLOTS) {
      const name = this.#bytes.toString('latin1', this.#slots[at], this.#slots[at + 1]).toLowerCase();
      const found = index.get(name);
      if (found === undefined) index.set(name, [at]);
      else found.push(at);
    }
    return index;
  }

  #valueAt(at: number): string {
    return this.#bytes.toString('latin1', this.#slots[at + 2], this.#slots[at + 3]);
  }

  #indexOf(name: string, from: number): number {
    for (let at = from; at < this.#slots.length; at += SLOTS) {
      const start = this.#slots[at] ?? 0;
      if ((this.#slots[at + 1] ?? 0) - start === name.length && this.#isNamed(start, name)) return at;
    }
    return -1;
  }

  #isNamed(start: number, name: string): boolean {
    for (let index = 0; index < name.length; index += 1) {
      const byte = this.#bytes[start + index] ?? 0;
      const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
      if (lower !== name.charCodeAt(index)) return false;
    }
    return true;
  }
}

/**
 * Reads a `HeaderValue` or an entry of a string map, which share the numbers of key and value, and adds where its name
 * and value start and end to `slots`. Of `value` and `raw_value` the raw one decides, where it is not empty.
 */
export function readPair(reader: WireReader, start: number, end: number, slots: number[]): void {
  let nameStart = 0;
  let nameEnd = 0;
  let valueStart = 0;
  let valueEnd = 0;
  let hasRawValue = false;
  reader.at = start;
  while (reader.at < end) {
    const tag = reader.readVarint();
    if (tag === 0x0a) {
      nameStart = reader.readSpan(end);
      nameEnd = reader.spanEnd;
    } else if (tag === 0x12 || tag === 0x1a) {
      const from = reader.readSpan(end);
      const isRaw = tag === 0x1a;
      if (hasRawValue && !isRaw) continue;
      hasRawValue ||= isRaw && reader.spanEnd > from;
      if (isRaw && !hasRawValue) continue;
      valueStart = from;
      valueEnd = reader.spanEnd;
    } else {
      reader.skip(tag & 7, end);
    }
  }
  reader.finish(end);
  slots.push(nameStart, nameEnd, valueStart, valueEnd);
}
