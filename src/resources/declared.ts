import { isDeepStrictEqual } from 'node:util';

/** A resource in the words of a declarative file (interfaces §4): plain values for YAML, JSON and a database. */
export type Declared = Readonly<Record<string, unknown>>;

/** Leaves out what equals its default. Keys keep their order. */
export function withoutDefaults(values: Declared, defaults: Declared): Declared {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([key, value]) => !(Object.hasOwn(defaults, key) && isDeepStrictEqual(value, defaults[key])),
    ),
  );
}

/** A time as declarative files have it: `2027-01-01T00:00:00Z`. Takes seconds since the epoch. */
export function declareTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
