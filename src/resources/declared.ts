import { isDeepStrictEqual } from 'node:util';

/** A resource in the words of a declarative file (interfaces §4): plain values for YAML, JSON and a database. */
export type Declared = Readonly<Record<string, unknown>>;

/** Leaves out what equals its default. Keys keep their order. */
export function withoutDefaults(values: Declared, defaults: Declared): Declared {
  const declared: Record<string, unknown> = {};
  for (const key of Object.keys(values)) {
    const value = values[key];
    if (!(Object.hasOwn(defaults, key) && isSame(value, defaults[key]))) declared[key] = value;
  }
  return declared;
}

/** Most values are texts and flags, which need no comparison in depth. */
function isSame(value: unknown, other: unknown): boolean {
  if (typeof value !== 'object' || value === null || typeof other !== 'object' || other === null)
    return Object.is(value, other);
  return isDeepStrictEqual(value, other);
}

/** A time as declarative files have it: `2027-01-01T00:00:00Z`. Takes seconds since the epoch. */
export function declareTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
