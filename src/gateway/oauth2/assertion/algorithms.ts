import { constants, type SigningOptions, verify } from 'node:crypto';
import type { WhichSecret } from '../../../model/credential.ts';
import { dummyKey } from '../../../model/public-key/dummy-key.ts';
import type { PublicKey, PublicKeyKind } from '../../../model/public-key/public-key.ts';

/** One `alg` of RFC 7518 and RFC 9864. */
interface Algorithm {
  /** Keys that it goes with; an assertion never chooses another kind than that of its client's key. */
  readonly kind: PublicKeyKind;
  /** Null where the algorithm has its own. */
  readonly hash: string | null;
  readonly options: SigningOptions;
}

const edwards: Algorithm = { kind: 'ed25519', hash: null, options: {} };

/** r and s, each as long as the curve's order (RFC 7518 §3.4). */
function curve(kind: PublicKeyKind, hash: string): Algorithm {
  return { kind, hash, options: { dsaEncoding: 'ieee-p1363' } };
}

function rsa(hash: string, options: SigningOptions): Algorithm {
  return { kind: 'rsa', hash, options };
}

/** The salt is as long as the hash (RFC 7518 §3.5). */
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };

const algorithms = {
  EdDSA: edwards,
  Ed25519: edwards,
  ES256: curve('p-256', 'sha256'),
  ES384: curve('p-384', 'sha384'),
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
 * twice, with keys that its algorithm and its length fit, so that the time tells nothing of the client (spec §3). Of
 * RSA, OpenSSL also takes one without its leading zero bytes: a signature has one spelling.
 */
export async function findSigningKey(
  text: SignedText,
  [current, former]: readonly PublicKey[],
  dummyOf: typeof dummyKey = dummyKey,
): Promise<WhichSecret | null> {
  const algorithm = algorithms[text.algorithm];
  const dummy = dummyOf(algorithm.kind, text.signature.length);
  if (dummy === null) return null;
  const isMadeWith = async (key: PublicKey | undefined): Promise<boolean> => {
    const fits = key?.kind === algorithm.kind && key.signatureBytes === text.signature.length;
    return (await isRight(text, algorithm, fits ? key : dummy)) && fits;
  };
  if (await isMadeWith(current)) return 'current';
  return (await isMadeWith(former)) ? 'retiring' : null;
}

/** Verifies in a thread of its own, because the longest of these take a millisecond, in which checks would wait. */
function isRight({ signed, signature }: SignedText, { hash, options }: Algorithm, key: PublicKey): Promise<boolean> {
  return new Promise((resolve, reject) => {
    verify(hash, signed, { ...options, key: key.object }, signature, (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
}

/** What was signed, and with which algorithm. */
export interface SignedText {
  readonly algorithm: AssertionAlgorithm;
  readonly signed: Buffer;
  readonly signature: Buffer;
}
