import type { Pending } from '../pending.ts';
import type { Refusal } from '../refusal.ts';
import type { Routed } from '../route/route.ts';
import { type Authenticated, type AuthenticationPorts, vouchFor } from './authenticated.ts';
import { authenticateByHmac } from './hmac.ts';
import { authenticateByKey } from './key.ts';
import { authenticateByOAuth2 } from './oauth2.ts';
import { authenticateByParameterSignature } from './parameter-signature.ts';
import { unchanged } from './upstream-changes.ts';

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
