import type { Endpoint } from '../../model/endpoint.ts';
import type { GroupGrant } from '../../model/grant.ts';
import { limitsInForce, type RankedGrant, rankGrants } from '../../model/grant-in-effect.ts';
import type { CompiledGrant, GroupGrants } from './check-store.ts';

const none: readonly CompiledGrant[] = [];

/**
 * Compiles grants for groups, so that a check makes nothing: by endpoint, in the order in which they are looked at,
 * with the limits that each brings into force. Those on no endpoint are left out.
 */
export function compileGroupGrants(
  grants: readonly (GroupGrant | RankedGrant)[],
  endpoints: readonly Endpoint[],
): GroupGrants {
  const byEndpoint = new Map<string, (GroupGrant | RankedGrant)[]>();
  for (const grant of grants) {
    const list = byEndpoint.get(grant.endpointId);
    if (list === undefined) byEndpoint.set(grant.endpointId, [grant]);
    else list.push(grant);
  }
  const ranked = new Map<string, readonly CompiledGrant[]>();
  for (const { id, limits } of byEndpoint.size === 0 ? [] : endpoints) {
    const own = rankGrants(byEndpoint.get(id) ?? []);
    if (own.length > 0)
      ranked.set(
        id,
        own.map((grant) => compiledGrant(grant, limits)),
      );
  }
  return { of: (endpointId) => ranked.get(endpointId) ?? none };
}

// Field by field: spread would give objects hidden classes of their own, which slows every check down.
function compiledGrant(grant: RankedGrant, ofEndpoint: Endpoint['limits']): CompiledGrant {
  return {
    endpointId: grant.endpointId,
    consumerSelector: grant.consumerSelector,
    priority: grant.priority,
    limits: grant.limits,
    expiresAt: grant.expiresAt,
    names: grant.names,
    values: grant.values,
    known: grant.known,
    limitsInForce: limitsInForce(ofEndpoint, grant),
  };
}
