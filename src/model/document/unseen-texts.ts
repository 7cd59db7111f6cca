import { unseenIn } from '../../base/text/unseen.ts';
import { isMapping } from './fields.ts';
import { type DocumentPath, formatPath, quoted } from './problem.ts';
import { placeIn, type Place, type ProblemLog } from './problem-log.ts';
import type { PlainProblem } from './read-plain.ts';

/** What a text of several lines may hold of them. */
const OF_LINES = /\r\n|[\n\t]/g;

/** Fields whose texts may have several lines. */
const LINED: readonly string[] = ['description'];
/** Not for people; each has a rule of its own. */
const PASSED_OVER: readonly string[] = ['credentials'];

/** No resource nests deeper. */
const MAX_DEPTH = 8;

interface UnseenText {
  readonly path: DocumentPath;
  readonly message: string;
}

/**
 * Reports every text and key of something that is written, and holds a character that nobody sees. What a store has is
 * not looked at: it may be older than this rule.
 */
export function reportUnseen(raw: unknown, place: Place, problems: ProblemLog): void {
  for (const { path, message } of findUnseen(raw, [])) problems.report(placeIn(place, ...path), message);
}

/** The same for a plain value, such as the body of a request. */
export function unseenTexts(raw: unknown): readonly PlainProblem[] {
  return [...findUnseen(raw, [])].map(({ path, message }) => ({ path: formatPath(path), message }));
}

function* findUnseen(value: unknown, path: DocumentPath): Generator<UnseenText> {
  if (typeof value === 'string') yield* unseen(isLined(path) ? value.replaceAll(OF_LINES, '') : value, path, 'value');
  else if (path.length >= MAX_DEPTH) return;
  else if (Array.isArray(value)) for (const [at, item] of value.entries()) yield* findUnseen(item, [...path, at]);
  else if (isMapping(value)) {
    for (const [key, item] of Object.entries(value)) {
      // Null takes something away, such as a label that is older than this rule.
      if (item === null || (path.length === 0 && PASSED_OVER.includes(key))) continue;
      yield* unseen(key, [...path, key], 'key');
      yield* findUnseen(item, [...path, key]);
    }
  }
}

function* unseen(text: string, path: DocumentPath, what: 'key' | 'value'): Generator<UnseenText> {
  const found = unseenIn(text);
  if (found === null) return;
  const [field, ...inside] = path;
  const isField = what === 'value' && inside.length === 0;
  const subject = isField
    ? quoted(String(field))
    : `a ${what}${inside.length === 0 ? '' : ` in ${quoted(String(field))}`}`;
  yield { path, message: `${subject} holds the character ${found}, which nobody sees: remove it` };
}

function isLined(path: DocumentPath): boolean {
  return path.length === 1 && LINED.includes(String(path[0]));
}
