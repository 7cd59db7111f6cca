import type { Fault } from '../../base/config-values.ts';

/** Where a key ring is: a file, or an environment variable that holds the text of one. */
export type KeyRingLocation =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'environment'; readonly name: string };

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The text of a ring, or one of its keys, where the place of the ring should be. */
const LOOKS_LIKE_RING = /[\n{]|^\s*version\s*:|^[A-Za-z0-9+/]{43}=$/;

/**
 * Reads `POSTERN_KEYRING` (interfaces §3): `PATH`, `file:PATH`, or `env:NAME` for a variable with the text of the ring.
 * A fault never repeats the value, which may be a key ring itself.
 */
export function parseKeyRingLocation(text: string): KeyRingLocation | Fault {
  if (LOOKS_LIKE_RING.test(text)) {
    return {
      fault: 'this is a key ring or a key, and must be the place of one: give a path, or env:NAME and put it into NAME',
    };
  }
  if (text.startsWith('env:')) {
    const name = text.slice('env:'.length);
    if (!VARIABLE_NAME.test(name)) return { fault: 'after env: comes the name of an environment variable' };
    return name.startsWith('POSTERN_')
      ? { fault: 'the variable that holds the key ring must not begin with POSTERN_, as settings do; call it KEY_RING' }
      : { kind: 'environment', name };
  }
  const path = text.startsWith('file:') ? text.slice('file:'.length) : text;
  return path === '' ? { fault: 'must be the path of a file, or env:NAME' } : { kind: 'file', path };
}

/** How messages name the place: the path, or `env:NAME`. */
export function formatKeyRingLocation(location: KeyRingLocation): string {
  return location.kind === 'file' ? location.path : `env:${location.name}`;
}
