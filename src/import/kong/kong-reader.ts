import { findNearestName } from '../../document/nearest-name.ts';
import { type Place, placeIn, type ProblemLog } from '../../document/problem-log.ts';
import { subjectOf } from '../../document/read-mapping.ts';
import type { KongValues } from '../../methods/kong.ts';
import { quoted } from '../../document/problem.ts';

/** A value of Kong's file and where it stands. */
interface KongValue {
  readonly raw: unknown;
  readonly place: Place;
}

/** A mapping of Kong's file: an entity, or the `config` of a plugin. */
export interface KongMapping {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly place: Place;
}

/** Reads values of the types that Kong's schemas have. What has another type is a problem, and Kong refuses it too. */
export interface KongReader {
  /** A mapping itself; null, and a problem, for anything else. */
  mapping(value: KongValue): KongMapping | null;
  /** The mapping under a key; null when it is absent. */
  mappingIn(entity: KongMapping, key: string): KongMapping | null;
  /** The items of the list under a key; none when it is absent. */
  items(entity: KongMapping, key: string): readonly KongValue[];
  /** The mappings of the list under a key. */
  mappings(entity: KongMapping, key: string): readonly KongMapping[];
  text(entity: KongMapping, key: string): string | null;
  texts(entity: KongMapping, key: string): readonly string[];
  flag(entity: KongMapping, key: string, absent: boolean): boolean;
  number(entity: KongMapping, key: string): number | null;
  /** What another entity is named by: a text, or a mapping with its `id`, `name` or `username`. */
  reference(entity: KongMapping, key: string): string | null;
}

/** A reader that reports to this log. No message repeats a value: it may be a secret. */
export function kongReader(problems: ProblemLog): KongReader {
  const mistaken = (place: Place, expected: string): null => {
    problems.report(place, `${subjectOf(place.path)} must be ${expected}, as in Kong`);
    return null;
  };
  const mapping = ({ raw, place }: KongValue): KongMapping | null =>
    isMapping(raw) ? { raw, place } : mistaken(place, 'a mapping (key: value)');
  const items = (entity: KongMapping, key: string): readonly KongValue[] => {
    const { raw, place } = valueIn(entity, key);
    if (raw === null) return [];
    if (Array.isArray(raw)) return raw.map((item: unknown, index) => ({ raw: item, place: placeIn(place, index) }));
    // Kong writes an empty list as {} when it exports to JSON.
    if (isMapping(raw) && Object.keys(raw).length === 0) return [];
    mistaken(place, 'a list');
    return [];
  };
  const text = (entity: KongMapping, key: string): string | null => {
    const { raw, place } = valueIn(entity, key);
    if (raw === null || typeof raw === 'string') return raw;
    return mistaken(place, 'a text: quote it');
  };
  return {
    mapping,
    mappingIn: (entity, key) => {
      const value = valueIn(entity, key);
      return value.raw === null ? null : mapping(value);
    },
    items,
    mappings: (entity, key) => items(entity, key).flatMap((item) => mapping(item) ?? []),
    text,
    texts: (entity, key) =>
      items(entity, key).flatMap(({ raw, place }) => {
        if (typeof raw === 'string') return raw;
        mistaken(place, 'a text: quote it');
        return [];
      }),
    flag: (entity, key, absent) => {
      const { raw, place } = valueIn(entity, key);
      if (typeof raw === 'boolean') return raw;
      if (raw !== null) mistaken(place, 'true or false');
      return absent;
    },
    number: (entity, key) => {
      const { raw, place } = valueIn(entity, key);
      if (raw === null) return null;
      return typeof raw === 'number' && Number.isFinite(raw) ? raw : mistaken(place, 'a number');
    },
    reference: (entity, key) => {
      const value = valueIn(entity, key);
      if (value.raw === null || typeof value.raw === 'string') return value.raw;
      const target = mapping(value);
      if (target === null) return null;
      return (
        text(target, 'id') ??
        text(target, 'name') ??
        text(target, 'username') ??
        mistaken(value.place, 'the name or id of an entity')
      );
    },
  };
}

/** The values of one entity. */
export function valuesOf(entity: KongMapping, reader: KongReader): KongValues {
  return {
    text: (key) => reader.text(entity, key),
    texts: (key) => reader.texts(entity, key),
    flag: (key, absent) => reader.flag(entity, key, absent),
    number: (key) => reader.number(entity, key),
  };
}

/** The value under a key. What is absent or `null` is null, which Kong takes for absent too. */
function valueIn({ raw, place }: KongMapping, key: string): KongValue {
  return { raw: (Object.hasOwn(raw, key) ? raw[key] : null) ?? null, place: placeIn(place, key) };
}

/** The keys that every entity of Kong can have. */
export const commonKeys = ['id', 'created_at', 'updated_at', 'tags', 'ws_id'];

/** Whether a mapping has a value under a key. */
export function hasValue(entity: KongMapping, key: string): boolean {
  return valueIn(entity, key).raw !== null;
}

/** The keys with a value that are not among the known ones. Keys that begin with `_` are comments. */
export function unknownKeys({ raw }: KongMapping, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(raw).filter((key) => !known.has(key) && !key.startsWith('_') && (raw[key] ?? null) !== null);
}

function isMapping(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}

/** Finds an entity by a name or id that another one has; null, and a problem, when there is none: Kong refuses it too. */
type FindByName<T> = (reference: string, place: Place, problems: ProblemLog, noun: string) => T | null;

/** References that lead nowhere beyond these are told without the nearest name, which takes a look at every name. */
const MAX_SUGGESTIONS = 20;

/** Finds entities by any of their names; of equal names the first. */
export function byName<T>(entities: readonly T[], namesOf: (entity: T) => readonly (string | null)[]): FindByName<T> {
  const known = new Map<string, T>();
  let suggestions = 0;
  for (const entity of entities) {
    for (const name of namesOf(entity)) if (name !== null && !known.has(name)) known.set(name, entity);
  }
  return (reference, place, problems, noun) => {
    const found = known.get(reference);
    if (found !== undefined) return found;
    problems.report(place, () => {
      suggestions += 1;
      const nearest = suggestions > MAX_SUGGESTIONS ? null : findNearestName(reference, [...known.keys()]);
      return `there is no ${noun} ${quoted(reference)} in this file${nearest === null ? '' : `; did you mean ${quoted(nearest)}?`}`;
    });
    return null;
  };
}
