import { constants, verify } from 'node:crypto';
import { publicKeysOf } from '../../../model/material.ts';
import type { HttpSignatureAlgorithm } from '../../../model/options/http-signature-algorithms.ts';
import { type PublicKey, type PublicKeyKind, publicKeyKinds } from '../../../model/public-key/public-key.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { KeyKind, VerifiedSignature } from '../caller.ts';
import { dummyKeys } from './dummy-keys.ts';

/** The algorithms that each kind of key fits, those that are tried first in front (spec §3.5). */
export const algorithmsOfKinds: Readonly<Record<PublicKeyKind, readonly HttpSignatureAlgorithm[]>> = {
  ed25519: ['ed25519'],
  'p-256': ['ecdsa-p256-sha256'],
  'p-384': ['ecdsa-p384-sha384'],
  rsa: ['rsa-pss-sha512', 'rsa-v1_5-sha256'],
};

/** Whether a signature of a base fits a key. */
export type Check = (base: Buffer, key: PublicKey, signature: Buffer) => boolean;

/** How each algorithm of RFC 9421 §3.3 is verified. None throws, whatever the signature is. */
const checks: Readonly<Record<HttpSignatureAlgorithm, Check>> = {
  ed25519: (base, key, signature) => verify(null, base, key.object, signature),
  'ecdsa-p256-sha256': (base, key, signature) =>
    verify('sha256', base, { key: key.object, dsaEncoding: 'ieee-p1363' }, signature),
  'ecdsa-p384-sha384': (base, key, signature) =>
    verify('sha384', base, { key: key.object, dsaEncoding: 'ieee-p1363' }, signature),
  // Any length of the salt: a much-used signer has not the one of the document.
  'rsa-pss-sha512': (base, key, signature) =>
    verify('sha512', base, { key: key.object, padding: constants.RSA_PKCS1_PSS_PADDING }, signature),
  'rsa-v1_5-sha256': (base, key, signature) =>
    verify('sha256', base, { key: key.object, padding: constants.RSA_PKCS1_PADDING }, signature),
};

/** Public keys, whose private halves only partners have. {@link verifyHttpSignature} sees to dummies itself. */
export const publicKeys: KeyKind<PublicKey> = {
  keysOf: publicKeysOf,
  dummies: [],
  absent: refuse('AUTHENTICATION_FAILED', 'the credential has no public key'),
};

/** What is verified of a signature. */
export interface SignedBases {
  /** The signature bases that are accepted, one character a byte. */
  readonly bases: readonly string[];
  /** The bytes of the signature, of any length. */
  readonly bytes: Buffer;
  /** What the signature says of its algorithm; null for nothing. */
  readonly named: HttpSignatureAlgorithm | null;
  /** The algorithms that the endpoint takes. */
  readonly allowed: readonly HttpSignatureAlgorithm[];
}

/**
 * Verifies a signature with each key in turn: the current one first, then a retiring one; none for an unknown App Key.
 * The algorithm is that of the key, and the signature must name no other. Refuses with `AUTHENTICATION_FAILED`, after
 * as much work whatever keys there are: each algorithm that fits the signature's length, and what it names, is worked
 * out once at least.
 */
export function verifyHttpSignature(signed: SignedBases, keys: readonly PublicKey[]): VerifiedSignature | Refusal {
  const bases = signed.bases.map((base) => Buffer.from(base, 'latin1'));
  const tried = new Set<HttpSignatureAlgorithm>();
  for (const [keyIndex, key] of keys.entries()) {
    if (isSignedBy(key, bases, signed, tried)) return { keyIndex };
  }
  for (const kind of publicKeyKinds) {
    for (const dummy of dummyKeys[kind]) isSignedBy(dummy, bases, signed, tried);
  }
  return refuse('AUTHENTICATION_FAILED', 'the signature does not fit the request');
}

/** Whether one of the signature bases was signed by a key; notes the algorithms that were worked out. */
function isSignedBy(
  key: PublicKey,
  bases: readonly Buffer[],
  { bytes, named, allowed }: SignedBases,
  tried: Set<HttpSignatureAlgorithm>,
): boolean {
  if (bytes.length !== signatureBytes(key)) return false;
  const isDummy = dummyKeys[key.kind].includes(key);
  for (const algorithm of algorithmsOfKinds[key.kind]) {
    if (!allowed.includes(algorithm) || (named !== null && named !== algorithm)) continue;
    if (isDummy && tried.has(algorithm)) continue;
    tried.add(algorithm);
    for (const base of bases) if (checks[algorithm](base, key, bytes)) return true;
  }
  return false;
}

/**
 * How long the signatures of a key are: r and s, or as an RSA modulus, of which OpenSSL also takes one without its
 * leading zero bytes. Every accepted signature has one spelling.
 */
function signatureBytes({ kind, bits }: PublicKey): number {
  return kind === 'rsa' ? Math.ceil(bits / 8) : bits / 4;
}

/** Whether a signature fits a key by one of some algorithms, whatever the signature says of its own. */
export function checkOf(algorithms: readonly HttpSignatureAlgorithm[]): Check {
  return (base, key, signature) =>
    algorithmsOfKinds[key.kind].some((name) => algorithms.includes(name) && checks[name](base, key, signature));
}
