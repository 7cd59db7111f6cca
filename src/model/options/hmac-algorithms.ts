/** The algorithms of HMAC signatures (spec §3.2). */
export const hmacAlgorithms = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'] as const;
export type HmacAlgorithm = (typeof hmacAlgorithms)[number];
