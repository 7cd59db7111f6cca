import { isMapping } from '../fields.ts';
import { MAX_PLAIN_DEPTH, readPlainYaml } from '../read-plain-yaml.ts';

/** The lists of a declarative document. */
export const listKeys = ['endpoints', 'consumers', 'grants'] as const;
export type ListKey = (typeof listKeys)[number];

/** One list of a document, with the offsets of its items. */
export interface ItemList {
  readonly key: ListKey;
  readonly keyOffset: number;
  readonly offset: number;
  /** Where each item begins, and behind the last one the end of the list. */
  readonly bounds: readonly number[];
}

/** A document cut into the items of its lists. */
export interface SplitText {
  /** Of `version: 1`; null when there is none. */
  readonly version: { readonly keyOffset: number; readonly offset: number } | null;
  /** `selector: { … }` on one line, with where it ends. */
  readonly selector: Selector | null;
  readonly lists: readonly ItemList[];
}

/** The labels that a document is for, all of them plain texts. */
export interface Selector {
  readonly keyOffset: number;
  readonly offset: number;
  readonly end: number;
  readonly value: object;
}

const TOP_LINE = /^(version: 1|endpoints:|consumers:|grants:|selector: \{.*\}) *(?: #.*)?$/;

/**
 * Cuts a YAML document at the items of its top-level lists, without reading them: null unless everything outside of
 * them is `version: 1`, `selector` on one line, the keys of the lists, and comments. Then a line with the indentation
 * of the first item that begins with `- ` begins an item: whatever belongs to an item, texts over several lines too, is
 * indented deeper (YAML 1.2 §8.2.1).
 */
export function splitBlockItems(text: string): SplitText | null {
  if (text.includes('\r') || text.includes('\t')) return null;
  const lists: { key: ListKey; keyOffset: number; offset: number; bounds: number[] }[] = [];
  let version: SplitText['version'] = null;
  let selector: SplitText['selector'] = null;
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
    } else if (found.startsWith(SELECTOR)) {
      const value = readPlainYaml(found.slice(SELECTOR.length))?.value;
      if (selector !== null || !isTexts(value)) return null;
      selector = { keyOffset: start, offset: start + SELECTOR.length, end: start + found.length, value };
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
  // A key without a list behind it is a problem that the YAML library reports.
  return lists.length === 0 || lists.some(({ bounds }) => bounds.length < 2) ? null : { version, selector, lists };
}

const SELECTOR = 'selector: ';

function isTexts(value: unknown): value is object {
  return isMapping(value) && Object.values(value).every((text) => typeof text === 'string');
}

/** A JSON document with the offsets in its text; null for all but JSON (RFC 8259) with the known keys, each once. */
export function splitJsonItems(text: string): { readonly split: SplitText; readonly value: object } | null {
  const value = parseJsonObject(text);
  if (value === null) return null;
  const { keyCount, depth, tops } = scanJson(text);
  if (depth > MAX_PLAIN_DEPTH || keyCount !== countKeys(value)) return null;
  const lists: ItemList[] = [];
  let version: SplitText['version'] = null;
  let selector: SplitText['selector'] = null;
  for (const [key, item] of Object.entries(value)) {
    const top = tops.find((each) => each.key === key);
    const listKey = listKeys.find((known) => known === key);
    if (top === undefined) return null;
    if (listKey !== undefined && Array.isArray(item)) lists.push({ ...top, key: listKey });
    else if (key === 'version' && item === 1) version = top;
    else if (key === 'selector' && isTexts(item))
      selector = { ...top, end: (top.bounds.at(-1) ?? top.offset) + 1, value: item };
    else return null;
  }
  return { split: { version, selector, lists }, value };
}

function parseJsonObject(text: string): object | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** How many keys a value holds in all; NaN with one that the prototype has. The value must not be deep. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countKeys(item), 0);
  return Object.entries(value).reduce(
    (sum, [key, item]) => (key === '__proto__' ? Number.NaN : sum + 1 + countKeys(item)),
    0,
  );
}

/** A key of the outermost object. */
interface Top {
  readonly key: string;
  readonly keyOffset: number;
  readonly offset: number;
  readonly bounds: number[];
}

/** Walks through a text that is known to be JSON: how many keys it has, how deep it is, and where its top keys lead. */
function scanJson(text: string): { readonly keyCount: number; readonly depth: number; readonly tops: readonly Top[] } {
  const tops: Top[] = [];
  let keyCount = 0;
  let level = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const start = at;
      at = closingQuote(text, start);
      const colon = skipSpace(text, at + 1);
      if (text.charCodeAt(colon) !== COLON) continue;
      keyCount += 1;
      if (level !== 1) continue;
      const key = JSON.parse(text.slice(start, at + 1)) as string;
      tops.push({ key, keyOffset: start, offset: skipSpace(text, colon + 1), bounds: [] });
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      level += 1;
      depth = Math.max(depth, level);
      const first = skipSpace(text, at + 1);
      if (level === 2 && text.charCodeAt(first) !== CLOSE_BRACKET) tops.at(-1)?.bounds.push(first);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (level === 2) tops.at(-1)?.bounds.push(at);
      level -= 1;
    } else if (code === COMMA && level === 2) {
      tops.at(-1)?.bounds.push(skipSpace(text, at + 1));
    }
  }
  return { keyCount, depth, tops };
}

function closingQuote(text: string, start: number): number {
  let at = start + 1;
  for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at)) at += code === BACKSLASH ? 2 : 1;
  return at;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) <= BLANK) at += 1;
  return at;
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
const QUOTE = 0x22;
const HASH = 0x23;
const COMMA = 0x2c;
const DASH = 0x2d;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
