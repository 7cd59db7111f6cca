import { constants, type SigningOptions } from 'node:crypto';
import type { KeyKind } from '../fixtures/key-pairs.ts';

/** How a kind of key signs: what `node:crypto` is told. */
export interface Algorithm {
  /** Null where the algorithm has its own. */
  readonly hash: string | null;
  readonly options: SigningOptions;
}

const edwards: Algorithm = { hash: null, options: {} };
const p256: Algorithm = { hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' } };
const pss: SigningOptions = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
};

/** Those of RFC 9421 §3.3, with SHA-512 for RSA. */
export const messageAlgorithms: Readonly<Record<KeyKind, Algorithm>> = {
  ed25519: edwards,
  p256,
  rsa: { hash: 'sha512', options: pss },
};

/** Those of RFC 7518 §3, with SHA-256 for RSA. */
export const assertionAlgorithms: Readonly<Record<KeyKind, Algorithm>> = {
  ed25519: edwards,
  p256,
  rsa: { hash: 'sha256', options: pss },
};

/** A signature, and what it is verified with: bytes are base64. The Go program reads the same. */
export interface SignatureCase {
  readonly algorithm: Algorithm;
  /** A SubjectPublicKeyInfo. */
  readonly key: string;
  readonly base: string;
  readonly signature: string;
}
