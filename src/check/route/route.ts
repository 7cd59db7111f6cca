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
  if (endpoint === null) return refuse('ENDPOINT_NOT_FOUND', explainMiss(named));
  if (!endpoint.enabled) return refuse('ENDPOINT_NOT_FOUND', `the endpoint ${endpoint.id} is disabled`);
  return { received, endpoint, catalog } as Routed;
}

function explainMiss(named: string | null): string {
  return named === null
    ? 'no endpoint matches host, path and method'
    : `configuration fault: the Envoy route names the endpoint "${printable(named)}", which does not exist`;
}
