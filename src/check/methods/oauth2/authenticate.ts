import type { OAuth2Options } from '../../../model/endpoint.ts';
import { type Pending, whenReady } from '../../../base/pending.ts';
import type { HttpRequest } from '../../receive/http-request.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import type { HeldCredential } from '../../store/credential-source.ts';
import { tokenFaults } from '../../tokens/access-tokens.ts';
import type { RevokedTokens } from '../../tokens/revoked-tokens.ts';
import type { TokenClaims } from '../../tokens/token-claims.ts';
import {
  type Authenticated,
  type AuthenticationPorts,
  unchanged,
  type UpstreamChanges,
  vouchFor,
} from '../authenticated.ts';
import { findFormFault, findTokenText, takeTokenOut } from '../bearer-token.ts';
import { findCredentialFault, nameCaller } from '../caller.ts';

/**
 * Authenticates by an access token (spec §3.4, RFC 6750): in `Authorization`, or with `tokenInQuery` as `access_token`,
 * never both. The token says which credential it was issued for; that credential and its consumer are judged again.
 */
export function authenticateByOAuth2(
  routed: Routed,
  options: OAuth2Options,
  { clock, tokens, revokedTokens, peerCertificates }: AuthenticationPorts,
): Pending<Authenticated | Refusal> {
  const { request, target } = routed.received;
  const text = findTokenText(request, options.tokenInQuery ? target.query : null);
  if (typeof text !== 'string') return text;
  const claims = tokens.verify(text);
  if ('fault' in claims) return findFormFault(request) ?? invalid(claims.fault);
  if (!isSentWithItsCertificate(claims, request, peerCertificates)) return invalid(tokenFaults.otherCertificate);
  return whenReady(routed.catalog.credentials.findByAppKey(claims.clientId), (held) => {
    const fault = findTokenFault(claims, held, revokedTokens, clock.nowSeconds());
    if (fault !== null) return nameCaller(fault, held);
    return vouchFor(routed, held, concealToken(routed, options));
  });
}

/** A token that is bound to a client certificate works over its connections only (RFC 8705 §3). */
function isSentWithItsCertificate(
  { certificate }: TokenClaims,
  request: HttpRequest,
  peerCertificates: AuthenticationPorts['peerCertificates'],
): boolean {
  if (certificate === null) return true;
  const sent = request.peerCertificate;
  return sent !== null && peerCertificates.read(sent)?.thumbprint === certificate;
}

/**
 * What a verified token is refused with now; null when it works. Its credential and consumer are judged as
 * they are at this moment, so that disabling or revoking them ends their tokens (spec §3.4).
 *
 * @param held the credential that has the App Key of the token now
 */
export function findTokenFault(
  claims: TokenClaims,
  held: HeldCredential | null,
  revoked: Pick<RevokedTokens, 'isRevoked'>,
  nowSeconds: number,
): Refusal | null {
  const fault = findCredentialFault(held, 'oauth2', nowSeconds);
  if (fault !== null) return fault.refused === 'AUTHENTICATION_FAILED' ? invalid(fault.detail) : fault;
  if (held?.credential.id !== claims.credentialId || held.consumer.id !== claims.consumerId) {
    return invalid(tokenFaults.otherCredential);
  }
  return revoked.isRevoked(claims.tokenId) ? invalid(tokenFaults.revoked) : null;
}

function invalid(detail: string): Refusal {
  return refuse('TOKEN_INVALID', detail);
}

/** Takes the token out of header and query; an `Authorization` of another scheme stays. */
export function concealToken(routed: Routed, { hideCredentials, tokenInQuery }: OAuth2Options): UpstreamChanges {
  return hideCredentials ? takeTokenOut(routed, tokenInQuery) : unchanged;
}
