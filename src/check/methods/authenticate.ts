import type { AuthenticationMethod, PartnerEndpointOf } from '../../model/endpoint.ts';
import type { Pending } from '../../base/pending.ts';
import type { Refusal } from '../refusal.ts';
import type { Routed } from '../route/route.ts';
import {
  type Authenticated,
  type AuthenticationPorts,
  unchanged,
  type UpstreamChanges,
  vouchFor,
} from './authenticated.ts';
import { methods } from './methods.ts';

/** Finds out who calls, by the endpoint's method (spec §3). Open endpoints authenticate no caller (spec §2.6). */
export function authenticate(routed: Routed, ports: AuthenticationPorts): Pending<Authenticated | Refusal> {
  const { endpoint } = routed;
  return endpoint.authentication === null ? vouchFor(routed, null, unchanged) : authenticateBy(endpoint, routed, ports);
}

/**
 * The changes that a request needs when `mode: observe` lets it go upstream without authentication (spec §4.4):
 * credentials stay hidden, and the body of a wrapper replaces it.
 */
export function concealCredentials(routed: Routed): UpstreamChanges {
  const { endpoint } = routed;
  return endpoint.authentication === null ? unchanged : concealBy(endpoint, routed);
}

// Generic, so that the compiler keeps a method and its options together.
function authenticateBy<M extends AuthenticationMethod>(
  { authentication, options }: PartnerEndpointOf<M>,
  routed: Routed,
  ports: AuthenticationPorts,
): Pending<Authenticated | Refusal> {
  return methods[authentication].authenticate(routed, options, ports);
}

function concealBy<M extends AuthenticationMethod>(
  { authentication, options }: PartnerEndpointOf<M>,
  routed: Routed,
): UpstreamChanges {
  return methods[authentication].conceal(routed, options);
}
