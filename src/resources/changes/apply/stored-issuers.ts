import type { PlacedDocument } from '../../parse-document.ts';
import { placeIn } from '../../../model/document/problem-log.ts';
import { checkIssuerReferences } from '../../issuer-references.ts';
import { carries } from '../../../model/labels.ts';
import type { ResourceStore } from '../resource-store.ts';
import type { Planning } from './apply-plan.ts';

/**
 * Reports issuers of a document with the `iss` of a stored one that the document does not name and that stays, and
 * credentials whose issuer is neither in the document nor stays in the store.
 */
export async function checkStoredIssuers(
  { issuers, credentials, problems }: PlacedDocument,
  store: ResourceStore,
  { isPruning, selector = {} }: Planning,
): Promise<void> {
  if (issuers.length === 0 && !credentials.some(({ value }) => value.material.kind === 'token-claims')) return;
  const named = new Set(issuers.map(({ value }) => value.id));
  const there = new Set(named);
  const placeOf = new Map(issuers.map(({ value, place }) => [value.issuer, place]));
  for await (const { resource } of store.list('issuer')) {
    const place = placeOf.get(resource.issuer);
    const isOwn = carries(resource.labels, selector);
    if (named.has(resource.id) || (isPruning && isOwn)) continue;
    there.add(resource.id);
    if (place === undefined) continue;
    const who = isOwn ? `the issuer "${resource.id}"` : 'another issuer';
    problems.report(placeIn(place, 'issuer'), `${who} in the store has this "issuer" already: name that one`);
  }
  checkIssuerReferences(credentials, there, problems);
}
