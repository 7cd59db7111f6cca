import { declareEndpoint, readEndpoint } from '../endpoint.ts';
import { readPlain } from '../../model/document/read-plain.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { findMatchCollisions } from '../../check/route/collisions.ts';
import type { Change, Planned } from './change.ts';
import type { Stored } from '../resource.ts';
import type { Grant } from '../../model/grant.ts';
import { planGrantRemoval } from './plan-grant.ts';
import type { Declared } from '../declared.ts';
import { Conflict, listPlans, type ResourceStore } from './resource-store.ts';
import { takenId } from './planned-conflict.ts';
import { applyWish, type Wish } from './wish.ts';

/** Plans a new endpoint. `others` are all endpoints that there are. A wish without a scenario is for partners. */
export function planNewEndpoint(id: string, wish: Wish, others: readonly Endpoint[]): Planned {
  if (others.some((other) => other.id === id)) {
    return takenId('endpoint', id);
  }
  return planFrom({ id, scenario: 'partner-openapi', match: {} }, null, wish, others);
}

/** Plans a change of an endpoint. `others` are all endpoints that there are; itself may be among them. */
export function planEndpointEdit(current: Stored<Endpoint>, wish: Wish, others: readonly Endpoint[]): Planned {
  const { resource } = current;
  return planFrom(
    declareEndpoint(resource),
    current,
    wish,
    others.filter(({ id }) => id !== resource.id),
  );
}

function planFrom(
  declared: Declared,
  before: Stored<Endpoint> | null,
  wish: Wish,
  others: readonly Endpoint[],
): Planned {
  const isOpened = wish['scenario'] === 'open' && declared['scenario'] !== 'open';
  // What an open endpoint cannot have goes with the wish to open it, unless the same wish sets it.
  const whole = isOpened ? { authentication: undefined, accessCondition: undefined, ...wish } : wish;
  const read = readPlain(applyWish(declared, whole), readEndpoint, before === null ? undefined : declared);
  if ('problems' in read) return read;
  const after = read.value;
  const collision = findMatchCollisions([...others, after]).find(({ second }) => second === after);
  if (collision !== undefined) {
    const { first, rule } = collision;
    const wouldTake = `"${after.id}" would take the same requests as`;
    const unnamed = `${wouldTake} another endpoint`;
    const conflict = `${wouldTake} the endpoint "${first.id}" (${rule})`;
    return { conflict, holder: { kind: 'endpoint', id: first.id, unnamed } };
  }
  return { changes: [{ kind: 'endpoint', id: after.id, before, after }] };
}

/** Plans the deletion of an endpoint with the grants on it. */
export function planEndpointDeletion(current: Stored<Endpoint>, grants: readonly Stored<Grant>[]): readonly Change[] {
  return [...grants.map(planGrantRemoval), { kind: 'endpoint', id: current.resource.id, before: current, after: null }];
}

/** Rejects with {@link Conflict} where plans list an endpoint that is to be deleted: they change first. */
export async function requireUnlisted(id: string, resources: Pick<ResourceStore, 'list'>): Promise<void> {
  const plans = (await listPlans(resources)).filter(({ endpointIds }) => endpointIds?.includes(id) === true);
  if (plans.length === 0) return;
  throw listedIn(
    id,
    plans.map((plan) => plan.id),
  );
}

/** Why an endpoint is not deleted: these plans list it, one at least. */
export function listedIn(endpointId: string, planIds: readonly string[]): Conflict {
  const isOne = planIds.length === 1;
  const names = planIds.map((id) => JSON.stringify(id)).join(', ');
  const rule = `the endpoint "${endpointId}"; take it out of the plan${isOne ? '' : 's'} first. Nothing was changed`;
  return new Conflict(`the plan${isOne ? '' : 's'} ${names} list${isOne ? 's' : ''} ${rule}`, {
    unnamed: `a plan lists the endpoint "${endpointId}"; take it out of the plan first. Nothing was changed`,
  });
}
