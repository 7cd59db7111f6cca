import type { Declared } from '../resources/declared.ts';

/**
 * What is wished of a resource, by paths of its declared form: `enabled`, `match.hosts`, or `options.mode` for one
 * option. An absent field stays as it is; undefined gives it its default again. Of two entries for a field, the later
 * one counts.
 */
export type Wish = Declared;

/** A resource in declared form after a wish. Whether it is valid, its reader decides. */
export function applyWish(declared: Declared, wish: Wish): Declared {
  return Object.entries(wish).reduce((result, [path, value]) => {
    const [, field = path, key] = /^([^.]+)\.(.+)$/s.exec(path) ?? [];
    return withField(result, field, key === undefined ? value : withField(mappingOf(result[field]), key, value));
  }, declared);
}

function withField(mapping: Declared, key: string, value: unknown): Declared {
  const others = Object.fromEntries(Object.entries(mapping).filter(([name]) => name !== key));
  return value === undefined ? others : { ...others, [key]: value };
}

function mappingOf(value: unknown): Declared {
  return typeof value === 'object' && value !== null ? (value as Declared) : {};
}
