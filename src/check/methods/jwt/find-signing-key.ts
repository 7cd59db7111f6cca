import { isKeyFor, type IssuerKey } from '../../../model/issuer.ts';
import { fitsKey, isSignedBy } from '../../jose/signature.ts';
import type { UnverifiedToken } from './read-token.ts';
import type { FaultyToken } from './token-faults.ts';

/** Keys that a token is tried with at most: each takes as long as an answer to many others. */
export const MAX_KEYS_TRIED = 4;

/**
 * The key of an issuer that a token is signed with: one of its `kid` that fits its `alg`; of a token without `kid` any
 * that fits, as long as they are few. The token never brings a key (RFC 8725 §3.1), nor chooses an algorithm that the
 * key is not for (§3.2).
 */
export function findSigningKey(
  token: Pick<UnverifiedToken, 'keyId' | 'algorithm' | 'signed' | 'signature'>,
  keys: readonly IssuerKey[],
): IssuerKey | FaultyToken {
  const { keyId } = token;
  const named = keys.filter((key) => (keyId === null || key.kid === keyId) && isKeyFor(key, token.algorithm));
  if (named.length === 0) return { fault: 'noKey' };
  if (named.length > MAX_KEYS_TRIED) return { fault: 'tooManyKeys' };
  const key = named.find(({ publicKey }) => fitsKey(token, publicKey) && isSignedBy(token, publicKey));
  if (key !== undefined) return key;
  return { fault: keyId === null ? 'noKey' : 'signature' };
}
