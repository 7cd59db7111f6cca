import { createHash, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';

/** How each kind of key is made. */
const kinds = {
  ed25519: () => generateKeyPairSync('ed25519'),
  'ecdsa-p256-sha256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'ecdsa-p384-sha384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'rsa-pss-sha512': () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  'rsa-v1_5-sha256': () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
} as const satisfies Readonly<Record<string, () => { readonly publicKey: KeyObject; readonly privateKey: KeyObject }>>;

/** A signature algorithm of RFC 9421 §3.3 with keys of two halves. */
export type SignatureAlgorithm = keyof typeof kinds;

export const signatureAlgorithms = Object.keys(kinds) as readonly SignatureAlgorithm[];

/** A key pair of a partner. */
export interface SigningKey {
  readonly algorithm: SignatureAlgorithm;
  /** The private key as PKCS #8. */
  readonly pem: string;
  readonly jwk: JsonWebKey;
  readonly publicJwk: JsonWebKey;
  /** RFC 7638. */
  readonly thumbprint: string;
}

/** Makes a key for an algorithm. */
export function makeSigningKey(algorithm: SignatureAlgorithm): SigningKey {
  const { publicKey, privateKey } = kinds[algorithm]();
  const publicJwk = publicKey.export({ format: 'jwk' });
  return {
    algorithm,
    pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    jwk: privateKey.export({ format: 'jwk' }),
    publicJwk,
    thumbprint: createHash('sha256').update(requiredMembers(publicJwk)).digest('base64url'),
  };
}

/** The members that RFC 7638 §3.2 asks for, in its order. */
function requiredMembers({ crv, e, kty, n, x, y }: JsonWebKey): string {
  return JSON.stringify({ crv, e, kty, n, x, y });
}
