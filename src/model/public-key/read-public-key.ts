import { parseUniqueJson } from '../../base/text/unique-json.ts';
import { isJsonObject, type JsonObject, parseJson } from '../document/json.ts';
import type { PublicKey } from './public-key.ts';
import { PRIVATE_KEY_FAULT, type PublicKeyFault } from './public-key-fault.ts';
import { isPrivateJwk, readJwk } from './read-jwk.ts';
import { isBarePrivateKey, PEM_MARK, readPem } from './read-pem.ts';

/** Characters of a text with a public key at most: a set of keys may be some of them. */
export const MAX_PUBLIC_KEY_CHARACTERS = 64 * 1024;

/** What a private key says of itself: PEM and SSH blocks of every kind, and PuTTY's files. */
const PRIVATE = /PRIVATE[ -]KEY|PuTTY-User-Key-File|AGE-SECRET-KEY/i;
/** How OpenSSH and SSH2 write public keys. */
const SSH = /^(?:ssh-|ecdsa-sha2-|sk-|---- BEGIN SSH2)/;

/** Whether a text says of itself that it is a private key. */
export function isMarkedPrivate(text: string): boolean {
  return PRIVATE.test(text);
}

/**
 * Reads a public key as people have it (spec §1): PEM, of a key or a certificate, or a JWK, or one key of a JWK set.
 * Never throws, and no fault repeats anything of the text. With {@link PRIVATE_KEY_FAULT}, the caller keeps nothing.
 *
 * @param kid which key of a set; null for a set of one key
 */
export function readPublicKey(text: string, kid: string | null = null): PublicKey | PublicKeyFault {
  if (isMarkedPrivate(text)) return PRIVATE_KEY_FAULT;
  if (text.length > MAX_PUBLIC_KEY_CHARACTERS) {
    return { fault: `has more than ${String(MAX_PUBLIC_KEY_CHARACTERS)} characters, so it is no public key` };
  }
  const trimmed = text.trim();
  if (trimmed === '') return { fault: 'is empty; give a public key as PEM or JWK' };
  if (trimmed.startsWith('{')) return readJson(trimmed, kid);
  if (isBarePrivateKey(trimmed)) return PRIVATE_KEY_FAULT;
  if (SSH.test(trimmed)) return { fault: 'is a key in the form of SSH; give it as PEM or JWK' };
  if (!trimmed.includes(PEM_MARK)) return { fault: 'is neither PEM nor JWK; a PEM block begins with "-----BEGIN"' };
  if (kid !== null) return { fault: 'is PEM, which names no keys; leave out the key id' };
  return readPem(trimmed);
}

function readJson(text: string, kid: string | null): PublicKey | PublicKeyFault {
  const raw = parseJson(text);
  if (!isJsonObject(raw)) return { fault: 'begins like JSON, but is none' };
  if (isPrivateJwk(raw)) return PRIVATE_KEY_FAULT;
  if (parseUniqueJson(Buffer.from(text, 'utf8')) === undefined) {
    return { fault: 'is JSON that names something twice; programs differ in which of the two counts' };
  }
  const { keys } = raw;
  if (keys === undefined) {
    if (kid !== null && raw['kid'] !== kid) return { fault: 'is one JWK, and has another key id' };
    return readJwk(raw);
  }
  if (!Array.isArray(keys)) return { fault: 'has "keys" that are no list, so it is no JWK set' };
  return readSet(keys.filter(isJsonObject), kid);
}

function readSet(keys: readonly JsonObject[], kid: string | null): PublicKey | PublicKeyFault {
  const chosen = kid === null ? keys : keys.filter((key) => key['kid'] === kid);
  const [key, ...more] = chosen;
  if (key === undefined) {
    return { fault: kid === null ? 'is a JWK set without a key' : 'is a JWK set that has no key with this key id' };
  }
  if (more.length === 0) return readJwk(key);
  return {
    fault:
      kid === null
        ? `is a JWK set of ${String(chosen.length)} keys; say which one by its key id`
        : 'is a JWK set that has more than one key with this key id',
  };
}
