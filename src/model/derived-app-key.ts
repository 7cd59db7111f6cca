import { hash } from 'node:crypto';

/** The claims that a credential may name. */
export const MAX_CLAIMS = 4;
/** Characters of the name of one. */
export const MAX_CLAIM_NAME_CHARACTERS = 128;
/** Characters of the value of one. */
export const MAX_CLAIM_VALUE_CHARACTERS = 512;

/** What of a certificate identifies who calls with it. */
export type CertificateIdentifier = 'certificate' | 'public-key' | 'uri' | 'dns';

/** Claims in the order of their names (UTF-16 units), by which equal ones have one App Key. */
export function sortClaims(claims: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(sortedPairs(claims));
}

/**
 * What a credential of method `jwt` is found by in place of an App Key: it follows from the id of the issuer and the
 * claims, and is never sent.
 */
export function claimsAppKey(issuerId: string, claims: Readonly<Record<string, string>>): string {
  return `jwt.${digestOf([issuerId, sortedPairs(claims)])}`;
}

/**
 * What a credential of method `certificate` is found by in place of an App Key.
 *
 * @param value the SHA-256 in lower-case hex, or the URI or DNS name in normal form
 */
export function certificateAppKey(by: CertificateIdentifier, value: string): string {
  return `crt.${digestOf([by, value])}`;
}

function sortedPairs(claims: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(claims).sort(([first], [second]) => (first < second ? -1 : 1));
}

function digestOf(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
