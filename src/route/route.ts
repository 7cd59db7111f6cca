import { printable } from '../printable.ts';
import type { Endpoint } from '../model/endpoint.ts';
import type { Received } from '../receive/receive.ts';
import { refuse, type Refusal } from '../refusal.ts';
import type { Snapshot } from '../store/check-store.ts';

declare const routed: unique symbol;

/** Proof that a request belongs to an enabled endpoint, in one snapshot that decides everything after. */
export interface Routed {
  readonly received: Received;
  readonly endpoint: Endpoint;
  readonly snapshot: Snapshot;
  readonly [routed]: true;
}

/**
 * Finds the endpoint of a request: the one that the Envoy route names, else by host, path and method.
 * Unknown, disabled and unmatched ones are refused with `ENDPOINT_NOT_FOUND` (spec §2.2-§2.5).
 */
export function route(received: Received, snapshot: Snapshot): Routed | Refusal {
  const named = received.request.endpointExtension;
  const endpoint =
    named === null
      ? snapshot.endpoints.find(received.host, received.target.comparable, received.request.method)
      : snapshot.endpoints.findById(named);
  if (endpoint === null) return refuse('ENDPOINT_NOT_FOUND', explainMiss(named));
  if (!endpoint.enabled) return refuse('ENDPOINT_NOT_FOUND', `the endpoint ${endpoint.id} is disabled`);
  return { received, endpoint, snapshot } as Routed;
}

function explainMiss(named: string | null): string {
  return named === null
    ? 'no endpoint matches host, path and method'
    : `configuration fault: the Envoy route names the endpoint "${printable(named)}", which does not exist`;
}
