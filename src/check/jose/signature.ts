import { constants, type SigningOptions, verify } from 'node:crypto';
import { type JwtAlgorithm, keyKindOf } from '../../model/jwt-algorithms.ts';
import type { PublicKey } from '../../model/public-key/public-key.ts';

/** How signatures of one `alg` of RFC 7518 and RFC 9864 are verified. */
interface Algorithm {
  /** Null where the algorithm has its own. */
  readonly hash: string | null;
  readonly options: SigningOptions;
}

const edwards: Algorithm = { hash: null, options: {} };
/** r and s, each as long as the curve's order (RFC 7518 §3.4). */
const curve: SigningOptions = { dsaEncoding: 'ieee-p1363' };
/** The salt is as long as the hash (RFC 7518 §3.5). */
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const pkcs1 = { padding: constants.RSA_PKCS1_PADDING };

const algorithms: Readonly<Record<JwtAlgorithm, Algorithm>> = {
  EdDSA: edwards,
  Ed25519: edwards,
  ES256: { hash: 'sha256', options: curve },
  ES384: { hash: 'sha384', options: curve },
  PS256: { hash: 'sha256', options: pss },
  PS384: { hash: 'sha384', options: pss },
  PS512: { hash: 'sha512', options: pss },
  RS256: { hash: 'sha256', options: pkcs1 },
  RS384: { hash: 'sha384', options: pkcs1 },
  RS512: { hash: 'sha512', options: pkcs1 },
};

/** What was signed, and with which algorithm. */
export interface SignedText {
  readonly algorithm: JwtAlgorithm;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/**
 * Whether a signature can be by a key: its algorithm goes with that kind, and it is as long as those of the key. Of
 * RSA, OpenSSL also takes one without its leading zero bytes: a signature has one spelling.
 */
export function fitsKey({ algorithm, signature }: SignedText, key: PublicKey): boolean {
  return key.kind === keyKindOf(algorithm) && key.signatureBytes === signature.length;
}

/** Verifies a signature at once. For a key that it fits. */
export function isSignedBy({ algorithm, signed, signature }: SignedText, { object: key }: PublicKey): boolean {
  const { hash, options } = algorithms[algorithm];
  return verify(hash, signed, { ...options, key }, signature);
}

/** The same in a thread of its own: the longest of these take a millisecond, in which checks would wait. */
export function isSignedByApart(
  { algorithm, signed, signature }: SignedText,
  { object: key }: PublicKey,
): Promise<boolean> {
  const { hash, options } = algorithms[algorithm];
  return new Promise((resolve, reject) => {
    verify(hash, signed, { ...options, key }, signature, (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
}
