import { isDeepStrictEqual } from 'node:util';
import type { Declared } from '../declared.ts';

/** A field in which two declared forms differ. */
export interface Difference {
  /** `enabled`, or `match.hosts` where both have a mapping. */
  readonly path: string;
  /** Absent where the field is. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The fields that differ, in the order of the declared form. Mappings are compared key by key, lists as a whole. */
export function* compareDeclared(before: Declared, after: Declared, parent = ''): Generator<Difference> {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const from = before[key];
    const to = after[key];
    if (isDeepStrictEqual(from, to)) continue;
    const path = `${parent}${key}`;
    if (isMapping(from) && isMapping(to)) yield* compareDeclared(from, to, `${path}.`);
    else yield { path, ...(from === undefined ? {} : { before: from }), ...(to === undefined ? {} : { after: to }) };
  }
}

/** What a declared form has at the path of a {@link Difference}; undefined where it has nothing. */
export function valueAt(declared: Declared, path: string): unknown {
  const [, field = path, key] = /^([^.]+)\.(.+)$/s.exec(path) ?? [];
  const value = declared[field];
  if (key === undefined) return value;
  return isMapping(value) ? value[key] : undefined;
}

function isMapping(value: unknown): value is Declared {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
