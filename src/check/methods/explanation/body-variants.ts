import type { Mistake } from './explainer.ts';
import { parseJson } from '../../../model/document/json.ts';

/** A body that a caller may have had in hand instead of the one that was sent. */
interface BodyVariant extends Pick<Mistake, 'name' | 'what'> {
  readonly bytes: Buffer;
}

/** Larger bodies are not rewritten. */
const MAX_REWRITTEN_BYTES = 1024 * 1024;

/** The bodies that one is often mistaken for, likely ones first; none that is the same. */
export function bodyVariants(body: Buffer): readonly BodyVariant[] {
  if (body.length > MAX_REWRITTEN_BYTES) return [];
  const text = body.toString('utf8');
  const variants = [
    ...['\n', '\r\n'].map((end) => variant('body-line-feed', 'with a line feed at its end', text + end)),
    variant('body-line-feed', 'without the line feed at its end', text.replace(/\r?\n$/, '')),
    ...formatJson(text).map((written) =>
      variant('body-reformatted', 'as JSON that was formatted in another way', written),
    ),
    ...sortJson(text).map((written) => variant('body-reformatted', 'as JSON with its keys in another order', written)),
    variant('body-line-ends', 'with LF for CRLF', text.replaceAll('\r\n', '\n')),
    variant('body-line-ends', 'with CRLF for LF', text.replaceAll(/\r?\n/g, '\r\n')),
    variant('body-empty', 'empty', ''),
    variant('body-byte-order-mark', 'with a byte order mark', `\ufeff${text}`),
    variant('body-byte-order-mark', 'without its byte order mark', text.replace(/^\ufeff/, '')),
    { name: 'body-latin1', what: 'in Latin-1 instead of UTF-8', bytes: Buffer.from(text, 'latin1') },
  ];
  return variants.filter(({ bytes }) => !bytes.equals(body));
}

function variant(name: string, what: string, text: string): BodyVariant {
  return { name, what, bytes: Buffer.from(text, 'utf8') };
}

const WORD = /"(?:[^"\\]|\\[^])*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const MAX_DEPTH = 64;
/** Longer texts are not written in every style with every spelling. */
const MAX_THOROUGH_CHARACTERS = 65_536;

interface Style {
  readonly comma: string;
  readonly colon: string;
  /** What each level is indented by; null for one line. */
  readonly indent: string | null;
}

const STYLES: readonly Style[] = [
  { comma: ',', colon: ':', indent: null },
  { comma: ', ', colon: ': ', indent: null },
  { comma: ',', colon: ': ', indent: '  ' },
  { comma: ',', colon: ': ', indent: '    ' },
  { comma: ',', colon: ': ', indent: '\t' },
  { comma: ', ', colon: ':', indent: null },
  { comma: ',', colon: ': ', indent: null },
];

/** How JSON libraries write the same text of a string: as it stands, plain, ASCII only, with `\/`, both. */
const SPELLINGS: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => respell(word, (text) => text),
  (word) => respell(word, asciiOnly),
  (word) => respell(word, (text) => text.replaceAll('/', '\\/')),
  (word) => respell(word, (text) => asciiOnly(text).replaceAll('/', '\\/')),
];

/**
 * The other ways in which common libraries write this JSON; none for other text. Numbers and the order of
 * keys stay as they are.
 */
function formatJson(text: string): readonly string[] {
  if (parseJson(text) === undefined) return [];
  const words = text.match(WORD) ?? [];
  const written = new Set<string>();
  const isLarge = text.length > MAX_THOROUGH_CHARACTERS;
  for (const [index, spell] of SPELLINGS.entries()) {
    const spelled = words.map((word) => (word.startsWith('"') ? spell(word) : word));
    for (const style of isLarge && index > 0 ? STYLES.slice(0, 1) : STYLES) {
      const whole = write(spelled, style);
      if (whole !== null) written.add(whole);
    }
  }
  const reprinted = JSON.stringify(parseJson(text));
  return [...written, reprinted].filter((candidate) => candidate !== text);
}

/** The same with the keys of objects sorted, in one line and indented; none for a text that is not JSON or too deep. */
function sortJson(text: string): readonly string[] {
  const sorted = sortKeys(parseJson(text), 0);
  if (sorted === undefined) return [];
  return [JSON.stringify(sorted), JSON.stringify(sorted, null, 2)].filter((candidate) => candidate !== text);
}

function write(words: readonly string[], { comma, colon, indent }: Style): string | null {
  const parts: string[] = [];
  let depth = 0;
  const breakLine = (): string => (indent === null ? '' : `\n${indent.repeat(depth)}`);
  for (const [index, word] of words.entries()) {
    const before = words[index - 1] ?? '';
    if (word === '{' || word === '[') {
      depth += 1;
      if (depth > MAX_DEPTH) return null;
      const isEmpty = /^[}\]]$/.test(words[index + 1] ?? '');
      parts.push(word, isEmpty ? '' : breakLine());
    } else if (word === '}' || word === ']') {
      depth -= 1;
      parts.push(before === '{' || before === '[' ? '' : breakLine(), word);
    } else if (word === ',') parts.push(comma, breakLine());
    else parts.push(word === ':' ? colon : word);
  }
  return parts.join('');
}

function respell(word: string, change: (text: string) => string): string {
  return change(JSON.stringify(parseJson(word) ?? ''));
}

function asciiOnly(text: string): string {
  return text.replaceAll(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function sortKeys(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return value.map((item) => sortKeys(item, depth + 1));
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sortKeys((value as Record<string, unknown>)[name], depth + 1)]));
}
