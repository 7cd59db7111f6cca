import type { OAuth2Options } from '../../../model/endpoint.ts';
import { tokenFaults } from '../../tokens/access-tokens.ts';
import { readUnverifiedClaims } from '../../tokens/token-claims.ts';
import type { Refusal } from '../../refusal.ts';
import { type ClientRequest, headerOf } from '../../signing/client-request.ts';
import { queryOf } from '../../signing/signable-request.ts';
import { type Explainer, type Mistake, unknownSender, withoutSignature } from '../explanation/explainer.ts';
import { gatewayRequest } from '../explanation/gateway-request.ts';
import { findParameter } from '../query-parameters.ts';
import { findToken } from '../bearer-token.ts';

const SEND = 'Send "Authorization: Bearer " and the access_token exactly as the token endpoint gave it';
const GET_ANOTHER = 'Get a new token from /oauth2/token, and send the request once more';

const NOT_ISSUED_HERE = {
  name: 'token-not-issued-here',
  fix: 'Send the whole access_token that /oauth2/token of this gateway gave; POSTERN_KEYRING must name the key ring of serve',
};

/** What is wrong with a token, by what the gateway says of it. */
const MISTAKES: Readonly<Record<keyof typeof tokenFaults, Omit<Mistake, 'what'>>> = {
  tooLong: NOT_ISSUED_HERE,
  header: NOT_ISSUED_HERE,
  signature: NOT_ISSUED_HERE,
  claims: NOT_ISSUED_HERE,
  expired: { name: 'token-expired', fix: `${GET_ANOTHER}; --at TIME says when it was made` },
  notYetValid: { name: 'token-not-yet-valid', fix: 'Set the clocks of the replicas right' },
  revoked: { name: 'token-revoked', fix: GET_ANOTHER },
  otherCredential: { name: 'token-of-another-credential', fix: GET_ANOTHER },
  otherCertificate: {
    name: 'token-of-another-certificate',
    fix: 'Call with the client certificate with which the token was fetched; a request that is explained does not show it',
  },
  otherIssuer: {
    name: 'token-of-another-issuer',
    fix: 'Send the token to the gateway that issued it; POSTERN_PUBLIC_URL must be what serve has',
  },
};

/** What the gateway says of a token as a mistake; null when it says it of the credential. */
export function findTokenMistake(detail: string): Mistake | null {
  const kinds = Object.keys(MISTAKES) as (keyof typeof tokenFaults)[];
  const kind = kinds.find((each) => tokenFaults[each] === detail);
  return kind === undefined ? null : { ...MISTAKES[kind], what: detail };
}

/** Why a request to an oauth2 endpoint carries no token (spec §3.4). Whether one is valid, the gateway judges. */
export const tokenExplainer: Explainer<'oauth2'> = {
  findSentIdentity: (request, options) => {
    const token = sentToken(request, options);
    const claims = typeof token === 'string' ? readUnverifiedClaims(token) : null;
    return { ...unknownSender, appKey: claims?.clientId ?? null, claims };
  },
  credentialHeaders: () => ['authorization'],
  bodyBears: () => 'nothing',
  authenticateWithoutDigest: null,
  explain: (request, options) => {
    const token = sentToken(request, options);
    if (typeof token === 'string') return withoutSignature([]);
    const { refused, detail } = token;
    return withoutSignature([
      refused === 'CREDENTIALS_MISSING' ? findMissing(request) : { name: 'token-malformed', what: detail, fix: SEND },
    ]);
  },
};

/** The access token as the gateway finds it in a request, or why it finds none. */
function sentToken(request: ClientRequest, { tokenInQuery }: OAuth2Options): string | Refusal {
  return findToken(gatewayRequest(request), tokenInQuery ? queryOf(request.path) : null);
}

function findMissing(request: ClientRequest): Mistake {
  const { path, headers, body } = request;
  if (findParameter(queryOf(path), 'access_token') !== null) {
    const what = 'the token is in the query, where this endpoint does not look';
    return { name: 'token-in-query', what, fix: `${SEND}, or set the option tokenInQuery of the endpoint` };
  }
  const authorization = headerOf(request, 'authorization') ?? '';
  if (LONE_TOKEN.test(authorization)) {
    return { name: 'token-without-bearer', what: 'Authorization holds a token without the word Bearer', fix: SEND };
  }
  if (/^basic /i.test(authorization)) {
    const what = 'the request carries a name and a password, not a token';
    const fix = 'Get a token with client id and secret from /oauth2/token, and send that to the API';
    return { name: 'client-secret-for-token', what, fix };
  }
  if (authorization !== '') {
    return { name: 'other-scheme-for-token', what: 'Authorization has another scheme than Bearer', fix: SEND };
  }
  if (headers.some(([name]) => TOKEN_HEADER.test(name))) {
    return { name: 'token-header-name', what: 'the token is in a header of another name', fix: SEND };
  }
  if (/(?:^|[&"])access_token"?[=:]/.test(body.toString('latin1', 0, 65_536))) {
    return { name: 'token-in-body', what: 'the token is in the body', fix: SEND };
  }
  return { name: 'token-missing', what: 'the request carries no access token', fix: SEND };
}

/** A JWT alone, or after a word that some gateways take for Bearer. */
const LONE_TOKEN = /^(?:(?:token|jwt|oauth|access_token)[ =:]+)?eyJ[\w-]+\.[\w-]+\.[\w-]+$/i;
const TOKEN_HEADER = /^(?:x-)?(?:access|auth|oauth|bearer)?[-_]?token$/i;
