import { isIP } from 'node:net';
import type { HttpRequest } from './http-request.ts';

type SourcedRequest = Pick<HttpRequest, 'headers' | 'peerAddress'>;

/** The header that Envoy sets, and takes from callers (envoy.yaml), behind load balancers too. */
export const EXTERNAL_ADDRESS = 'x-envoy-external-address';

/**
 * The address that a request came from, for operators; {@link vouchedAddressOf} is the one that decides. It is
 * `x-envoy-external-address`; for callers that Envoy takes for internal ones it is the peer of Envoy. Null where
 * neither is an address.
 */
export function sourceAddressOf(request: SourcedRequest): string | null {
  const external = request.headers.findSingle(EXTERNAL_ADDRESS);
  if (typeof external === 'string' && isIP(external) !== 0) return external;
  const peer = request.peerAddress;
  return peer !== null && isIP(peer) !== 0 ? peer : null;
}

/**
 * The address that address lists are compared with, as it came: the peer of Envoy only where Envoy says no other. Null
 * where it says two, or none that is an address: then the peer is not the caller.
 */
export function vouchedAddressOf(request: SourcedRequest): string | null {
  const external = request.headers.findSingle(EXTERNAL_ADDRESS);
  if (external === null) return request.peerAddress;
  return typeof external === 'string' ? external : null;
}
