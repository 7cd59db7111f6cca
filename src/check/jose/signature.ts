import { constants, type KeyObject, verify, type VerifyKeyObjectInput } from 'node:crypto';
import { type JwtAlgorithm, keyKindOf } from '../../model/jwt-algorithms.ts';
import type { PublicKey } from '../../model/public-key/public-key.ts';
import { derOf } from '../signing/ecdsa-signature.ts';

/** How signatures of one `alg` of RFC 7518 and RFC 9864 are verified. */
interface Algorithm {
  /** Null where the algorithm has its own. */
  readonly hash: string | null;
  readonly keyOf: (key: KeyObject) => KeyObject | VerifyKeyObjectInput;
  /** The signature as `crypto.verify` takes it. */
  readonly encode: (signature: Buffer) => Buffer;
}

const asItIs = <T>(value: T): T => value;
const edwards: Algorithm = { hash: null, keyOf: asItIs, encode: asItIs };
/** The salt is as long as the hash (RFC 7518 §3.5). */
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };

const algorithms: Readonly<Record<JwtAlgorithm, Algorithm>> = {
  EdDSA: edwards,
  Ed25519: edwards,
  ES256: ecdsa('sha256'),
  ES384: ecdsa('sha384'),
  PS256: rsaPss('sha256'),
  PS384: rsaPss('sha384'),
  PS512: rsaPss('sha512'),
  RS256: rsa('sha256'),
  RS384: rsa('sha384'),
  RS512: rsa('sha512'),
};

/** r and s, each as long as the curve's order (RFC 7518 §3.4). */
function ecdsa(hash: string): Algorithm {
  return { hash, keyOf: asItIs, encode: derOf };
}

function rsaPss(hash: string): Algorithm {
  return { hash, keyOf: (key) => ({ padding: pss.padding, saltLength: pss.saltLength, key }), encode: asItIs };
}

/** PKCS #1 v1.5, which is the padding of a bare key. */
function rsa(hash: string): Algorithm {
  return { hash, keyOf: asItIs, encode: asItIs };
}

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
  const { hash, keyOf, encode } = algorithms[algorithm];
  return verify(hash, signed, keyOf(key), encode(signature));
}

/** The same in a thread of its own: the longest of these take a millisecond, in which checks would wait. */
export function isSignedByApart(
  { algorithm, signed, signature }: SignedText,
  { object: key }: PublicKey,
): Promise<boolean> {
  const { hash, keyOf, encode } = algorithms[algorithm];
  return new Promise((resolve, reject) => {
    verify(hash, signed, keyOf(key), encode(signature), (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
}
