import { type Routed } from '../route/route.ts';
import { concealKey } from './key.ts';
import { type UpstreamChanges, unchanged } from './upstream-changes.ts';

/**
 * The changes that a request needs before it goes upstream without having been authenticated, as `mode: observe` lets
 * it (spec §4.4): credentials stay hidden from the back end, whoever sent them.
 */
export function concealCredentials(routed: Routed): UpstreamChanges {
  const { endpoint } = routed;
  switch (endpoint.authentication) {
    case 'key':
      return concealKey(routed, endpoint.options);
    case null:
    case 'hmac':
    case 'parameter-signature':
    case 'oauth2':
      return unchanged;
  }
}
