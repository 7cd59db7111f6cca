/** Stands for "not as simple as that": the YAML library has to read it. */
export const NOT_PLAIN: unique symbol = Symbol('not plain');

const LINE_FEED = 0x0a;
const BLANK = 0x20;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** What {@link FlowScanner} reads. */
export interface FlowRules {
  /** JSON spans lines and has no texts without quotes; a flow of YAML is read on one line only. */
  readonly isJson: boolean;
}

/** Deeper than any declarative document; reading recurses. */
const MAX_DEPTH = 16;

/**
 * Reads JSON (RFC 8259), or the part of YAML's flow style that everybody writes: lists, mappings, and scalars that mean
 * the same in every YAML. Whatever else there is gives {@link NOT_PLAIN}, so that a value it gives is what the YAML
 * library would have given.
 */
export class FlowScanner {
  readonly #text: string;
  readonly #end: number;
  readonly #isJson: boolean;
  at: number;

  constructor(text: string, start: number, end: number, { isJson }: FlowRules) {
    this.#text = text;
    this.#end = end;
    this.#isJson = isJson;
    this.at = start;
  }

  /** Reads a value and stands behind it. */
  read(depth = 0): unknown {
    this.skipSpace();
    const code = this.#text.charCodeAt(this.at);
    if (this.at >= this.#end || depth > MAX_DEPTH) return NOT_PLAIN;
    if (code === OPEN_BRACE) return this.#readMapping(depth);
    if (code === OPEN_BRACKET) return this.#readList(depth);
    if (code === QUOTE) return this.#readQuoted();
    return this.#isJson ? this.#readJsonWord() : this.#readPlain(code);
  }

  /** Takes a character that stands next after space. */
  take(code: number): boolean {
    this.skipSpace();
    if (this.at >= this.#end || this.#text.charCodeAt(this.at) !== code) return false;
    this.at += 1;
    return true;
  }

  skipSpace(): void {
    for (; this.at < this.#end; this.at += 1) {
      const code = this.#text.charCodeAt(this.at);
      if (code !== BLANK && !(this.#isJson && (code === LINE_FEED || code === 0x0d || code === 0x09))) return;
    }
  }

  #readList(depth: number): unknown {
    this.at += 1;
    const list: unknown[] = [];
    if (this.take(CLOSE_BRACKET)) return list;
    do {
      const value = this.read(depth + 1);
      if (value === NOT_PLAIN) return NOT_PLAIN;
      list.push(value);
    } while (this.take(COMMA));
    return this.take(CLOSE_BRACKET) ? list : NOT_PLAIN;
  }

  #readMapping(depth: number): unknown {
    this.at += 1;
    const mapping: Record<string, unknown> = {};
    if (this.take(CLOSE_BRACE)) return mapping;
    do {
      const key = this.readKey();
      if (key === NOT_PLAIN || Object.hasOwn(mapping, key)) return NOT_PLAIN;
      const value = this.read(depth + 1);
      if (value === NOT_PLAIN) return NOT_PLAIN;
      mapping[key] = value;
    } while (this.take(COMMA));
    return this.take(CLOSE_BRACE) ? mapping : NOT_PLAIN;
  }

  /** Reads a key with its colon. */
  readKey(): string | typeof NOT_PLAIN {
    this.skipSpace();
    const key = this.#text.charCodeAt(this.at) === QUOTE ? this.#readQuoted() : this.#readPlainKey();
    if (typeof key !== 'string' || key === '__proto__' || !this.take(COLON)) return NOT_PLAIN;
    return this.#isJson || this.#text.charCodeAt(this.at) === BLANK ? key : NOT_PLAIN;
  }

  #readPlainKey(): unknown {
    if (this.#isJson) return NOT_PLAIN;
    PLAIN_KEY.lastIndex = this.at;
    const [key = ''] = PLAIN_KEY.exec(this.#text) ?? [];
    this.at += key.length;
    return key === '' || RESERVED.test(key) ? NOT_PLAIN : key;
  }

  #readQuoted(): unknown {
    const start = this.at + 1;
    let end = start;
    let isEscaped = false;
    for (; end < this.#end; end += 1) {
      const code = this.#text.charCodeAt(end);
      if (code === QUOTE) break;
      if (code < BLANK) return NOT_PLAIN;
      if (code !== 0x5c) continue;
      isEscaped = true;
      end += 1;
    }
    if (end >= this.#end) return NOT_PLAIN;
    this.at = end + 1;
    if (!isEscaped) return this.#text.slice(start, end);
    return this.#isJson ? parseJson(this.#text.slice(start - 1, end + 1)) : NOT_PLAIN;
  }

  #readJsonWord(): unknown {
    JSON_WORD.lastIndex = this.at;
    const [word = ''] = JSON_WORD.exec(this.#text) ?? [];
    this.at += word.length;
    return word === '' ? NOT_PLAIN : parseJson(word);
  }

  #readPlain(first: number): unknown {
    if (first === APOSTROPHE) return NOT_PLAIN;
    PLAIN_IN_FLOW.lastIndex = this.at;
    const [found = ''] = PLAIN_IN_FLOW.exec(this.#text) ?? [];
    this.at += found.length;
    return readPlainScalar(found.trimEnd());
  }
}

const PLAIN_KEY = /[A-Za-z][\w-]*/y;
const PLAIN_IN_FLOW = /[\w./@+][\w./@+: -]*/y;
const JSON_WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Words that YAML's core schema does not read as texts. */
const RESERVED = /^(?:null|true|false)$/i;
const TEXT = /^[A-Za-z_/](?:[\w./@+ -]*[\w./@+-])?$/;
const NUMBER = /^(?:0|[1-9]\d{0,14})$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** Begins with digits, and is neither a number with an exponent nor one in base 8 or 16: many App Keys. */
const TEXT_AFTER_DIGITS = /^(?!0[ox])\d+[A-DF-Za-df-z_][\w-]*$/;

/** A scalar without quotes that means the same wherever it stands. */
export function readPlainScalar(text: string): unknown {
  if (TEXT.test(text)) {
    if (!RESERVED.test(text)) return text;
    return text === 'true' ? true : text === 'false' ? false : NOT_PLAIN;
  }
  if (NUMBER.test(text)) return Number(text);
  return TEXT_AFTER_DIGITS.test(text) || TIME.test(text) ? text : NOT_PLAIN;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return NOT_PLAIN;
    throw error;
  }
}
