import { isDeepStrictEqual } from 'node:util';

/** A resource in the words of a declarative file (interfaces §4): plain values that YAML, JSON and a database can hold. */
export type Declared = Readonly<Record<string, unknown>>;

/** Leaves out what equals its default. Keys keep their order. */
export function withoutDefaults(values: Declared, defaults: Declared): Declared {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([key, value]) => !(Object.hasOwn(defaults, key) && isDeepStrictEqual(value, defaults[key])),
    ),
  );
}
