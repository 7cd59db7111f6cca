import { type Bound, FieldFault, type Fields, isMapping, type MappingKind, NO_TEXT } from './fields.ts';
import { findNearestName } from './nearest-name.ts';
import type { DocumentPath } from './problem.ts';
import { placeIn, type Place, type ProblemLog } from './problem-log.ts';
import { UNREADABLE } from './yaml-tree.ts';

/** The values that were there and right. Something missing or faulty is absent; the fault has been reported. */
export type Values<F extends Fields> = { readonly [K in keyof F]?: Exclude<ReturnType<F[K]>, FieldFault> };

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
  for (const key of Object.keys(raw)) {
    const value = raw[key];
    if (value === undefined) continue;
    const field = Object.hasOwn(kind.fields, key) ? kind.fields[key] : undefined;
    const read = field?.(value);
    if (field === undefined) reportUnknownKey(key, place, kind, problems);
    else if (read instanceof FieldFault) reportFault(value, read, placeIn(place, key), problems);
    else {
      const excess = field.bound === undefined ? null : excessOf(read, field.bound, place, key);
      if (excess === null) values[key] = read;
      else reportFault(value, excess, placeIn(place, key), problems);
    }
  }
  for (const key of kind.required) {
    if (raw[key] === undefined) {
      problems.reportMissing(place, `"${key}" is missing; ${kind.what} needs it`);
    }
  }
  return values as Values<F>;
}

/** Nearly all values keep the bound of new ones: only for others it is looked up what the store has in their place. */
function excessOf(read: unknown, bound: Bound, place: Place, key: string): FieldFault | null {
  const excess = bound.excess(read, undefined);
  return excess === null ? null : bound.excess(read, storedAt(place, key));
}

/** What the store has in place of a value; undefined for nothing. */
function storedAt({ tree: { stored }, path }: Place, key: string): unknown {
  if (stored === undefined) return undefined;
  return [...path, key].reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? (value as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    stored,
  );
}

/** The values that have a default, with the default where there is none. */
export function withDefaults<D extends object>(values: Readonly<Record<string, unknown>>, defaults: D): D {
  const filled: Record<string, unknown> = {};
  for (const key of Object.keys(defaults)) {
    filled[key] = Object.hasOwn(values, key) ? values[key] : defaults[key as keyof D];
  }
  return filled as D;
}

/** Reads a list. An absent value is the empty list; another value is a problem and gives null. */
export function readList(raw: unknown, place: Place, problems: ProblemLog): readonly unknown[] | null {
  if (raw === undefined || raw === UNREADABLE) return [];
  if (Array.isArray(raw)) return raw as readonly unknown[];
  const why = raw === null ? 'has no value; write one, or remove the key' : `is ${typeWord(raw)}`;
  problems.report(place, `${subjectOf(place.path)} must be a list; it ${why}`);
  return null;
}

/** Whether a mapping has a key, with a right value or not. */
export function hasKey(raw: unknown, key: string): boolean {
  return isMapping(raw) && raw[key] !== undefined;
}

/** How messages name a value: `"hosts"`, or `item 2 of "hosts"`. */
export function subjectOf(path: DocumentPath): string {
  const last = path.at(-1);
  if (last === undefined) return 'the document';
  if (typeof last === 'string') return JSON.stringify(last);
  return `item ${String(last + 1)} of ${subjectOf(path.slice(0, -1))}`;
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
  problems.reportKey(place, key, () => describeUnknownKey(key, kind));
}

/** What is wrong with a key that a mapping does not have, for people. */
export function describeUnknownKey<F extends Fields>(key: string, kind: MappingKind<F>): string {
  const known = Object.keys(kind.fields);
  const begun = known.find((name) => key.startsWith(`${name}:`));
  if (begun !== undefined) return `a blank is missing after the colon of "${begun}" in ${kind.what}`;
  const nearest = findNearestName(key, known);
  const advice = nearest === null ? `known keys: ${known.join(', ')}` : `did you mean ${JSON.stringify(nearest)}?`;
  const isSlip = nearest !== null && PLAIN_WORD.test(key) && Math.abs(key.length - nearest.length) <= MAX_SLIP;
  return `unknown key ${isSlip ? `"${key}" ` : ''}in ${kind.what}; ${advice}`;
}

function reportFault(raw: unknown, fault: FieldFault, place: Place, problems: ProblemLog): void {
  if (raw === UNREADABLE) return;
  if (fault.inside.length === 0) problems.report(place, `${subjectOf(place.path)} ${faultMessage(raw, fault, place)}`);
  for (const { key, fault: each } of fault.inside) {
    const value = (raw as Readonly<Record<string | number, unknown>>)[key];
    if (value === UNREADABLE) continue;
    const at = placeIn(place, key);
    // Keys that a document chose, those of labels, are not repeated.
    const subject = typeof key === 'number' ? subjectOf(at.path) : `a value in ${subjectOf(place.path)}`;
    problems.report(at, `${subject} ${faultMessage(value, each, place)}`);
  }
}

/** No value is repeated, it may be a secret. */
function faultMessage(raw: unknown, fault: FieldFault, { tree }: Place): string {
  const { message, choices, isOtherType } = fault;
  if (raw === null) return 'has no value; write one, or remove the key';
  const nearest =
    typeof raw === 'string'
      ? findNearestName(
          raw,
          choices.filter((each) => typeof each === 'string'),
        )
      : null;
  if (nearest !== null) return `${message}; did you mean ${JSON.stringify(nearest)}?`;
  if (!isOtherType) return message;
  const isUnquoted = tree.isPlain !== true && (typeof raw === 'number' || typeof raw === 'boolean');
  if (fault === NO_TEXT && isUnquoted) return `must be a text, but YAML reads this as ${typeWord(raw)}: quote it`;
  return `${message}; it is ${typeWord(raw)}`;
}

function typeWord(raw: unknown): string {
  if (raw === null) return 'empty';
  if (Array.isArray(raw)) return 'a list';
  if (typeof raw === 'object') return isMapping(raw) ? 'a mapping' : 'of another type';
  if (typeof raw === 'boolean') return `the boolean ${String(raw)}`;
  if (typeof raw === 'string') return 'a text';
  return typeof raw === 'number' ? 'a number' : 'of another type';
}
