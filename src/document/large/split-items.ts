import { FlowScanner, NOT_PLAIN } from './flow-scanner.ts';

/** The lists of a declarative document. */
export const listKeys = ['endpoints', 'consumers', 'grants'] as const;
export type ListKey = (typeof listKeys)[number];

/** One list of a document, with the offsets of its items. */
export interface ItemList {
  readonly key: ListKey;
  readonly keyOffset: number;
  /** Of the list itself. */
  readonly offset: number;
  /** Where each item begins, and behind the last one the end of the list. */
  readonly bounds: readonly number[];
}

/** A document cut into the items of its lists. */
export interface SplitText {
  /** Of `version: 1`; null when there is none. */
  readonly version: { readonly keyOffset: number; readonly offset: number } | null;
  readonly lists: readonly ItemList[];
}

const TOP_LINE = /^(version: 1|endpoints:|consumers:|grants:) *(?: #.*)?$/;

/**
 * Cuts a YAML document at the items of its top-level lists, without reading them: null unless everything outside of them
 * is `version: 1`, the keys of the lists, and comments. Then a line with the indentation of the first item that begins
 * with `- ` begins an item: whatever belongs to an item, texts over several lines too, is indented deeper (YAML 1.2 §8.2.1).
 */
export function splitBlockItems(text: string): SplitText | null {
  if (text.includes('\r') || text.includes('\t')) return null;
  const lists: { key: ListKey; keyOffset: number; offset: number; bounds: number[] }[] = [];
  let version: SplitText['version'] = null;
  let list: (typeof lists)[number] | null = null;
  let indent = -1;
  for (let start = 0, next = 0; start < text.length; start = next) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    next = end + 1;
    const content = contentOffset(text, start, end);
    const column = content - start;
    if (list !== null && indent !== -1 && column > indent) continue;
    if (content === end || text.charCodeAt(content) === HASH) continue;
    if (list !== null && isDash(text, content, end) && (indent === -1 || column === indent)) {
      indent = column;
      if (list.bounds.length === 0) list.offset = content;
      list.bounds.push(start);
      continue;
    }
    const [, found] = TOP_LINE.exec(text.slice(start, end)) ?? [];
    if (found === undefined) return null;
    list?.bounds.push(start);
    if (found === 'version: 1') {
      if (version !== null) return null;
      version = { keyOffset: start, offset: start + 'version: '.length };
      list = null;
    } else {
      const key = listKeys.find((known) => found === `${known}:`);
      if (key === undefined || lists.some((each) => each.key === key)) return null;
      list = { key, keyOffset: start, offset: start, bounds: [] };
      lists.push(list);
    }
    indent = -1;
  }
  list?.bounds.push(text.length);
  // A key without a list behind it is a problem that the YAML library tells.
  return lists.length === 0 || lists.some(({ bounds }) => bounds.length < 2) ? null : { version, lists };
}

/** A JSON document, read: its lists with their items. Null for everything but JSON with the known keys. */
export function splitJsonItems(
  text: string,
): { readonly split: SplitText; readonly items: ReadonlyMap<ListKey, readonly unknown[]> } | null {
  const scanner = new FlowScanner(text, 0, text.length, { isJson: true });
  const lists: ItemList[] = [];
  const items = new Map<ListKey, readonly unknown[]>();
  let version: SplitText['version'] = null;
  if (!scanner.take(OPEN_BRACE)) return null;
  do {
    scanner.skipSpace();
    const keyOffset = scanner.at;
    const key = scanner.readKey();
    scanner.skipSpace();
    const offset = scanner.at;
    const known = listKeys.find((each) => each === key);
    if (key === 'version' && version === null) {
      if (scanner.read() !== 1) return null;
      version = { keyOffset, offset };
    } else {
      if (known === undefined || items.has(known)) return null;
      const read = readItems(scanner);
      if (read === null) return null;
      lists.push({ key: known, keyOffset, offset, bounds: read.bounds });
      items.set(known, read.values);
    }
  } while (scanner.take(COMMA));
  if (!scanner.take(CLOSE_BRACE)) return null;
  scanner.skipSpace();
  return scanner.at === text.length ? { split: { version, lists }, items } : null;
}

function readItems(
  scanner: FlowScanner,
): { readonly values: readonly unknown[]; readonly bounds: readonly number[] } | null {
  const values: unknown[] = [];
  const bounds: number[] = [];
  if (!scanner.take(OPEN_BRACKET)) return null;
  if (scanner.take(CLOSE_BRACKET)) return { values, bounds: [scanner.at] };
  do {
    scanner.skipSpace();
    bounds.push(scanner.at);
    const value = scanner.read();
    if (value === NOT_PLAIN) return null;
    values.push(value);
  } while (scanner.take(COMMA));
  if (!scanner.take(CLOSE_BRACKET)) return null;
  return { values, bounds: [...bounds, scanner.at - 1] };
}

function contentOffset(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && text.charCodeAt(at) === BLANK) at += 1;
  return at;
}

function isDash(text: string, at: number, end: number): boolean {
  return text.charCodeAt(at) === DASH && (at + 1 === end || text.charCodeAt(at + 1) === BLANK);
}

const BLANK = 0x20;
const HASH = 0x23;
const COMMA = 0x2c;
const DASH = 0x2d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
