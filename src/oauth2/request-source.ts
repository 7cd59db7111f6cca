import { groupOfAddress } from '../address-group.ts';
import type { OAuth2Request } from './oauth2-request.ts';

/**
 * Who is counted for a request (spec §3.4): `x-envoy-external-address` of a peer that is known as an Envoy, or the
 * TCP peer; an IPv6 address counts as its /64.
 */
export function sourceOf(request: Pick<OAuth2Request, 'headerValues' | 'peerAddress' | 'isPeerTrusted'>): string {
  const { headerValues, peerAddress, isPeerTrusted } = request;
  const [external = '', ...more] = isPeerTrusted ? headerValues('x-envoy-external-address') : [];
  return (more.length === 0 ? groupOfAddress(external) : null) ?? groupOfAddress(peerAddress ?? '') ?? 'local';
}
