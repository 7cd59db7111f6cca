import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { isJsonObject, type JsonObject, parseJson } from '../../model/document/json.ts';
import type { PublicKeyFault } from '../../model/public-key/public-key-fault.ts';
import { PublicKey } from '../../model/public-key/public-key.ts';
import { readJwk } from '../../model/public-key/read-jwk.ts';

/** What a partner signs with. No printing of it shows the key. Only programs that act as a partner have one. */
export interface PrivateKey {
  readonly object: KeyObject;
  readonly publicKey: PublicKey;
}

/** Characters of a text with a private key at most. */
export const MAX_PRIVATE_KEY_CHARACTERS = 64 * 1024;

const PRIVATE_BLOCKS = /-----BEGIN [A-Z ]*PRIVATE KEY-----/g;
/** PKCS #8 says it in its first line, the older forms in a header. */
const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type:.*ENCRYPTED/m;
const PUBLIC: PublicKeyFault = { fault: 'is no private key; signing takes the private half of the pair' };
const UNREADABLE: PublicKeyFault = { fault: 'cannot be read as a private key' };

/**
 * Reads a private key as PEM (PKCS #8, SEC 1 or PKCS #1) or JWK, without passphrase, of a kind that credentials can
 * have the public half of (spec §1). Never throws, and no fault repeats anything of the text.
 */
export function readPrivateKey(text: string): PrivateKey | PublicKeyFault {
  const trimmed = text.trim();
  if (trimmed === '') return { fault: 'is empty; give a private key as PEM or JWK' };
  return trimmed.startsWith('{') ? readJson(trimmed) : readPem(trimmed);
}

function readJson(text: string): PrivateKey | PublicKeyFault {
  const raw = parseJson(text);
  if (!isJsonObject(raw)) return { fault: 'begins like JSON, but is none' };
  if (raw['keys'] !== undefined) return { fault: 'is a set of keys; give one key of it' };
  return raw['d'] === undefined ? PUBLIC : importKey({ key: raw, format: 'jwk' });
}

function readPem(text: string): PrivateKey | PublicKeyFault {
  const blocks = text.match(PRIVATE_BLOCKS) ?? [];
  const [first, second] = blocks;
  if (first === undefined) {
    return text.includes('-----BEGIN') ? PUBLIC : { fault: 'is neither PEM nor JWK' };
  }
  if (first.includes('OPENSSH')) {
    return { fault: 'is a key in the form of OpenSSH; "ssh-keygen -p -m PKCS8 -f COPY" rewrites a copy of it' };
  }
  if (second !== undefined) return { fault: 'has more than one private key' };
  if (ENCRYPTED.test(text)) {
    return { fault: 'is encrypted; "openssl pkey -in FILE -out OTHER" writes it without its passphrase' };
  }
  return importKey({ key: text, format: 'pem' });
}

function importKey(given: {
  readonly key: string | JsonObject;
  readonly format: 'pem' | 'jwk';
}): PrivateKey | PublicKeyFault {
  try {
    const object = createPrivateKey(given as Parameters<typeof createPrivateKey>[0]);
    const publicKey = readJwk(createPublicKey(object).export({ format: 'jwk' }));
    return publicKey instanceof PublicKey ? { object, publicKey } : publicKey;
  } catch {
    return UNREADABLE;
  }
}
