import type { Endpoint } from '../model/endpoint.ts';
import type { GroupGrant } from '../model/grant.ts';
import { limitsInForce, rankGrants } from '../model/grant-in-effect.ts';
import type { GroupGrants, RankedGrant } from './check-store.ts';

const none: readonly RankedGrant[] = [];

/**
 * Compiles grants for groups, so that a check makes nothing: by endpoint, in the order in which they are looked at, with
 * the limits that each brings into force. Those on no endpoint are left out.
 */
export function compileGroupGrants(grants: readonly GroupGrant[], endpoints: readonly Endpoint[]): GroupGrants {
  const byEndpoint = new Map<string, GroupGrant[]>();
  for (const grant of grants) {
    const list = byEndpoint.get(grant.endpointId);
    if (list === undefined) byEndpoint.set(grant.endpointId, [grant]);
    else list.push(grant);
  }
  const ranked = new Map<string, readonly RankedGrant[]>();
  for (const { id, limits } of byEndpoint.size === 0 ? [] : endpoints) {
    const own = byEndpoint.get(id);
    if (own !== undefined)
      ranked.set(
        id,
        rankGrants(own).map((grant) => rankedGrant(grant, limits)),
      );
  }
  return { of: (endpointId) => ranked.get(endpointId) ?? none };
}

// Field by field: spread would give objects hidden classes of their own, which slows every check down.
function rankedGrant(grant: GroupGrant, ofEndpoint: Endpoint['limits']): RankedGrant {
  return {
    endpointId: grant.endpointId,
    consumerSelector: grant.consumerSelector,
    priority: grant.priority,
    limits: grant.limits,
    expiresAt: grant.expiresAt,
    limitsInForce: limitsInForce(ofEndpoint, grant),
  };
}
