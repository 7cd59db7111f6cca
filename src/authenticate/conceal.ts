import type { ParameterSignatureOptions } from '../model/endpoint.ts';
import { isRefusal } from '../refusal.ts';
import type { Routed } from '../route/route.ts';
import { parseParameterRequest } from '../signature/parameter-request.ts';
import { concealHmac } from './hmac.ts';
import { concealKey } from './key.ts';
import { concealToken } from './oauth2.ts';
import { concealParameters } from './parameter-signature.ts';
import { type UpstreamChanges, unchanged } from './upstream-changes.ts';

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
