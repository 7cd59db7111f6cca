import type { Change } from '../../resources/changes/change.ts';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { isLive } from '../../base/clock.ts';
import { grouped } from '../../base/text/printable.ts';

/** Credentials that are counted: a store has millions, and the number is there to surprise. */
const MAX_COUNTED = 100_000;

/**
 * What to say of a change after which an endpoint lets in consumers that nobody named: how many have a credential for
 * it now. Nothing where nobody has one, and for an endpoint that let them in before.
 */
export async function notesOnLetIn(
  store: ResourceStore,
  change: Change | undefined,
  nowSeconds: number,
): Promise<readonly string[]> {
  if (change?.kind !== 'endpoint' || change.after === null || !letsAllIn(change.after)) return [];
  const { authentication: method } = change.after;
  const former = change.before?.resource ?? null;
  if (former !== null && letsAllIn(former) && former.authentication === method) return [];
  const consumers = new Set<string>();
  let counted = 0;
  for await (const { resource } of store.list('credential')) {
    counted += 1;
    if (counted > MAX_COUNTED) break;
    const { methods, state } = resource;
    if (state !== 'revoked' && methods.includes(method) && isLive(resource, nowSeconds))
      consumers.add(resource.consumerId);
  }
  if (consumers.size === 0) return [];
  const number = `${counted > MAX_COUNTED ? 'at least ' : ''}${grouped(consumers.size)}`;
  const all = `every consumer with a credential for ${method} gets in: ${number}`;
  return [`${all}; --access-condition authenticated-and-authorized lets in only those with a grant`];
}

function letsAllIn(endpoint: Endpoint): endpoint is Extract<Endpoint, { readonly scenario: 'partner-openapi' }> {
  return endpoint.enabled && endpoint.scenario !== 'open' && endpoint.accessCondition === 'authenticated';
}
