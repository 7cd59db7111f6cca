/**
 * The algorithms of HTTP message signatures, as RFC 9421 registers them. Which of them a signature has follows from its
 * key; an RSA key fits the last two (spec §3.5).
 */
export const httpSignatureAlgorithms = [
  'ed25519',
  'ecdsa-p256-sha256',
  'ecdsa-p384-sha384',
  'rsa-pss-sha512',
  'rsa-v1_5-sha256',
] as const;
export type HttpSignatureAlgorithm = (typeof httpSignatureAlgorithms)[number];
