import { type Json } from '../envoy/envoy-config.ts';

/**
 * Where two values differ: `path: "before" → "after"`, or `path: added` or `removed`; lists are compared by position.
 */
export function findDifferences(before: Json, after: Json, path = ''): readonly string[] {
  if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    const [left, right] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
    return [...new Set([...left.keys(), ...right.keys()])].flatMap((key) => {
      const below = path === '' ? key : `${path}.${key}`;
      const [old, now] = [left.get(key), right.get(key)];
      if (old === undefined || now === undefined) return `${below}: ${old === undefined ? 'added' : 'removed'}`;
      return findDifferences(old, now, below);
    });
  }
  return before === after ? [] : [`${path}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`];
}

function isContainer(value: Json): value is Exclude<Json, string | number | boolean | null> {
  return typeof value === 'object' && value !== null;
}
