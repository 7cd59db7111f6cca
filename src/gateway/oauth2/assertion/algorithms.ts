import { fitsKey, isSignedByApart, type SignedText } from '../../../check/jose/signature.ts';
import type { WhichSecret } from '../../../model/credential.ts';
import { type JwtAlgorithm, keyKindOf } from '../../../model/jwt-algorithms.ts';
import { dummyKey } from '../../../model/public-key/dummy-key.ts';
import type { PublicKey } from '../../../model/public-key/public-key.ts';

/** The values of `alg` that an assertion may have (spec §3.4). */
export const assertionAlgorithms = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'PS256',
  'PS512',
  'RS256',
] as const satisfies readonly JwtAlgorithm[];
export type AssertionAlgorithm = (typeof assertionAlgorithms)[number];

/**
 * Which of a client's keys, at most two, a signature was made with; null for none. A wrong one is always verified
 * twice, with keys that its algorithm and its length fit, so that the time tells nothing of the client (spec §3).
 */
export async function findSigningKey(
  text: SignedText,
  [current, former]: readonly PublicKey[],
  dummyOf: typeof dummyKey = dummyKey,
): Promise<WhichSecret | null> {
  const dummy = dummyOf(keyKindOf(text.algorithm), text.signature.length);
  if (dummy === null) return null;
  const isMadeWith = async (key: PublicKey | undefined): Promise<boolean> => {
    if (key === undefined || !fitsKey(text, key)) {
      await isSignedByApart(text, dummy);
      return false;
    }
    return await isSignedByApart(text, key);
  };
  if (await isMadeWith(current)) return 'current';
  return (await isMadeWith(former)) ? 'retiring' : null;
}
