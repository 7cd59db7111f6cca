import { FlowScanner, NOT_PLAIN, readPlainScalar } from './flow-scanner.ts';

/** Deeper than any declarative document; reading recurses. */
const MAX_DEPTH = 12;

/** No `$` of many lines: in JavaScript U+2028 ends a line, in YAML it does not. */
const KEY = /([A-Za-z][\w-]*):(?: (?=\S)|(?=\n)|$)/y;
const RESERVED = /^(?:null|true|false)$/i;

/**
 * Reads an item of a YAML block list, `- ` included, of the kind that everybody writes: mappings and lists in blocks,
 * with values on one line. Whatever else there is gives {@link NOT_PLAIN}, so that a value it gives is what the YAML
 * library would have given.
 */
export function readBlockItem(text: string, start: number, end: number): unknown {
  const reader = new BlockReader(text, start, end);
  const value = reader.readItem(0);
  return reader.isAtEnd ? value : NOT_PLAIN;
}

/** Owns the place in the text: always the beginning of a line's content, or of what follows `- ` in it. */
class BlockReader {
  readonly #text: string;
  readonly #end: number;
  /** Offset and column of what is read next; -1 as column at the end. */
  #at = 0;
  #column = -1;

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.#end = end;
    this.#goToLine(start);
  }

  get isAtEnd(): boolean {
    return this.#column === -1;
  }

  /** Reads `- ` and what it holds. */
  readItem(depth: number): unknown {
    if (!this.#isAtDash() || depth > MAX_DEPTH) return NOT_PLAIN;
    this.#at += 2;
    this.#column += 2;
    return this.#keyEnd() === null ? this.#readLineValue() : this.#readMapping(depth);
  }

  #readMapping(depth: number): unknown {
    const column = this.#column;
    const mapping: Record<string, unknown> = {};
    while (this.#column === column) {
      const keyEnd = this.#keyEnd();
      if (keyEnd === null || depth > MAX_DEPTH) return NOT_PLAIN;
      const key = this.#text.slice(this.#at, keyEnd);
      if (RESERVED.test(key) || Object.hasOwn(mapping, key)) return NOT_PLAIN;
      const value = this.#readMappingValue(keyEnd + 1, column, depth);
      if (value === NOT_PLAIN) return NOT_PLAIN;
      mapping[key] = value;
    }
    // Deeper lines continue a value in a way that is not read here.
    return this.#column > column ? NOT_PLAIN : mapping;
  }

  #readMappingValue(colonEnd: number, column: number, depth: number): unknown {
    if (this.#text.charCodeAt(colonEnd) === BLANK) {
      this.#at = colonEnd + 1;
      return this.#readLineValue();
    }
    this.#goToLine(colonEnd + 1);
    // A list may stand as far left as its key.
    if (this.#column < column || (this.#column === column && !this.#isAtDash())) return NOT_PLAIN;
    return this.#isAtDash() ? this.#readList(depth + 1) : this.#readMapping(depth + 1);
  }

  #readList(depth: number): unknown {
    const column = this.#column;
    const list: unknown[] = [];
    while (this.#column === column && this.#isAtDash()) {
      const value = this.readItem(depth + 1);
      if (value === NOT_PLAIN) return NOT_PLAIN;
      list.push(value);
    }
    return this.#column > column ? NOT_PLAIN : list;
  }

  /** A value that ends with its line. */
  #readLineValue(): unknown {
    const end = this.#lineEnd();
    const first = this.#text.charCodeAt(this.#at);
    let value: unknown;
    if (first === OPEN_BRACE || first === OPEN_BRACKET || first === QUOTE) {
      const scanner = new FlowScanner(this.#text, this.#at, end, { isJson: false });
      value = scanner.read();
      scanner.skipSpace();
      if (scanner.at !== end) return NOT_PLAIN;
    } else {
      value = readPlainScalar(this.#text.slice(this.#at, end));
    }
    const column = this.#column;
    this.#goToLine(end + 1);
    return this.#column > column ? NOT_PLAIN : value;
  }

  /** Where the key that stands next ends; null when none does. */
  #keyEnd(): number | null {
    KEY.lastIndex = this.#at;
    const [found, key = ''] = KEY.exec(this.#text) ?? [];
    return found === undefined ? null : this.#at + key.length;
  }

  #isAtDash(): boolean {
    return (
      this.#column !== -1 &&
      this.#text.charCodeAt(this.#at) === DASH &&
      this.#text.charCodeAt(this.#at + 1) === BLANK &&
      this.#text.charCodeAt(this.#at + 2) > BLANK
    );
  }

  /** Goes to the content of the line that begins there, or of the next one that is more than a comment. */
  #goToLine(start: number): void {
    let lineStart = start;
    for (;;) {
      let at = lineStart;
      while (at < this.#end && this.#text.charCodeAt(at) === BLANK) at += 1;
      this.#at = at;
      this.#column = at >= this.#end ? -1 : at - lineStart;
      const code = this.#text.charCodeAt(at);
      if (this.#column === -1 || (code !== LINE_FEED && code !== HASH)) return;
      lineStart = this.#lineEnd() + 1;
    }
  }

  #lineEnd(): number {
    const end = this.#text.indexOf('\n', this.#at);
    return end === -1 || end > this.#end ? this.#end : end;
  }
}

const BLANK = 0x20;
const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const HASH = 0x23;
const DASH = 0x2d;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
