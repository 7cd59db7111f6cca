import { constants, verify } from 'node:crypto';
import type { HttpSignatureAlgorithm } from '../../../model/options/http-signature-algorithms.ts';
import { PublicKey, type PublicKeyKind } from '../../../model/public-key/public-key.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { KeyKind, VerifiedSignature } from '../caller.ts';

/** The algorithms that each kind of key fits, those that are tried first in front (spec §3.5). */
const algorithmsOfKinds: Readonly<Record<PublicKeyKind, readonly HttpSignatureAlgorithm[]>> = {
  ed25519: ['ed25519'],
  'p-256': ['ecdsa-p256-sha256'],
  'p-384': ['ecdsa-p384-sha384'],
  rsa: ['rsa-pss-sha512', 'rsa-v1_5-sha256'],
};

type Check = (base: Buffer, key: PublicKey, signature: Buffer) => boolean;

/** How each algorithm of RFC 9421 §3.3 is verified. None throws, whatever the signature is. */
const checks: Readonly<Record<HttpSignatureAlgorithm, Check>> = {
  ed25519: (base, key, signature) => verify(null, base, key.object, signature),
  'ecdsa-p256-sha256': (base, key, signature) =>
    verify('sha256', base, { key: key.object, dsaEncoding: 'ieee-p1363' }, signature),
  'ecdsa-p384-sha384': (base, key, signature) =>
    verify('sha384', base, { key: key.object, dsaEncoding: 'ieee-p1363' }, signature),
  // Any length of the salt: a much-used signer has not the one of the document.
  'rsa-pss-sha512': (base, key, signature) =>
    hasModulusLength(key, signature) &&
    verify('sha512', base, { key: key.object, padding: constants.RSA_PKCS1_PSS_PADDING }, signature),
  'rsa-v1_5-sha256': (base, key, signature) =>
    hasModulusLength(key, signature) &&
    verify('sha256', base, { key: key.object, padding: constants.RSA_PKCS1_PADDING }, signature),
};

/** OpenSSL also takes a signature without its leading zero bytes; every accepted one has exactly one spelling. */
function hasModulusLength({ bits }: PublicKey, signature: Buffer): boolean {
  return signature.length === Math.ceil(bits / 8);
}

/** A public key of each algorithm whose private key nobody has: what is verified against it takes as long. */
const RSA_DUMMY = new PublicKey(
  'rsa',
  {
    kty: 'RSA',
    n: 'oEssv-1RQ7dKGJnPI6yExl9qBxvIoRoRJ5aL0zZ6_shIlhCJxl5WbNq35Gf0du9LLfAxkKnXXFSoDaBtiSi0VQPy4jrSxOCldons8DOvt-jhIMEAOZdzBKQYJulbrVbt6P7XUhEc7DeOsecg9j5hV9PNbNRlur1bKnb6BPsU9h5jjn-vluyok9mSeZjxLb-x95hbayClD8f-KfudrLPJFGgLbwSnU3OLraEGuNovrp-m6RITCDJvw6MOakAi93ohSAF1D_0XRneP6FLubkGjD9x1ozueEiNridK3GNXxwx6ffLLTYkUQmP-nksLjTeTqmmOhxi3TbmwDzV_4zPqr-w',
    e: 'AQAB',
  },
  2048,
);
const dummies: Readonly<Record<HttpSignatureAlgorithm, PublicKey>> = {
  ed25519: new PublicKey(
    'ed25519',
    { kty: 'OKP', crv: 'Ed25519', x: 'sGubI_0TBjphv9GlF2jE9cLSpoXN8G_ABdYfxr82yLw' },
    256,
  ),
  'ecdsa-p256-sha256': new PublicKey(
    'p-256',
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'IKSlS_oTmtLLTfR3sPzAF89oa2xA3Pd069rCQbL7tK4',
      y: '-UmcVRtF196vNRZeFOjB2Ljm81mBl5XPJDQeO9RW_tc',
    },
    256,
  ),
  'ecdsa-p384-sha384': new PublicKey(
    'p-384',
    {
      kty: 'EC',
      crv: 'P-384',
      x: 'MKsKH6Ygp2p9gGmi_CEy5c9ijRQzkQj5X551ovc1-HPIGqnT0LeOEfS-Hr4x9r8n',
      y: 'k8uduep9E6k6LDJKytuSTlSnD1KszdJjOmbYQDSpCThZ_hkAb61iiaBE8dvAcfAQ',
    },
    384,
  ),
  'rsa-pss-sha512': RSA_DUMMY,
  'rsa-v1_5-sha256': RSA_DUMMY,
};
/** What most partners sign with; an unknown App Key takes as long where the signature names no algorithm. */
const USUAL: HttpSignatureAlgorithm = 'ed25519';

/** Public keys, whose private halves only partners have. */
export const publicKeys: KeyKind<PublicKey> = {
  keysOf: (material, nowSeconds) => {
    if (material.kind !== 'public-key') return null;
    const { publicKey: current, retiringPublicKey: former } = material;
    return former !== null && nowSeconds < former.expiresAt ? [current, former.publicKey] : [current];
  },
  dummies: [dummies[USUAL]],
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
 * Verifies a signature with each key in turn: the current one first, then a retiring one. The algorithm is that of the
 * key, and the signature must name no other. Where no key fits, a dummy of the algorithm that the signature names is
 * verified against, so that it takes as long. Refuses with `AUTHENTICATION_FAILED`.
 */
export function verifyHttpSignature(signed: SignedBases, keys: readonly PublicKey[]): VerifiedSignature | Refusal {
  const bases = signed.bases.map((base) => Buffer.from(base, 'latin1'));
  for (const [keyIndex, key] of keys.entries()) {
    let isTried = false;
    for (const algorithm of algorithmsOfKinds[key.kind]) {
      if (!fits(algorithm, signed)) continue;
      isTried = true;
      if (isSigned(checks[algorithm], bases, key, signed.bytes)) return { keyIndex };
    }
    const instead = signed.named ?? USUAL;
    if (!isTried) isSigned(checks[instead], bases, dummies[instead], signed.bytes);
  }
  return refuse('AUTHENTICATION_FAILED', 'the signature does not fit the request');
}

function fits(algorithm: HttpSignatureAlgorithm, { named, allowed }: SignedBases): boolean {
  return allowed.includes(algorithm) && (named === null || named === algorithm);
}

function isSigned(check: Check, bases: readonly Buffer[], key: PublicKey, signature: Buffer): boolean {
  return bases.some((base) => check(base, key, signature));
}
