import type { Declared } from '../declared.ts';

/**
 * What is wished of a resource, by paths of its declared form: `enabled`, `match.hosts`, or `options.mode` for one
 * option. The first dot ends the field; a key may have more of them. An absent field stays as it is; undefined gives it
 * its default again. Of two entries for a field, the later one counts.
 *
 * Keys of a client are no paths: `wishOfBody` and `wishOfPatch` of the API refuse those that would be.
 */
export type Wish = Declared;

/** A resource in declared form after a wish. Whether it is valid, its reader decides. */
export function applyWish(declared: Declared, wish: Wish): Declared {
  return Object.entries(wish).reduce((result, [path, value]) => {
    const [field, key] = stepsOf(path);
    return withField(result, field, key === undefined ? value : withField(mappingOf(result[field]), key, value));
  }, declared);
}

/** The field that a path of a wish leads to, and the key in it, where it leads to one. */
export function stepsOf(path: string): readonly [field: string, key?: string] {
  const [, field, key] = /^([^.]+)\.(.*)$/s.exec(path) ?? [];
  return field === undefined || key === undefined ? [path] : [field, key];
}

function withField(mapping: Declared, key: string, value: unknown): Declared {
  const others = Object.fromEntries(Object.entries(mapping).filter(([name]) => name !== key));
  return value === undefined ? others : { ...others, [key]: value };
}

function mappingOf(value: unknown): Declared {
  return typeof value === 'object' && value !== null ? (value as Declared) : {};
}
