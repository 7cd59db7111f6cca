/** A bare item of RFC 8941 §3.3 as far as it matters here; other kinds are `other`. */
export type BareItem =
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'other' };

/** An item with its parameters. */
export interface Item {
  readonly bare: BareItem;
  readonly parameters: ReadonlyMap<string, BareItem>;
}

/** A member of a dictionary: `items` is null for one that is no inner list. */
export interface Member {
  readonly items: readonly Item[] | null;
  readonly parameters: ReadonlyMap<string, BareItem>;
}

const KEY = /[a-z*][a-z0-9_.*-]*/y;
const STRING = /"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/y;
const BOOLEAN = /\?([01])/y;
const OTHER = /(?:-?(?:\d{1,12}\.\d{1,3}|\d{1,15})(?![\d.])|[A-Za-z*][A-Za-z0-9:/!#$%&'*+.^_`|~-]*|:[A-Za-z0-9+/=]*:)/y;

/** Reads a dictionary (RFC 8941 §4.2.2), of a key that stands there twice the last; null when it does not parse. */
export function readDictionary(text: string): ReadonlyMap<string, Member> | null {
  return new Reader(text).dictionary();
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  dictionary(): ReadonlyMap<string, Member> | null {
    const members = new Map<string, Member>();
    this.#skip(' ');
    while (!this.#isAtEnd()) {
      const key = this.#match(KEY)?.[0];
      const member = key === undefined ? null : this.#member();
      if (key === undefined || member === null) return null;
      members.set(key, member);
      this.#skip(' \t');
      if (this.#isAtEnd()) return members;
      if (!this.#take(',')) return null;
      this.#skip(' \t');
      if (this.#isAtEnd()) return null;
    }
    return members;
  }

  #member(): Member | null {
    if (!this.#take('=')) {
      const parameters = this.#parameters();
      return parameters === null ? null : { items: null, parameters };
    }
    const items = this.#take('(') ? this.#innerList() : this.#bare() === null ? undefined : null;
    const parameters = items === undefined ? null : this.#parameters();
    return items === undefined || parameters === null ? null : { items, parameters };
  }

  #innerList(): readonly Item[] | undefined {
    const items: Item[] = [];
    for (;;) {
      this.#skip(' ');
      if (this.#take(')')) return items;
      const bare = this.#bare();
      const parameters = bare === null ? null : this.#parameters();
      const next = this.#text[this.#at];
      if (bare === null || parameters === null || (next !== ' ' && next !== ')')) return undefined;
      items.push({ bare, parameters });
    }
  }

  #parameters(): ReadonlyMap<string, BareItem> | null {
    const parameters = new Map<string, BareItem>();
    while (this.#take(';')) {
      this.#skip(' ');
      const key = this.#match(KEY)?.[0];
      if (key === undefined) return null;
      const bare: BareItem | null = this.#take('=') ? this.#bare() : { kind: 'boolean', value: true };
      if (bare === null) return null;
      parameters.set(key, bare);
    }
    return parameters;
  }

  #bare(): BareItem | null {
    const [, string] = this.#match(STRING) ?? [];
    if (string !== undefined) return { kind: 'string', value: string.replaceAll(/\\(.)/g, '$1') };
    const [, boolean] = this.#match(BOOLEAN) ?? [];
    if (boolean !== undefined) return { kind: 'boolean', value: boolean === '1' };
    return this.#match(OTHER) === null ? null : { kind: 'other' };
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skip(characters: string): void {
    while (!this.#isAtEnd() && characters.includes(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }
}
