import { MAX_CLAIM_NAMES_OF_ISSUER } from '../model/bounds.ts';
import { type Placed, placeIn, type ProblemLog } from '../model/document/problem-log.ts';
import type { DocumentCredential } from './credential.ts';
import { type KnownIds, referenceChecker } from './cross-references.ts';
import { claimNamesOf } from './token-claims.ts';

/** Reports issuers that credentials name and that are not there. */
export function checkIssuerReferences(
  credentials: readonly Placed<DocumentCredential>[],
  issuers: KnownIds,
  problems: ProblemLog,
): void {
  const checkReference = referenceChecker(problems);
  for (const { value, place } of credentials) {
    const { material } = value;
    if (material.kind === 'token-claims') {
      checkReference('issuer', material.issuerId, issuers, placeIn(place, 'issuer'));
    }
  }
}

/** Reports credentials whose claims have other names than those of as many before them as an issuer may have. */
export function checkClaimNames(credentials: readonly Placed<DocumentCredential>[], problems: ProblemLog): void {
  const known = new Map<string, Set<string>>();
  for (const { value, place } of credentials) {
    const { material } = value;
    if (material.kind !== 'token-claims') continue;
    const names = known.get(material.issuerId) ?? new Set();
    known.set(material.issuerId, names.add(claimNamesOf(material.claims)));
    if (names.size <= MAX_CLAIM_NAMES_OF_ISSUER) continue;
    problems.report(placeIn(place, 'claims'), tooManyClaimNames(material.issuerId));
  }
}

/** Why the credentials of an issuer have too many different claims, for people. */
export function tooManyClaimNames(issuerId: string): string {
  const most = String(MAX_CLAIM_NAMES_OF_ISSUER);
  return `the credentials of the issuer "${issuerId}" have more than ${most} different sets of claims, by their names; use the same claims for all`;
}
