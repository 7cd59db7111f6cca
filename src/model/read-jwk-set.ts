import { isMapping } from './document/fields.ts';
import type { IssuerKey } from './issuer.ts';
import { isJwtAlgorithm, keyKindOf } from './jwt-algorithms.ts';
import { MAX_ISSUER_KEYS, MAX_KEY_ID_CHARACTERS } from './bounds.ts';
import { PRIVATE_KEY_FAULT, type PublicKeyFault } from './public-key/public-key-fault.ts';
import { isPrivateJwk, readJwk } from './public-key/read-jwk.ts';

/** A set of keys as it was read. */
export interface JwkSet {
  /** Those that can verify tokens, in the order of the set; none with the `kid` and the kind of one before it. */
  readonly keys: readonly IssuerKey[];
  /** What is wrong with others, by their place in the set. Those that are for something else are passed over. */
  readonly faults: readonly { readonly index: number; readonly fault: string }[];
}

/** The types of RFC 7518 and RFC 8037 that may be read here; others are passed over (RFC 7517 §5). */
const KNOWN_TYPES: readonly unknown[] = ['OKP', 'EC', 'RSA'];

/**
 * Reads a set of keys for tokens (RFC 7517 §5). Keys of unknown types and curves, for encryption, or for algorithms
 * that no issuer may have are passed over. A set that has a private or shared key is refused as a whole: it should not
 * be known here. Never throws, and no fault repeats anything of the set.
 */
export function readJwkSet(raw: unknown): JwkSet | PublicKeyFault {
  if (!isMapping(raw)) return { fault: 'is no JWK set, a mapping such as { keys: [{ kty: RSA, n: …, e: … }] }' };
  if (isPrivateJwk(raw)) return PRIVATE_KEY_FAULT;
  const { keys: list } = raw;
  if (!Array.isArray(list)) return { fault: 'has no list "keys", so it is no JWK set' };
  if (list.length > MAX_ISSUER_KEYS) return { fault: `has more than ${String(MAX_ISSUER_KEYS)} keys` };
  if (list.some((each) => isMapping(each) && each['kty'] === 'oct')) {
    return { fault: 'has a shared secret (kty "oct"), which is no public key; ask for a set of public keys' };
  }
  const keys: IssuerKey[] = [];
  const faults: { readonly index: number; readonly fault: string }[] = [];
  for (const [index, each] of (list as readonly unknown[]).entries()) {
    if (!isMapping(each)) faults.push({ index, fault: 'is no mapping' });
    else if (!isForOthers(each)) {
      const read = readKey(each);
      if ('fault' in read) faults.push({ index, fault: read.fault });
      else if (keys.some((key) => isSameName(key, read))) {
        faults.push({ index, fault: 'has the "kid" of a key of the same kind before it, so tokens cannot tell them' });
      } else keys.push(read);
    }
  }
  return { keys, faults };
}

/** Two keys without a `kid` are tried in turn, so they are no doubt. */
function isSameName(one: IssuerKey, other: IssuerKey): boolean {
  return one.kid !== null && one.kid === other.kid && one.publicKey.kind === other.publicKey.kind;
}

/** Whether a key has nothing to do with signatures that are taken here. */
function isForOthers({ kty, crv, use, key_ops: operations, alg }: Readonly<Record<string, unknown>>): boolean {
  if (!KNOWN_TYPES.includes(kty)) return true;
  if (use !== undefined && use !== 'sig') return true;
  if (Array.isArray(operations) && !operations.includes('verify')) return true;
  if (kty === 'OKP' && crv !== 'Ed25519') return true;
  if (kty === 'EC' && crv !== 'P-256' && crv !== 'P-384') return true;
  return alg !== undefined && !isJwtAlgorithm(alg);
}

function readKey(raw: Readonly<Record<string, unknown>>): IssuerKey | PublicKeyFault {
  const { kid = null, alg } = raw;
  if (kid !== null && (typeof kid !== 'string' || kid === '' || kid.length > MAX_KEY_ID_CHARACTERS)) {
    return { fault: `has a "kid" that is no text of 1 to ${String(MAX_KEY_ID_CHARACTERS)} characters` };
  }
  const publicKey = readJwk(raw);
  if ('fault' in publicKey) return publicKey;
  if (!isJwtAlgorithm(alg)) return { kid, alg: null, publicKey };
  return keyKindOf(alg) === publicKey.kind ? { kid, alg, publicKey } : { fault: 'has an "alg" of another kind of key' };
}
