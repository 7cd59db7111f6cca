import type { ParameterSignatureOptions } from '../model/endpoint.ts';
import type { Pending } from '../pending.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { Routed } from '../route/route.ts';
import {
  type Authenticated,
  type AuthenticationPorts,
  unchanged,
  type UpstreamChanges,
  vouchFor,
} from './authenticated.ts';
import { authenticateByHmac, concealHmac } from './hmac/authenticate.ts';
import { authenticateByKey, concealKey } from './key/authenticate.ts';
import { authenticateByOAuth2, concealToken } from './oauth2/authenticate.ts';
import { authenticateByParameterSignature, concealParameters } from './parameter-signature/authenticate.ts';
import { parseParameterRequest } from './parameter-signature/request.ts';

/**
 * Finds out who calls, by the endpoint's method (spec §3). Open endpoints authenticate nobody (spec §2.6).
 */
export function authenticate(routed: Routed, ports: AuthenticationPorts): Pending<Authenticated | Refusal> {
  const { endpoint } = routed;
  switch (endpoint.authentication) {
    case null:
      return vouchFor(routed, null, unchanged);
    case 'key':
      return authenticateByKey(routed, endpoint.options, ports);
    case 'hmac':
      return authenticateByHmac(routed, endpoint.options, ports);
    case 'parameter-signature':
      return authenticateByParameterSignature(routed, endpoint.options, ports);
    case 'oauth2':
      return authenticateByOAuth2(routed, endpoint.options, ports);
  }
}

/**
 * The changes that a request needs before it goes upstream without having been authenticated, as `mode: observe` lets
 * it (spec §4.4): credentials stay hidden and a wrapper is taken off, whoever sent them.
 */
export function concealCredentials(routed: Routed): UpstreamChanges {
  const { endpoint } = routed;
  switch (endpoint.authentication) {
    case 'key':
      return concealKey(routed, endpoint.options);
    case 'hmac':
      return concealHmac(endpoint.options);
    case 'parameter-signature':
      return concealReadParameters(routed, endpoint.options);
    case 'oauth2':
      return concealToken(routed, endpoint.options);
    case null:
      return unchanged;
  }
}

/** Reads the parameters once more: `observe` lets only requests through in which they are well formed. */
function concealReadParameters(routed: Routed, options: ParameterSignatureOptions): UpstreamChanges {
  const parameters = parseParameterRequest(routed.received.request, options);
  if (isRefusal(parameters)) throw new Error('an observed request whose parameters cannot be read was let through');
  return concealParameters(routed, options, parameters);
}
