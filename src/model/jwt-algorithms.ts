import type { PublicKeyKind } from './public-key/public-key.ts';

/** Each `alg` that a token of an issuer may have (RFC 7518 §3.1, RFC 9864), with the kind of keys that it goes with. */
const kinds = {
  EdDSA: 'ed25519',
  Ed25519: 'ed25519',
  ES256: 'p-256',
  ES384: 'p-384',
  RS256: 'rsa',
  RS384: 'rsa',
  RS512: 'rsa',
  PS256: 'rsa',
  PS384: 'rsa',
  PS512: 'rsa',
} as const satisfies Readonly<Record<string, PublicKeyKind>>;

/** An `alg` of tokens of issuers: asymmetric, so never `none` and none with a shared secret (RFC 8725 §3.1). */
export type JwtAlgorithm = keyof typeof kinds;

/** All of them, in the order in which they are listed. */
export const jwtAlgorithms = Object.keys(kinds) as readonly JwtAlgorithm[];

/** Whether a text is one of them. */
export function isJwtAlgorithm(text: unknown): text is JwtAlgorithm {
  return typeof text === 'string' && Object.hasOwn(kinds, text);
}

/** The kind of keys that an algorithm goes with. */
export function keyKindOf(algorithm: JwtAlgorithm): PublicKeyKind {
  return kinds[algorithm];
}
