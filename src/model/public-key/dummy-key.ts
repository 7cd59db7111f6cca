import { createHash } from 'node:crypto';
import { PublicKey, type PublicKeyKind } from './public-key.ts';
import { MAX_RSA_BITS, MIN_RSA_BITS } from './read-jwk.ts';

const curveKeys: Readonly<Record<Exclude<PublicKeyKind, 'rsa'>, PublicKey>> = {
  ed25519: new PublicKey(
    'ed25519',
    { kty: 'OKP', crv: 'Ed25519', x: 'sGubI_0TBjphv9GlF2jE9cLSpoXN8G_ABdYfxr82yLw' },
    256,
  ),
  'p-256': new PublicKey(
    'p-256',
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'IKSlS_oTmtLLTfR3sPzAF89oa2xA3Pd069rCQbL7tK4',
      y: '-UmcVRtF196vNRZeFOjB2Ljm81mBl5XPJDQeO9RW_tc',
    },
    256,
  ),
  'p-384': new PublicKey(
    'p-384',
    {
      kty: 'EC',
      crv: 'P-384',
      x: 'MKsKH6Ygp2p9gGmi_CEy5c9ijRQzkQj5X551ovc1-HPIGqnT0LeOEfS-Hr4x9r8n',
      y: 'k8uduep9E6k6LDJKytuSTlSnD1KszdJjOmbYQDSpCThZ_hkAb61iiaBE8dvAcfAQ',
    },
    384,
  ),
};

/**
 * A public key whose private half nobody has, of a kind, for signatures of so many bytes; null where no key of the kind
 * has such. A signature that was not right is verified against it, so that the time tells nobody which App Keys are
 * known, nor what kind of key they have (spec §3.5). Whether it fits one does not count.
 */
export function dummyKey(kind: PublicKeyKind, bytes: number): PublicKey | null {
  if (kind === 'rsa') return bytes * 8 < MIN_RSA_BITS || bytes * 8 > MAX_RSA_BITS ? null : rsaKey(bytes);
  const key = curveKeys[kind];
  return key.signatureBytes === bytes ? key : null;
}

/** The modulus is an odd number that nobody made of two primes. */
function rsaKey(bytes: number): PublicKey {
  const modulus = createHash('shake256', { outputLength: bytes }).update('a key that nobody has').digest();
  modulus[0] = (modulus[0] ?? 0) | 0x80;
  modulus[bytes - 1] = (modulus[bytes - 1] ?? 0) | 1;
  return new PublicKey('rsa', { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' }, bytes * 8);
}
