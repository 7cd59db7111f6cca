import { decodeCanonicalBase64 } from '../text/encodings.ts';
import { skipBlanks } from '../text/http-grammar.ts';
import { type BareItem, type InnerList, type Item, noParameters, type Parameters } from './values.ts';

const KEY = /[a-z*][a-z0-9_.*-]*/y;
const NUMBER = /-?\d+(?:\.\d+)?/y;
const TOKEN = /[A-Za-z*][!#$%&'*+\-.^_`|~0-9A-Za-z:/]*/y;
const STRING = /"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/y;
const BYTES = /:[A-Za-z0-9+/=]*:/y;
const DIGITS = { integer: 15, whole: 12, fraction: 3 } as const;
const TRUE: BareItem = { type: 'boolean', value: true };
const FALSE: BareItem = { type: 'boolean', value: false };

/**
 * Reads the parts of a structured field (RFC 8941 §4.2) one after the other. Stricter than that document: a repeated
 * parameter and base64 that is not canonical are faults. After a fault, null is all that it gives.
 */
export class FieldReader {
  readonly #text: string;
  #at = 0;
  #fault: string | null = null;

  constructor(text: string) {
    this.#text = text;
    this.skipSpaces();
  }

  /** Where it reads next. */
  get at(): number {
    return this.#at;
  }

  /** Whether nothing is left. */
  isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** The first fault that was met; null for none. */
  get fault(): string | null {
    return this.#fault;
  }

  /** Notes a fault, unless there was one before. */
  fail(fault: string): null {
    this.#fault ??= fault;
    return null;
  }

  /** Whether this character is the next one. */
  isAt(character: string): boolean {
    return this.#text[this.#at] === character;
  }

  /** Takes this character when it is the next one. */
  take(character: string): boolean {
    const isThere = this.isAt(character);
    if (isThere) this.#at += 1;
    return isThere;
  }

  /** What was read from an index on. */
  textFrom(start: number): string {
    return this.#text.slice(start, this.#at);
  }

  skipSpaces(): void {
    while (this.isAt(' ')) this.#at += 1;
  }

  /** Optional white space, which may stand around the commas of lists and dictionaries. */
  skipBlanks(): void {
    this.#at = skipBlanks(this.#text, this.#at);
  }

  readKey(): string | null {
    return this.#match(KEY) ?? this.fail('has a key that is not lower case');
  }

  readItem(): Item | null {
    const bare = this.#readBareItem();
    const parameters = bare === null ? null : this.readParameters();
    return bare === null || parameters === null ? null : { bare, parameters };
  }

  /** An inner list with its parameters, of at most so many items. The next character is known to be `(`. */
  readInnerList(maxItems: number): InnerList | null {
    const items: Item[] = [];
    this.take('(');
    for (;;) {
      this.skipSpaces();
      if (this.take(')')) break;
      if (items.length === maxItems) return this.fail(`has a list of more than ${String(maxItems)} items`);
      const item = this.readItem();
      if (item === null) return null;
      items.push(item);
      if (!this.isAt(' ') && !this.isAt(')')) return this.fail('has a list whose items are not apart');
    }
    const parameters = this.readParameters();
    return parameters === null ? null : { items, parameters };
  }

  readParameters(): Parameters | null {
    let parameters: Map<string, BareItem> | null = null;
    while (this.take(';')) {
      this.skipSpaces();
      const key = this.readKey();
      const value = key === null ? null : this.take('=') ? this.#readBareItem() : TRUE;
      if (key === null || value === null) return null;
      parameters ??= new Map();
      if (parameters.has(key)) return this.fail('has a parameter twice');
      parameters.set(key, value);
    }
    return parameters ?? noParameters;
  }

  #readBareItem(): BareItem | null {
    const first = this.#text[this.#at] ?? '';
    switch (first) {
      case '"':
        return this.#readString();
      case ':':
        return this.#readBytes();
      case '?':
        return this.#readBoolean();
      default:
        return /[-\d]/.test(first) ? this.#readNumber() : this.#readToken();
    }
  }

  #readString(): BareItem | null {
    const quoted = this.#match(STRING);
    if (quoted === null) return this.fail('has a string that is not closed, or not printable ASCII');
    const inner = quoted.slice(1, -1);
    return { type: 'string', value: inner.includes('\\') ? inner.replaceAll(/\\(.)/g, '$1') : inner };
  }

  #readBytes(): BareItem | null {
    const text = this.#match(BYTES);
    const value = text === null ? null : decodeCanonicalBase64(text.slice(1, -1));
    return value === null
      ? this.fail('has bytes that are not canonical base64 between colons')
      : { type: 'bytes', value };
  }

  #readBoolean(): BareItem | null {
    this.take('?');
    if (this.take('1')) return TRUE;
    return this.take('0') ? FALSE : this.fail('has a boolean that is neither ?0 nor ?1');
  }

  #readNumber(): BareItem | null {
    const text = this.#match(NUMBER);
    if (text === null) return this.fail('has a number without digits');
    const [whole = '', fraction] = text.replace('-', '').split('.');
    if (whole.length > (fraction === undefined ? DIGITS.integer : DIGITS.whole))
      return this.fail('has a number that is too long');
    if (fraction === undefined)
      return this.isAt('.') ? this.fail('has a number that ends in a point') : { type: 'integer', value: Number(text) };
    return fraction.length > DIGITS.fraction
      ? this.fail('has a number that is too long')
      : { type: 'decimal', value: Number(text) };
  }

  #readToken(): BareItem | null {
    const value = this.#match(TOKEN);
    return value === null
      ? this.fail('has something that is no value of a structured field')
      : { type: 'token', value };
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    // No list of matches is made: most of the time of reading went there.
    if (!pattern.test(this.#text)) return null;
    const start = this.#at;
    this.#at = pattern.lastIndex;
    return this.#text.slice(start, this.#at);
  }
}
