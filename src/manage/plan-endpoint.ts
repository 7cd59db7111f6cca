import { declareEndpoint, readEndpoint } from '../resources/endpoint.ts';
import { readPlain } from '../document/read-plain.ts';
import type { Endpoint } from '../model/endpoint.ts';
import { findMatchCollisions } from '../route/collisions.ts';
import type { Change, Planned } from './change.ts';
import type { Stored } from '../resources/resource.ts';
import type { Grant } from '../model/grant.ts';
import { planGrantRemoval } from './plan-grant.ts';
import type { Declared } from '../resources/declared.ts';

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

/** Plans the deletion of an endpoint with the grants on it. */
export function planEndpointDeletion(current: Stored<Endpoint>, grants: readonly Stored<Grant>[]): readonly Change[] {
  return [...grants.map(planGrantRemoval), { kind: 'endpoint', id: current.resource.id, before: current, after: null }];
}

/** What is wished of an endpoint, in the words of a declarative file. What is absent stays as it is, or gets its default. */
export interface EndpointWish {
  readonly scenario?: string;
  readonly description?: string;
  /** Lists replace those that are there. */
  readonly hosts?: readonly string[];
  readonly paths?: readonly Declared[];
  readonly methods?: readonly string[];
  readonly authentication?: string;
  readonly accessCondition?: string;
  readonly limits?: readonly Declared[];
  /** One by one: others stay. */
  readonly options?: Declared;
  readonly enabled?: boolean;
  /** What gets its default again. `options.clockSkewSeconds` for one option. */
  readonly unset?: readonly EndpointField[];
}

/** What of an endpoint can be left to its default. */
export const clearableFields = ['description', 'hosts', 'methods', 'accessCondition', 'limits', 'options'] as const;
export type EndpointField = (typeof clearableFields)[number] | `options.${string}`;

/** An endpoint in declared form after a wish. Whether it is right, the reader of declarative files says. */
export function applyWish(declared: Declared, wish: EndpointWish): Declared {
  const { hosts, paths, methods, limits, options, unset = [], ...plain } = wish;
  const isOpened = wish.scenario === 'open' && declared['scenario'] !== 'open';
  // What an open endpoint cannot have goes with the wish to open it, unless it is wished in the same breath.
  const kept = isOpened ? leaveOut(declared, ['authentication', 'accessCondition']) : declared;
  const keptOptions = unset.includes('options') ? {} : leaveOut(mappingOf(declared['options']), optionNames(unset));
  return {
    ...leaveOut(kept, unset),
    ...plain,
    match: { ...leaveOut(mappingOf(declared['match']), unset), ...given({ hosts, paths, methods }) },
    trafficControl: { ...leaveOut(mappingOf(declared['trafficControl']), unset), ...given({ limits }) },
    options: { ...keptOptions, ...options },
  };
}

function optionNames(unset: readonly string[]): readonly string[] {
  return unset.filter((field) => field.startsWith('options.')).map((field) => field.slice('options.'.length));
}

function leaveOut(declared: Declared, keys: readonly string[]): Declared {
  return Object.fromEntries(Object.entries(declared).filter(([key]) => !keys.includes(key)));
}

function given(values: Declared): Declared {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function mappingOf(value: unknown): Declared {
  return typeof value === 'object' && value !== null ? (value as Declared) : {};
}
