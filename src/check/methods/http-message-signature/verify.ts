import { constants, verify } from 'node:crypto';
import { publicKeysOf } from '../../../model/material.ts';
import type { HttpSignatureAlgorithm } from '../../../model/options/http-signature-algorithms.ts';
import { dummyKey } from '../../../model/public-key/dummy-key.ts';
import { type PublicKey, type PublicKeyKind, publicKeyKinds } from '../../../model/public-key/public-key.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import { derOf } from '../../signing/ecdsa-signature.ts';
import type { KeyKind, VerifiedSignature } from '../caller.ts';

/** The algorithms that each kind of key fits, those that are tried first in front (spec §3.5). */
export const algorithmsOfKinds: Readonly<Record<PublicKeyKind, readonly HttpSignatureAlgorithm[]>> = {
  ed25519: ['ed25519'],
  'p-256': ['ecdsa-p256-sha256'],
  'p-384': ['ecdsa-p384-sha384'],
  rsa: ['rsa-pss-sha512', 'rsa-v1_5-sha256'],
};

/** Whether a signature fits a text and a key. */
export type Check = (base: Buffer, key: PublicKey, signature: Buffer) => boolean;

/** How each algorithm of RFC 9421 §3.3 is verified. None throws, whatever the signature is. */
const checks: Readonly<Record<HttpSignatureAlgorithm, Check>> = {
  ed25519: (base, key, signature) => verify(null, base, key.object, signature),
  'ecdsa-p256-sha256': (base, key, signature) => verify('sha256', base, key.object, derOf(signature)),
  'ecdsa-p384-sha384': (base, key, signature) => verify('sha384', base, key.object, derOf(signature)),
  // Any length of the salt: a much-used signer has not the one of the document.
  'rsa-pss-sha512': (base, key, signature) =>
    verify('sha512', base, { key: key.object, padding: constants.RSA_PKCS1_PSS_PADDING }, signature),
  // The padding of a bare key is that of PKCS #1 v1.5.
  'rsa-v1_5-sha256': (base, key, signature) => verify('sha256', base, key.object, signature),
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
 * The algorithm is that of the key, and the signature must name no other. Refuses with `AUTHENTICATION_FAILED`. Where
 * no key fits the signature's length and what it names, it is verified against one that nobody has, of the commonest
 * kind that does: an unknown App Key costs as much as a known one (spec §3.5), and no more, as anybody can ask for it.
 */
export function verifyHttpSignature(
  signed: SignedBases,
  keys: readonly PublicKey[],
  ways: Readonly<Record<HttpSignatureAlgorithm, Check>> = checks,
): VerifiedSignature | Refusal {
  const { bytes } = signed;
  const bases = signed.bases.map((base) => Buffer.from(base, 'latin1'));
  const fits = (algorithm: HttpSignatureAlgorithm, key: PublicKey): boolean =>
    bases.some((base) => ways[algorithm](base, key, bytes));
  let isTried = false;
  for (const [keyIndex, key] of keys.entries()) {
    // Of RSA, OpenSSL also takes one without leading zero bytes: a signature has one spelling.
    const algorithms = bytes.length === key.signatureBytes ? algorithmsFor(key.kind, signed) : [];
    if (algorithms.some((algorithm) => fits(algorithm, key))) return { keyIndex };
    isTried ||= algorithms.length > 0;
  }
  if (!isTried) verifyInVain(signed, fits);
  return refuse('AUTHENTICATION_FAILED', 'the signature does not fit the request');
}

/** Verifies against a key that nobody has; whether it fits does not count. */
function verifyInVain(signed: SignedBases, fits: (algorithm: HttpSignatureAlgorithm, key: PublicKey) => boolean): void {
  for (const kind of publicKeyKinds) {
    const [algorithm] = algorithmsFor(kind, signed);
    const dummy = algorithm === undefined ? null : dummyKey(kind, signed.bytes.length);
    if (algorithm === undefined || dummy === null) continue;
    fits(algorithm, dummy);
    return;
  }
}

/** What a key of a kind may verify a signature by. */
function algorithmsFor(
  kind: PublicKeyKind,
  { named, allowed }: Pick<SignedBases, 'named' | 'allowed'>,
): readonly HttpSignatureAlgorithm[] {
  return algorithmsOfKinds[kind].filter(
    (algorithm) => allowed.includes(algorithm) && (named === null || named === algorithm),
  );
}

/** Whether a signature fits a key by one of some algorithms, whatever the signature says of its own. */
export function checkOf(algorithms: readonly HttpSignatureAlgorithm[]): Check {
  return (base, key, signature) =>
    algorithmsOfKinds[key.kind].some((name) => algorithms.includes(name) && checks[name](base, key, signature));
}
