import type { Endpoint } from '../../model/endpoint.ts';
import type { Grant } from '../../model/grant.ts';
import type { Change } from '../change.ts';
import { planGrantRemoval } from '../grants/plan-grant-removal.ts';
import type { Stored } from '../../resources/resource.ts';

/** Plans the deletion of an endpoint with the grants on it. */
export function planEndpointDeletion(current: Stored<Endpoint>, grants: readonly Stored<Grant>[]): readonly Change[] {
  return [...grants.map(planGrantRemoval), { kind: 'endpoint', id: current.resource.id, before: current, after: null }];
}
