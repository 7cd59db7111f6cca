import type { OAuth2Options } from '../../../model/endpoint.ts';
import { type Pending, whenReady } from '../../../base/pending.ts';
import type { HttpRequest } from '../../receive/http-request.ts';
import { type Refusal, type RefusalCode, refuse } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import { decodeFormText } from '../../../base/text/form-decoding.ts';
import { leadingToken } from '../../../base/text/http-grammar.ts';
import type { HeldCredential } from '../../store/credential-source.ts';
import { tokenFaults } from '../../tokens/access-tokens.ts';
import type { RevokedTokens } from '../../tokens/revoked-tokens.ts';
import type { TokenClaims } from '../../tokens/token-claims.ts';
import {
  type Authenticated,
  type AuthenticationPorts,
  pathToSet,
  unchanged,
  type UpstreamChanges,
  vouchFor,
} from '../authenticated.ts';
import { findCredentialFault, nameCaller } from '../caller.ts';
import { findParameter, removeParameter, type Repeated } from '../query-parameters.ts';

const PARAMETER = 'access_token';
const BEARER = 'bearer';
const NO_TOKEN = 'what follows Bearer in the Authorization header is not a token';
/** RFC 6750 §2.1, `b64token`. */
const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
/** Also in a value that Envoy made of several `Authorization` lines. */
const HOLDS_BEARER = /(?:^|,)\s*bearer(?:[\s,]|$)/i;

/** The errors of RFC 6750 §3.1 by refusal; none where the request has no token (§3). */
export const bearerErrors: Partial<Readonly<Record<RefusalCode, string>>> = {
  MALFORMED_REQUEST: 'invalid_request',
  CREDENTIALS_MALFORMED: 'invalid_token',
  TOKEN_INVALID: 'invalid_token',
};

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
export function concealToken(
  { received: { request, target } }: Routed,
  { hideCredentials, tokenInQuery }: OAuth2Options,
): UpstreamChanges {
  if (!hideCredentials) return unchanged;
  const isInHeader = request.headers.valuesOf('authorization').some((value) => HOLDS_BEARER.test(value.trim()));
  const headersToRemove = isInHeader ? ['authorization'] : [];
  const { query } = target;
  const left = query === null || !tokenInQuery ? query : removeParameter(query, PARAMETER);
  return { headersToSet: pathToSet(target, left), headersToRemove, body: null };
}

/** The token of a request as text, or why there is none. `query` is null where it is not looked at. */
export function findToken(request: HttpRequest, query: string | null): string | Refusal {
  const text = findTokenText(request, query);
  return typeof text === 'string' ? (findFormFault(request) ?? text) : text;
}

/**
 * Why what the header has after `Bearer` is no token; null when it is one, or when there is none. It need not be asked
 * of a token that was verified, and to ask takes as long as to remember one.
 */
export function findFormFault({ headers }: HttpRequest): Refusal | null {
  const value = headers.find('authorization') ?? '';
  const scheme = leadingToken(value);
  if (scheme.toLowerCase() !== BEARER || BEARER_TOKEN.test(textAfter(scheme, value))) return null;
  return refuse('CREDENTIALS_MALFORMED', NO_TOKEN);
}

/** As {@link findToken}; what it finds in the header may have a {@link findFormFault}. */
export function findTokenText(request: HttpRequest, query: string | null): string | Refusal {
  const inQuery = query === null ? null : findParameter(query, PARAMETER);
  const value = request.headers.findSingle('authorization');
  if (value !== null && typeof value !== 'string') {
    return refuse('CREDENTIALS_MALFORMED', 'the Authorization header appears twice');
  }
  const scheme = value === null ? null : leadingToken(value).toLowerCase();
  if (scheme === '') return refuse('CREDENTIALS_MALFORMED', 'the Authorization header does not begin with a scheme');
  if (value === null || scheme !== BEARER) {
    if (inQuery !== null) return readParameter(inQuery);
    return refuse('CREDENTIALS_MISSING', 'the request carries no access token');
  }
  if (inQuery === null) return readBearer(scheme, value);
  return refuse('MALFORMED_REQUEST', 'the request carries a token in the header and in the query');
}

function readBearer(scheme: string, value: string): string | Refusal {
  const text = textAfter(scheme, value);
  if (text === '') return refuse('TOKEN_INVALID', 'the Authorization header has no token after Bearer');
  return value[scheme.length] === ' ' ? text : refuse('CREDENTIALS_MALFORMED', NO_TOKEN);
}

/** What follows the scheme of a header and spaces. */
function textAfter(scheme: string, value: string): string {
  let at = scheme.length;
  while (value[at] === ' ') at += 1;
  return value.slice(at);
}

function readParameter(value: string | Repeated): string | Refusal {
  if (typeof value !== 'string') return refuse('CREDENTIALS_MALFORMED', `${PARAMETER} appears twice`);
  // No token that Postern issues is a text that cannot be decoded.
  return decodeFormText(value) ?? '';
}
