import { isJsonObject } from '../../../model/document/json.ts';
import { findNearestName } from '../../../model/document/nearest-name.ts';
import { quoted } from '../../../model/document/problem.ts';
import { type Place, placeIn, type ProblemLog } from '../../../model/document/problem-log.ts';
import { subjectOf } from '../../../model/document/read-mapping.ts';
import type { DocumentPath } from '../../../model/document/problem.ts';
import type { KongValues, PluginSettings, ReportDifference } from '../../../check/methods/kong.ts';
import { pathToPlaceholder, RENDER_FIRST } from './unresolved.ts';

/** A value of Kong's file and where it stands. */
interface KongValue {
  readonly raw: unknown;
  readonly place: Place;
}

/**
 * A mapping of Kong's file: an entity, or the `config` of a plugin. Reads values of the types that Kong's schemas have.
 * A value of another type is a problem, because Kong refuses it too. No message repeats a value: it may be a secret.
 */
export class KongMapping implements KongValues {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly place: Place;
  readonly #problems: ProblemLog;

  constructor(raw: Readonly<Record<string, unknown>>, place: Place, problems: ProblemLog) {
    this.raw = raw;
    this.place = place;
    this.#problems = problems;
  }

  /** The value itself as a mapping; null, and a problem, when it is not one. */
  static read({ raw, place }: KongValue, problems: ProblemLog): KongMapping | null {
    if (isJsonObject(raw)) return new KongMapping(raw, place, problems);
    return reportType(problems, { raw, place }, 'a mapping (key: value)');
  }

  /** Whether there is a value under a key. */
  has(key: string): boolean {
    return this.#valueOf(key).raw !== null;
  }

  /** The keys with a value that are not among the known ones, nor comments. */
  unknownKeys(known: ReadonlySet<string>): readonly string[] {
    return Object.keys(this.raw).filter((key) => !known.has(key) && !commentKeys.has(key) && this.has(key));
  }

  /** The path to the first placeholder under one of these keys; null when there is none. */
  placeholderIn(keys: readonly string[]): DocumentPath | null {
    for (const key of keys) {
      const path = pathToPlaceholder(this.#valueOf(key).raw);
      if (path !== null) return [key, ...path];
    }
    return null;
  }

  /** The mapping under a key; null when it is absent. */
  mapping(key: string): KongMapping | null {
    return this.has(key) ? KongMapping.read(this.#valueOf(key), this.#problems) : null;
  }

  /** The items of the list under a key; none when it is absent. */
  items(key: string): readonly KongValue[] {
    const { raw, place } = this.#valueOf(key);
    if (Array.isArray(raw)) return raw.map((item: unknown, index) => ({ raw: item, place: placeIn(place, index) }));
    // Kong writes an empty list as {} when it exports to JSON.
    if (raw !== null && !(isJsonObject(raw) && Object.keys(raw).length === 0)) this.#mistaken({ raw, place }, 'a list');
    return [];
  }

  /** The mappings of the list under a key. */
  mappings(key: string): readonly KongMapping[] {
    return this.items(key).flatMap((item) => KongMapping.read(item, this.#problems) ?? []);
  }

  text(key: string): string | null {
    const { raw, place } = this.#valueOf(key);
    return raw === null || typeof raw === 'string' ? raw : this.#mistaken({ raw, place }, 'a text: quote it');
  }

  texts(key: string): readonly string[] {
    return this.items(key).flatMap(({ raw, place }) => {
      if (typeof raw === 'string') return raw;
      this.#mistaken({ raw, place }, 'a text: quote it');
      return [];
    });
  }

  flag(key: string, absent: boolean): boolean {
    const { raw, place } = this.#valueOf(key);
    if (typeof raw === 'boolean') return raw;
    if (raw !== null) this.#mistaken({ raw, place }, 'true or false');
    return absent;
  }

  number(key: string): number | null {
    const { raw, place } = this.#valueOf(key);
    if (raw === null || (typeof raw === 'number' && Number.isFinite(raw))) return raw;
    return this.#mistaken({ raw, place }, 'a number');
  }

  /** What another entity is named by under a key: a text, or a mapping with its `id`, `name` or `username`. */
  reference(key: string): string | null {
    const value = this.#valueOf(key);
    if (value.raw === null || typeof value.raw === 'string') return value.raw;
    const target = KongMapping.read(value, this.#problems);
    if (target === null) return null;
    const reference = target.text('id') ?? target.text('name') ?? target.text('username');
    return reference ?? this.#mistaken(value, 'the name or id of an entity');
  }

  /** What the items of the list under a key name: by their `name` or `username` first, where they are mappings. */
  references(key: string): readonly { readonly reference: string; readonly place: Place }[] {
    return this.items(key).flatMap((item) => {
      const { raw, place } = item;
      if (typeof raw === 'string') return { reference: raw, place };
      const target = KongMapping.read(item, this.#problems);
      const reference = target?.text('name') ?? target?.text('username') ?? target?.text('id') ?? null;
      if (reference !== null) return { reference, place };
      if (target !== null) this.#mistaken({ raw, place }, 'the name or id of an entity');
      return [];
    });
  }

  /** The value under a key. What is absent or `null` is null, which Kong takes for absent too. */
  #valueOf(key: string): KongValue {
    return { raw: (Object.hasOwn(this.raw, key) ? this.raw[key] : null) ?? null, place: placeIn(this.place, key) };
  }

  #mistaken(value: KongValue, expected: string): null {
    return reportType(this.#problems, value, expected);
  }
}

/** The `config` of a plugin, with the log of its differences. */
export class PluginConfig extends KongMapping implements PluginSettings {
  readonly report: ReportDifference;

  constructor(raw: KongMapping['raw'], place: Place, problems: ProblemLog, report: ReportDifference) {
    super(raw, place, problems);
    this.report = report;
  }
}

function reportType(problems: ProblemLog, { raw, place }: KongValue, expected: string): null {
  const isPlaceholder = typeof raw === 'string' && pathToPlaceholder(raw) !== null;
  const words = isPlaceholder ? `has a placeholder in its place: ${RENDER_FIRST}` : `must be ${expected}, as in Kong`;
  problems.report(place, `${subjectOf(place.path)} ${words}`);
  return null;
}

/** What Kong and decK pass over (kong/db/schema/others/declarative_config.lua). */
const commentKeys: ReadonlySet<string> = new Set(['_comment', '_ignore']);

/** The keys that every entity of Kong can have. */
export const commonKeys = ['id', 'created_at', 'updated_at', 'tags', 'ws_id'];

/** Finds entities of one kind by their names. An unknown name is a problem and finds null: Kong refuses it too. */
interface Finder<T> {
  find(reference: string, place: Place): T | null;
  /** The one that an entity refers to under the kind's name; `absent` when it refers to none. */
  findIn(entity: KongMapping, absent: T | null): T | null;
}

/**
 * References that lead nowhere beyond these are reported without the nearest name, which takes a look at every name.
 */
const MAX_SUGGESTIONS = 20;

/** Finds entities by any of their names. A reference to one of several with that name is a problem. */
export function finderOf<T>(
  kind: 'service' | 'route' | 'consumer',
  entities: readonly T[],
  namesOf: (entity: T) => readonly (string | null)[],
  problems: ProblemLog,
): Finder<T> {
  const known = new Map<string, T>();
  const ambiguous = new Set<string>();
  let suggestions = 0;
  for (const entity of entities) {
    for (const name of namesOf(entity)) {
      if (name === null) continue;
      if ((known.get(name) ?? entity) !== entity) ambiguous.add(name);
      else known.set(name, entity);
    }
  }
  const find = (reference: string, place: Place): T | null => {
    const found = known.get(reference);
    if (found !== undefined) {
      if (ambiguous.has(reference))
        problems.report(place, `several ${kind}s in this file are named ${quoted(reference)}`);
      return found;
    }
    problems.report(place, () => {
      suggestions += 1;
      const nearest = suggestions > MAX_SUGGESTIONS ? null : findNearestName(reference, [...known.keys()]);
      return `there is no ${kind} ${quoted(reference)} in this file${nearest === null ? '' : `; did you mean ${quoted(nearest)}?`}`;
    });
    return null;
  };
  return {
    find,
    findIn: (entity, absent) => {
      const reference = entity.reference(kind);
      return reference === null ? absent : find(reference, placeIn(entity.place, kind));
    },
  };
}
