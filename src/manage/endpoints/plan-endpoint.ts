import { declareEndpoint, readEndpoint } from '../../resources/endpoint.ts';
import { readPlain } from '../../document/read-plain.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { findMatchCollisions } from '../../route/collisions.ts';
import type { Planned } from '../planned.ts';
import type { Stored } from '../../resources/resource.ts';
import { applyWish, type EndpointWish } from './endpoint-wish.ts';

/** Plans a new endpoint. `others` are all endpoints that there are. A wish without a scenario is for partners. */
export function planNewEndpoint(id: string, wish: EndpointWish, others: readonly Endpoint[]): Planned {
  if (others.some((other) => other.id === id)) {
    return { conflict: `there is an endpoint "${id}" already; change it with "postern endpoint edit ${id}"` };
  }
  return planFrom({ id, scenario: 'partner-openapi' }, null, wish, others);
}

/** Plans a change of an endpoint. `others` are all endpoints that there are; itself may be among them. */
export function planEndpointEdit(current: Stored<Endpoint>, wish: EndpointWish, others: readonly Endpoint[]): Planned {
  const { resource } = current;
  return planFrom(
    declareEndpoint(resource),
    current,
    wish,
    others.filter(({ id }) => id !== resource.id),
  );
}

function planFrom(
  declared: Readonly<Record<string, unknown>>,
  before: Stored<Endpoint> | null,
  wish: EndpointWish,
  others: readonly Endpoint[],
): Planned {
  const read = readPlain(applyWish(declared, wish), readEndpoint);
  if ('problems' in read) return read;
  const after = read.value;
  const collision = findMatchCollisions([...others, after]).find(({ second }) => second === after);
  if (collision !== undefined) {
    const { first, rule } = collision;
    return { conflict: `"${after.id}" would take the same requests as the endpoint "${first.id}" (${rule})` };
  }
  return { changes: [{ kind: 'endpoint', id: after.id, before, after }] };
}
