import { printable } from '../../base/text/printable.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { Received } from '../receive/receive.ts';
import { refuse, type Refusal } from '../refusal.ts';
import type { Catalog } from '../store/check-store.ts';

declare const routed: unique symbol;

/** Proof that a request belongs to an enabled endpoint, in one catalog that decides everything after. */
export interface Routed {
  readonly received: Received;
  readonly endpoint: Endpoint;
  readonly catalog: Catalog;
  readonly [routed]: true;
}

/**
 * Finds the endpoint of a request: the one that the Envoy route names, else by host, path and method.
 * Unknown, disabled and unmatched ones are refused with `ENDPOINT_NOT_FOUND` (spec §2.2-§2.5).
 */
export function route(received: Received, catalog: Catalog): Routed | Refusal {
  const named = received.request.endpointExtension;
  const endpoint =
    named === null
      ? catalog.endpoints.find(received.host, received.target.comparable, received.request.method)
      : catalog.endpoints.findById(named);
  if (endpoint === null) return named === null ? refuseUnmatched(received, catalog) : refuseNamed(named);
  if (!endpoint.enabled) return nearMiss(`the endpoint ${endpoint.id} is disabled`);
  return { received, endpoint, catalog } as Routed;
}

function refuseNamed(id: string): Refusal {
  const detail = `configuration fault: the Envoy route names the endpoint "${printable(id)}", which does not exist`;
  return refuse('ENDPOINT_NOT_FOUND', detail);
}

/** Endpoints and methods that a detail names; more are left out. */
const MAX_NAMED = 10;

function refuseUnmatched({ request, host, target }: Received, { endpoints }: Catalog): Refusal {
  const takers = [...endpoints.methodsOf(host, target.comparable)].slice(0, MAX_NAMED);
  if (takers.length === 0) return refuse('ENDPOINT_NOT_FOUND', 'no endpoint matches host, path and method');
  const taken = takers.map(([{ id }, methods]) => `the endpoint ${id} takes ${listOf(methods)}`);
  return nearMiss(`${taken.join(', ')}; the request is ${printable(request.method)}`);
}

function listOf(methods: readonly string[]): string {
  return `${methods.slice(0, MAX_NAMED).join(', ')}${methods.length > MAX_NAMED ? ', …' : ''}`;
}

function nearMiss(detail: string): Refusal {
  return { ...refuse('ENDPOINT_NOT_FOUND', detail), isNearMiss: true };
}
