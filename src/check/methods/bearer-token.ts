import { decodeFormText } from '../../base/text/form-decoding.ts';
import { leadingToken } from '../../base/text/http-grammar.ts';
import type { HttpRequest } from '../receive/http-request.ts';
import { type Refusal, type RefusalCode, refuse } from '../refusal.ts';
import type { Routed } from '../route/route.ts';
import { pathToSet, type UpstreamChanges } from './authenticated.ts';
import { findParameter, removeParameter, type Repeated } from './query-parameters.ts';

const PARAMETER = 'access_token';
const BEARER = 'bearer';
/** As nearly every client writes it. */
const USUAL_BEGINNING = 'Bearer ';
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

/** Takes the header away: for a request whose token was taken from its one `Authorization`. */
export const tokenTaken: UpstreamChanges = { headersToSet: [], headersToRemove: ['authorization'], body: null };

/** Takes the token out of header and, with `inQuery`, query; an `Authorization` of another scheme stays. */
export function takeTokenOut({ received: { request, target } }: Routed, inQuery: boolean): UpstreamChanges {
  const isInHeader = request.headers.valuesOf('authorization').some((value) => HOLDS_BEARER.test(value.trim()));
  const headersToRemove = isInHeader ? tokenTaken.headersToRemove : [];
  const { query } = target;
  const left = query === null || !inQuery ? query : removeParameter(query, PARAMETER);
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
  const scheme = value === null ? null : schemeOf(value);
  if (scheme === '') return refuse('CREDENTIALS_MALFORMED', 'the Authorization header does not begin with a scheme');
  if (value === null || scheme !== BEARER) {
    if (inQuery !== null) return readParameter(inQuery);
    return refuse('CREDENTIALS_MISSING', 'the request carries no access token');
  }
  if (inQuery === null) return readBearer(scheme, value);
  return refuse('MALFORMED_REQUEST', 'the request carries a token in the header and in the query');
}

/** In lower case. */
function schemeOf(value: string): string {
  return value.startsWith(USUAL_BEGINNING) ? BEARER : leadingToken(value).toLowerCase();
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
