import type { Endpoint } from '../model/endpoint.ts';

/**
 * Why this version cannot judge the callers of an endpoint; null when it can. Such endpoints refuse with 503 and are
 * named at start: nothing is allowed because it cannot be judged.
 */
export function findUnserved(endpoint: Endpoint): string | null {
  switch (endpoint.authentication) {
    case null:
    case 'key':
    case 'oauth2':
      return null;
    case 'hmac':
    case 'parameter-signature':
      return endpoint.options.replayProtection ? 'this version has no replay protection' : null;
  }
}
