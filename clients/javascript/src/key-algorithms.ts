import type { HashName } from './hash.ts';

/** The kinds of keys that the gateway takes. */
export type KeyKind = 'ed25519' | 'p256' | 'p384' | 'rsa';
/** An algorithm of HTTP message signatures (RFC 9421 §3.3). */
export type MessageAlgorithm =
  | 'ed25519'
  | 'ecdsa-p256-sha256'
  | 'ecdsa-p384-sha384'
  | 'rsa-pss-sha512'
  | 'rsa-v1_5-sha256';
/** An algorithm of assertions (RFC 7518 §3.1, RFC 8037 §3.1). */
export type AssertionAlgorithm = 'EdDSA' | 'ES256' | 'ES384' | 'PS256' | 'PS512' | 'RS256';

/** How an algorithm signs. */
export interface Algorithm {
  readonly kind: KeyKind;
  /** Null where the algorithm hashes by itself. */
  readonly hash: HashName | null;
  /** Of RSA. */
  readonly padding: 'pss' | 'pkcs1' | null;
}

const ed25519: Algorithm = { kind: 'ed25519', hash: null, padding: null };
const p256: Algorithm = { kind: 'p256', hash: 'SHA-256', padding: null };
const p384: Algorithm = { kind: 'p384', hash: 'SHA-384', padding: null };
const pss = (hash: HashName): Algorithm => ({ kind: 'rsa', hash, padding: 'pss' });
const pkcs1: Algorithm = { kind: 'rsa', hash: 'SHA-256', padding: 'pkcs1' };

/** Of each kind of key the first is the default. */
export const messageAlgorithms: Readonly<Record<MessageAlgorithm, Algorithm>> = {
  ed25519,
  'ecdsa-p256-sha256': p256,
  'ecdsa-p384-sha384': p384,
  'rsa-pss-sha512': pss('SHA-512'),
  'rsa-v1_5-sha256': pkcs1,
};
/** Of each kind of key the first is the default. */
export const assertionAlgorithms: Readonly<Record<AssertionAlgorithm, Algorithm>> = {
  EdDSA: ed25519,
  ES256: p256,
  ES384: p384,
  PS256: pss('SHA-256'),
  PS512: pss('SHA-512'),
  RS256: pkcs1,
};

/** The bytes of a coordinate, of the secret number and of each half of a signature. */
export const CURVE_BYTES = { p256: 32, p384: 48 } as const;
/** The sizes of an RSA key in bits that the gateway takes. */
export const RSA_BITS = { least: 2048, most: 8192 } as const;
