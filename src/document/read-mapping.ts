import type { z } from 'zod';
import { findNearestName } from './nearest-name.ts';
import type { DocumentPath } from './problem.ts';
import { placeIn, type Place, type ProblemLog } from './problem-log.ts';
import { UNREADABLE } from './yaml-tree.ts';

/** The keys that a mapping may have, each with the schema of its value. */
export type Fields = Readonly<Record<string, z.ZodType>>;

/** The values that were there and right. Something missing or faulty is absent; the fault has been reported. */
export type Values<F extends Fields> = { readonly [K in keyof F]?: z.output<F[K]> };

/** What a mapping is, for messages, and the keys it cannot do without. */
export interface MappingKind<F extends Fields> {
  /** With its article: `an endpoint`. */
  readonly what: string;
  readonly fields: F;
  readonly required: readonly (keyof F & string)[];
}

/**
 * Reads a mapping key by key, so that one faulty value hides no other problem.
 * Null, and a problem, when the value is no mapping at all. A value whose own fault is known is passed over.
 */
export function readMapping<F extends Fields>(
  raw: unknown,
  place: Place,
  kind: MappingKind<F>,
  problems: ProblemLog,
): Values<F> | null {
  if (raw === UNREADABLE) return null;
  if (!isMapping(raw)) {
    const why = raw === null ? 'has no value' : `is ${typeWord(raw)}`;
    problems.report(place, `${subjectOf(place.path)} must be a mapping (key: value); it ${why}`);
    return null;
  }
  const values: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw)) {
    const schema = Object.hasOwn(kind.fields, key) ? kind.fields[key] : undefined;
    if (schema === undefined) reportUnknownKey(key, place, kind, problems);
    else readValue(key, value, schema, place, problems, values);
  }
  for (const key of kind.required) {
    if (!Object.hasOwn(raw, key)) {
      problems.report(place, `"${key}" is missing; ${kind.what} needs it`, { absentFrom: 'file' });
    }
  }
  return values as Values<F>;
}

/** Reads a list; null, and a problem, when the value is none. Absent is the empty list. */
export function readList(raw: unknown, place: Place, problems: ProblemLog): readonly unknown[] | null {
  if (raw === undefined || raw === UNREADABLE) return [];
  if (Array.isArray(raw)) return raw as readonly unknown[];
  const why = raw === null ? 'has no value; write one, or remove the key' : `is ${typeWord(raw)}`;
  problems.report(place, `${subjectOf(place.path)} must be a list; it ${why}`);
  return null;
}

/** How messages name a value: `"hosts"`, or `item 2 of "hosts"`. */
export function subjectOf(path: DocumentPath): string {
  const last = path.at(-1);
  if (last === undefined) return 'the document';
  if (typeof last === 'string') return JSON.stringify(last);
  return `item ${String(last + 1)} of ${subjectOf(path.slice(0, -1))}`;
}

/** The same for a value inside the one of a known key: keys that a document chose, those of labels, are not repeated. */
function subjectIn(key: string, path: DocumentPath): string {
  const isChosen = path.slice(1).some((step) => typeof step === 'string');
  return isChosen ? `a value in ${JSON.stringify(key)}` : subjectOf(path);
}

/** `"a", "b" or "c"`; numbers stand as they are. */
export function alternatives(values: readonly unknown[]): string {
  const quoted = values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value)));
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}

function isMapping(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}

const PLAIN_WORD = /^[A-Za-z_-]+$/;
/** Letters too many or too few in a key that is repeated. */
const MAX_SLIP = 2;

/** Only a misspelt name is repeated: any other key may be a secret, with a colon too many or a blank too few. */
function reportUnknownKey<F extends Fields>(
  key: string,
  place: Place,
  kind: MappingKind<F>,
  problems: ProblemLog,
): void {
  const word = (): string => {
    const known = Object.keys(kind.fields);
    const begun = known.find((name) => key.startsWith(`${name}:`));
    if (begun !== undefined) return `a blank is missing after the colon of "${begun}" in ${kind.what}`;
    const nearest = findNearestName(key, known);
    const advice = nearest === null ? `known keys: ${known.join(', ')}` : `did you mean ${JSON.stringify(nearest)}?`;
    const isSlip = nearest !== null && PLAIN_WORD.test(key) && Math.abs(key.length - nearest.length) <= MAX_SLIP;
    return `unknown key ${isSlip ? `"${key}" ` : ''}in ${kind.what}; ${advice}`;
  };
  problems.report(placeIn(place, key), word, { part: 'key' });
}

function readValue(
  key: string,
  value: unknown,
  schema: z.ZodType,
  place: Place,
  problems: ProblemLog,
  values: Record<string, unknown>,
): void {
  const result = schema.safeParse(value);
  if (result.success) {
    values[key] = result.data;
    return;
  }
  for (const issue of result.error.issues) {
    const path = [key, ...issue.path.filter((step) => typeof step !== 'symbol')];
    const at = placeIn(place, ...path);
    const faulty = valueAt({ [key]: value }, path);
    if (faulty !== UNREADABLE) problems.report(at, `${subjectIn(key, path)} ${describeIssue(issue, faulty, place)}`);
  }
}

/** Schemas word their own rules; types and closed lists are worded here. No value is repeated, it may be a secret. */
function describeIssue(issue: z.core.$ZodIssue, raw: unknown, { tree }: Place): string {
  if (raw === null) return 'has no value; write one, or remove the key';
  if (issue.code === 'invalid_value') {
    const names = issue.values.filter((value) => typeof value === 'string');
    const nearest = typeof raw === 'string' ? findNearestName(raw, names) : null;
    return `must be ${alternatives(issue.values)}${nearest === null ? '' : `; did you mean ${JSON.stringify(nearest)}?`}`;
  }
  if (issue.code !== 'invalid_type') return issue.message;
  const isUnquoted = tree.isPlain !== true && (typeof raw === 'number' || typeof raw === 'boolean');
  if (issue.expected === 'string' && isUnquoted) {
    return `must be a text, but YAML reads this as ${typeWord(raw)}: quote it`;
  }
  return `must be ${expectedWord(issue.expected)}; it is ${typeWord(raw)}`;
}

function valueAt(root: unknown, path: DocumentPath): unknown {
  let value = root;
  for (const step of path) value = (value as Readonly<Record<string | number, unknown>>)[step];
  return value;
}

function typeWord(raw: unknown): string {
  if (raw === null) return 'empty';
  if (Array.isArray(raw)) return 'a list';
  if (typeof raw === 'object') return 'a mapping';
  if (typeof raw === 'boolean') return `the boolean ${String(raw)}`;
  return typeof raw === 'string' ? 'a text' : 'a number';
}

function expectedWord(expected: string): string {
  const words: Readonly<Record<string, string>> = {
    string: 'a text',
    number: 'a number',
    boolean: 'true or false',
    array: 'a list',
    record: 'a mapping (key: value)',
    object: 'a mapping (key: value)',
  };
  return words[expected] ?? expected;
}
