import { constants, type SigningOptions, verify } from 'node:crypto';
import type { WhichSecret } from '../../../model/credential.ts';
import type { PublicKey, PublicKeyKind } from '../../../model/public-key/public-key.ts';
import { dummyKeys } from './dummy-keys.ts';

/** One `alg` of RFC 7518 and RFC 9864. */
interface Algorithm {
  /** Keys that it goes with; an assertion never chooses another kind than that of its client's key. */
  readonly kind: PublicKeyKind;
  readonly isRight: (key: PublicKey, signed: Buffer, signature: Buffer) => boolean;
}

const edwards: Algorithm = {
  kind: 'ed25519',
  isRight: ({ object }, signed, signature) => verify(null, signed, object, signature),
};

/** r and s, each as long as the curve's order (RFC 7518 §3.4). */
function curve(kind: PublicKeyKind, hash: string, bytes: number): Algorithm {
  return {
    kind,
    isRight: ({ object: key }, signed, signature) =>
      signature.length === bytes && verify(hash, signed, { key, dsaEncoding: 'ieee-p1363' }, signature),
  };
}

/**
 * A signature is as long as the modulus (RFC 8017 §8.1.2): of PSS, OpenSSL also takes one without its leading zeros.
 * That is looked at last, because keys differ in length, and the time must not tell.
 */
function rsa(hash: string, options: SigningOptions): Algorithm {
  return {
    kind: 'rsa',
    isRight: ({ object: key, bits }, signed, signature) =>
      verify(hash, signed, { key, ...options }, signature) && signature.length === Math.ceil(bits / 8),
  };
}

/** The salt is as long as the hash (RFC 7518 §3.5). */
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };

const algorithms = {
  EdDSA: edwards,
  Ed25519: edwards,
  ES256: curve('p-256', 'sha256', 64),
  ES384: curve('p-384', 'sha384', 96),
  PS256: rsa('sha256', pss),
  PS512: rsa('sha512', pss),
  RS256: rsa('sha256', { padding: constants.RSA_PKCS1_PADDING }),
} as const satisfies Readonly<Record<string, Algorithm>>;

/** An `alg` that an assertion may have. */
export type AssertionAlgorithm = keyof typeof algorithms;

/** All of them (spec §3.4). */
export const assertionAlgorithms = Object.keys(algorithms) as readonly AssertionAlgorithm[];

/**
 * Which of a client's keys, at most two, a signature was made with; null for none. A wrong one is always verified
 * twice, with keys of the kind that its algorithm names, so that the time tells nothing of the client (spec §3).
 */
export function findSigningKey(
  { algorithm, signed, signature }: SignedText,
  [current, former]: readonly PublicKey[],
  dummies: Readonly<Record<PublicKeyKind, PublicKey>> = dummyKeys,
): WhichSecret | null {
  const { kind, isRight } = algorithms[algorithm];
  const isMadeWith = (key: PublicKey | undefined): boolean => {
    const fits = key?.kind === kind;
    return isRight(fits ? key : dummies[kind], signed, signature) && fits;
  };
  if (isMadeWith(current)) return 'current';
  return isMadeWith(former) ? 'retiring' : null;
}

/** What was signed, and with which algorithm. */
export interface SignedText {
  readonly algorithm: AssertionAlgorithm;
  readonly signed: Buffer;
  readonly signature: Buffer;
}
