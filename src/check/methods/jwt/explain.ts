import { headerOf } from '../../signing/client-request.ts';
import { queryOf } from '../../signing/signable-request.ts';
import { findToken } from '../bearer-token.ts';
import { type Explainer, type Mistake, unknownSender, withoutSignature } from '../explanation/explainer.ts';
import { gatewayRequest } from '../explanation/gateway-request.ts';
import { findParameter } from '../query-parameters.ts';
import { readToken } from './read-token.ts';
import { isFaulty, type JwtFault, jwtFaults } from './token-faults.ts';

const SEND = 'Send "Authorization: Bearer " and the token exactly as the issuer gave it';
const ANOTHER = 'Have the partner get a token of the form that docs/jwt.md describes';
const EACH_ONCE = 'Get a token for each request, with a jti and a short life, or turn replayProtection off';

/** What is wrong with a token, by what the gateway says of it. */
const MISTAKES: Readonly<Record<JwtFault, Omit<Mistake, 'what'>>> = {
  form: { name: 'token-no-jwt', fix: SEND },
  tooLong: { name: 'token-too-long', fix: 'Have the issuer put fewer claims into the token' },
  header: { name: 'token-header', fix: ANOTHER },
  type: { name: 'token-type', fix: 'Send an access token: an id token of another type, or a logout token, is none' },
  kid: { name: 'token-kid', fix: ANOTHER },
  noIssuer: { name: 'token-without-iss', fix: ANOTHER },
  times: { name: 'token-times', fix: ANOTHER },
  audienceForm: { name: 'token-without-aud', fix: 'Ask the issuer for a token with an audience of the issuer here' },
  unknownIssuer: {
    name: 'token-issuer-unknown',
    fix: 'Compare the iss of the token with the issuers of the store, to the byte; an issuer may be disabled',
  },
  algorithm: { name: 'token-algorithm', fix: 'Allow the alg on the issuer, or have tokens signed by one that is' },
  noKey: {
    name: 'token-key-unknown',
    fix: 'See whether the issuer publishes the key, and whether the token is of this issuer',
  },
  tooManyKeys: { name: 'token-without-kid', fix: 'Have the issuer name the key in the header of the token (kid)' },
  signature: { name: 'token-signature', fix: 'Send the token whole and unchanged, of the issuer that it names' },
  audience: {
    name: 'token-audience',
    fix: 'Ask for a token with an audience of the issuer here, or add its own there',
  },
  requiredClaim: { name: 'token-required-claim', fix: 'Compare the claims of the token with requiredClaims' },
  expired: {
    name: 'token-expired',
    fix: 'Get a new token, and send the request once more; --at TIME says when it was made',
  },
  notYetValid: { name: 'token-not-yet-valid', fix: 'Compare the clocks of issuer and gateway; see clockSkewSeconds' },
  noCredential: {
    name: 'token-of-nobody',
    fix: 'Issue a credential with claims that the token has, each as a text of that very value',
  },
  ambiguous: { name: 'token-of-several', fix: 'Give the credentials claims that no token of another partner has' },
  noTokenId: { name: 'token-without-jti', fix: EACH_ONCE },
  livesTooLong: { name: 'token-lives-too-long', fix: EACH_ONCE },
  keysUnknown: { name: 'issuer-keys-unknown', fix: 'See in the log why the keys of the issuer cannot be fetched' },
};

/** What the gateway says of a token of an issuer as a mistake; null when it says it of something else. */
export function findJwtMistake(detail: string): Mistake | null {
  const kinds = Object.keys(MISTAKES) as JwtFault[];
  const kind = kinds.find((each) => jwtFaults[each] === detail);
  return kind === undefined ? null : { ...MISTAKES[kind], what: detail };
}

/** Why a request carries no token of an issuer (spec §3.6). Whether one is valid, the gateway judges. */
export const jwtExplainer: Explainer<'jwt'> = {
  findSentIdentity: (request) => {
    const text = findToken(gatewayRequest(request), null);
    const token = typeof text === 'string' ? readToken(text) : null;
    return token === null || isFaulty(token) ? unknownSender : { ...unknownSender, issuerToken: token };
  },
  credentialHeaders: () => ['authorization'],
  bodyBears: () => 'nothing',
  authenticateWithoutDigest: null,
  explain: (request) => {
    const token = findToken(gatewayRequest(request), null);
    if (typeof token === 'string') return withoutSignature([]);
    const { refused, detail } = token;
    if (refused !== 'CREDENTIALS_MISSING')
      return withoutSignature([{ name: 'token-malformed', what: detail, fix: SEND }]);
    const [name, what] = findMissing(headerOf(request, 'authorization') ?? '', request.headers, request.path);
    return withoutSignature([{ name, what, fix: SEND }]);
  },
};

const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

function findMissing(
  authorization: string,
  headers: readonly (readonly [name: string, value: string])[],
  path: string,
): readonly [name: string, what: string] {
  if (JWT.test(authorization.replace(/^(?:token|jwt) /i, ''))) {
    return ['token-without-bearer', 'Authorization holds a token without the word Bearer'];
  }
  if (authorization !== '') return ['other-scheme-for-token', 'Authorization has another scheme than Bearer'];
  if (headers.some(([, value]) => JWT.test(value.replace(/^bearer /i, '')))) {
    return ['token-header-name', 'the token is in a header of another name'];
  }
  if (findParameter(queryOf(path), 'access_token') !== null) {
    return ['token-in-query', 'the token is in the query, where this method does not look'];
  }
  return ['token-missing', 'the request carries no token'];
}
