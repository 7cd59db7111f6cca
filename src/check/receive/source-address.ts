import { isIP } from 'node:net';
import type { HttpRequest } from './http-request.ts';

/**
 * The address that a request came from, for operators; nothing is decided by it. It is `x-envoy-external-address`,
 * which Envoy sets and takes from callers (envoy.yaml), behind load balancers too; for callers that Envoy takes for
 * internal ones it is the peer of Envoy. Null where neither is an address.
 */
export function sourceAddressOf(request: Pick<HttpRequest, 'headers' | 'peerAddress'>): string | null {
  const external = request.headers.findSingle('x-envoy-external-address');
  if (typeof external === 'string' && isIP(external) !== 0) return external;
  const peer = request.peerAddress;
  return peer !== null && isIP(peer) !== 0 ? peer : null;
}
