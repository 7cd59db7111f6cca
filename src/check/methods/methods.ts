import { randomUUID } from 'node:crypto';
import {
  type AuthenticationMethod,
  authenticationMethods,
  type Endpoint,
  type PartnerEndpointOf,
} from '../../model/endpoint.ts';
import type { Routed } from '../route/route.ts';
import { unchanged } from './authenticated.ts';
import { authenticateSigner } from './authenticate-signer.ts';
import { bearerErrors } from './bearer-token.ts';
import { authenticateByCertificate } from './certificate/authenticate.ts';
import { concealHmac, hmacStrategy } from './hmac/authenticate.ts';
import { kongHmacAuth } from './hmac/kong.ts';
import { signHmac } from './hmac/sign.ts';
import { acceptSignature } from './http-message-signature/accept-signature.ts';
import { httpSignatureStrategy } from './http-message-signature/authenticate.ts';
import { concealCandidates } from './http-message-signature/conceal.ts';
import { signHttpMessage } from './http-message-signature/sign.ts';
import { authenticateByJwt, concealJwt, jwtErrors } from './jwt/authenticate.ts';
import { kongJwt } from './jwt/kong.ts';
import { authenticateByKey } from './key/authenticate.ts';
import { carryKey, concealKey } from './key/carriers.ts';
import { kongKeyAuth } from './key/kong.ts';
import type { Challenge, Method, Proof } from './method.ts';
import { authenticateByOAuth2, concealToken } from './oauth2/authenticate.ts';
import { kongOAuth2 } from './oauth2/kong.ts';
import { concealReadParameters, parameterStrategy } from './parameter-signature/authenticate.ts';
import { signParameters } from './parameter-signature/sign.ts';

/** Every method of authentication. One that is missing does not compile. */
export const methods: { readonly [M in AuthenticationMethod]: Method<M> } = {
  key: {
    proof: 'app-key',
    authenticate: authenticateByKey,
    conceal: concealKey,
    signer: {
      takes: 'secret',
      sign: (request, { keyNames }, { appKey }) => carryKey(request, keyNames, appKey),
    },
    signsMoreHeaders: false,
    challenge: { scheme: 'Key', errors: {} },
    challengeFields: null,
    kong: kongKeyAuth,
    loadExplainer: async () => (await import('./key/explain.ts')).keyExplainer,
    loadPresentation: async () => (await import('./key/presentation.ts')).keyPresentation,
  },
  hmac: {
    proof: 'signature',
    authenticate: (routed, options, ports) => authenticateSigner(hmacStrategy, routed, options, ports),
    conceal: concealHmac,
    signer: {
      takes: 'secret',
      sign: (request, { algorithms: [algorithm = 'hmac-sha256'] }, signing) =>
        signHmac(request, { ...signing, algorithm }),
    },
    signsMoreHeaders: true,
    challenge: { scheme: 'hmac', errors: {} },
    challengeFields: null,
    kong: kongHmacAuth,
    loadExplainer: async () => (await import('./hmac/explain/explain.ts')).hmacExplainer,
    loadPresentation: async () => (await import('./hmac/presentation.ts')).hmacPresentation,
  },
  'parameter-signature': {
    proof: 'signature',
    authenticate: (routed, options, ports) => authenticateSigner(parameterStrategy, routed, options, ports),
    conceal: concealReadParameters,
    signer: {
      takes: 'secret',
      sign: (request, options, { nowSeconds, ...signing }) =>
        signParameters(request, { ...signing, timestampSeconds: nowSeconds, options }),
    },
    signsMoreHeaders: false,
    challenge: { scheme: 'Sign', errors: {} },
    challengeFields: null,
    kong: null,
    loadExplainer: async () => (await import('./parameter-signature/explain/explain.ts')).parameterExplainer,
    loadPresentation: async () =>
      (await import('./parameter-signature/presentation.ts')).parameterSignaturePresentation,
  },
  'http-message-signature': {
    proof: 'signature',
    authenticate: (routed, options, ports) => authenticateSigner(httpSignatureStrategy, routed, options, ports),
    conceal: concealCandidates,
    signer: {
      takes: 'private-key',
      sign: (request, options, signing) => signHttpMessage(request, options, { ...signing, nonce: randomUUID() }),
    },
    signsMoreHeaders: true,
    challenge: { scheme: 'Signature', errors: {} },
    challengeFields: ({ received: { request } }, options, requestId) => [
      ['accept-signature', acceptSignature(request, options, requestId)],
    ],
    kong: null,
    loadExplainer: async () => (await import('./http-message-signature/explain/explain.ts')).httpSignatureExplainer,
    loadPresentation: async () => (await import('./http-message-signature/presentation.ts')).httpSignaturePresentation,
  },
  oauth2: {
    proof: 'token',
    authenticate: authenticateByOAuth2,
    conceal: concealToken,
    signer: { takes: 'nothing', instead: 'takes access tokens, which are fetched, not signed' },
    signsMoreHeaders: false,
    challenge: { scheme: 'Bearer', errors: bearerErrors },
    challengeFields: null,
    kong: kongOAuth2,
    loadExplainer: async () => (await import('./oauth2/explain.ts')).tokenExplainer,
    loadPresentation: async () => (await import('./oauth2/presentation.ts')).oauth2Presentation,
  },
  jwt: {
    proof: 'issuer-token',
    authenticate: authenticateByJwt,
    conceal: concealJwt,
    signer: {
      takes: 'nothing',
      instead: 'takes tokens of an issuer, which the partner gets there: send one as "Authorization: Bearer TOKEN"',
    },
    signsMoreHeaders: false,
    challenge: { scheme: 'Bearer', errors: jwtErrors },
    challengeFields: null,
    kong: kongJwt,
    loadExplainer: async () => (await import('./jwt/explain.ts')).jwtExplainer,
    loadPresentation: async () => (await import('./jwt/presentation.ts')).jwtPresentation,
  },
  certificate: {
    proof: 'certificate',
    authenticate: authenticateByCertificate,
    conceal: () => unchanged,
    signer: { takes: 'nothing', instead: 'takes client certificates: send one with "curl --cert FILE --key FILE"' },
    signsMoreHeaders: false,
    challenge: { scheme: 'ClientCertificate', errors: {} },
    challengeFields: null,
    kong: null,
    loadExplainer: async () => (await import('./certificate/explain.ts')).certificateExplainer,
    loadPresentation: async () => (await import('./certificate/presentation.ts')).certificatePresentation,
  },
};

/** What callers of an endpoint prove who they are with; null where they prove nothing. */
export function proofOf(endpoint: Pick<Endpoint, 'authentication'> | null): Proof | null {
  const method = endpoint?.authentication ?? null;
  return method === null ? null : methods[method].proof;
}

/** Whether one of these methods takes the App Key alone, so that it is a secret. */
export function takeAppKeyAlone(names: readonly string[]): boolean {
  return authenticationMethods.some((method) => methods[method].proof === 'app-key' && names.includes(method));
}

/** How an endpoint asks for credentials (spec §5); where there is none, or it takes none, in the simplest way. */
export function challengeOf(endpoint: Pick<Endpoint, 'authentication'> | null): Challenge {
  return methods[endpoint?.authentication ?? 'key'].challenge;
}

/** The headers besides `WWW-Authenticate` that a refused caller of an endpoint gets with 401. */
export function challengeFields(routed: Routed, requestId: string): readonly (readonly [string, string])[] {
  const { endpoint } = routed;
  return endpoint.authentication === null ? [] : fieldsBy(endpoint, routed, requestId);
}

function fieldsBy<M extends AuthenticationMethod>(
  { authentication, options }: PartnerEndpointOf<M>,
  routed: Routed,
  requestId: string,
): readonly (readonly [string, string])[] {
  return methods[authentication].challengeFields?.(routed, options, requestId) ?? [];
}

/** The method whose callers prove who they are at the OAuth2 endpoints, before the request. */
export const TOKEN_METHOD = 'oauth2' satisfies AuthenticationMethod;
