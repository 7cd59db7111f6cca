import { explain } from '../../../../src/partners/explain/explain.ts';
import type { Explanation } from '../../../../src/partners/explain/explanation.ts';
import { knownToPartner } from '../../../../src/partners/explain/judge-request.ts';
import type { ExplainInput } from '../../../../src/check/methods/explanation/explainer.ts';
import {
  type HmacOptions,
  type HttpSignatureOptions,
  type KeyOptions,
  type ParameterSignatureOptions,
  type PartnerEndpoint,
  type PartnerEndpointOf,
} from '../../../../src/model/endpoint.ts';
import { type ClientRequest } from '../../../../src/check/signing/client-request.ts';

/** Sat, 07 Nov 2026 02:40:00 GMT: a day with one digit. */
export const nowSeconds = Date.UTC(2026, 10, 7, 2, 40, 0) / 1000;
export const date = 'Sat, 07 Nov 2026 02:40:00 GMT';
export const appKey = '3f0c9a1be27d4856af0312c4d5e6b798';
/** Also valid as base64 and, in `hexSecret`, as hex. */
export const secret = 'n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6eMpXiVqTzRb9=';
export const hexSecret = '00ff10e0a1b2c3d4e5f60718293a4b5c';

export const input: ExplainInput = { appKey, secret, nowSeconds, isTimeKnown: true };

const common = { mode: 'enforce', onLimiterFailure: 'allow', hideCredentials: true } as const;
const signatures = { ...common, clockSkewSeconds: 300, replayProtection: false, signatureHints: false } as const;

function endpointOf<M extends 'key' | 'hmac' | 'parameter-signature' | 'http-message-signature'>(
  authentication: M,
  options: PartnerEndpointOf<M>['options'],
): PartnerEndpointOf<M> {
  return {
    id: 'orders',
    description: '',
    labels: {},
    match: { hosts: ['api.example.com'], paths: [{ prefix: '/' }], methods: [] },
    limits: [],
    enabled: true,
    scenario: 'partner-openapi',
    authentication,
    accessCondition: 'authenticated',
    options,
  };
}

export function hmacEndpoint(options: Partial<HmacOptions> = {}): PartnerEndpointOf<'hmac'> {
  return endpointOf('hmac', { ...signatures, algorithms: ['hmac-sha256'], acceptRealHttpVersion: false, ...options });
}

export function keyPairEndpoint(
  options: Partial<HttpSignatureOptions> = {},
): PartnerEndpointOf<'http-message-signature'> {
  return endpointOf('http-message-signature', {
    ...signatures,
    algorithms: ['ed25519', 'ecdsa-p256-sha256', 'ecdsa-p384-sha384', 'rsa-pss-sha512'],
    coverAlso: [],
    tag: '',
    scheme: 'https',
    ...options,
  });
}

export function parameterEndpoint(
  options: Partial<ParameterSignatureOptions> = {},
): PartnerEndpointOf<'parameter-signature'> {
  return endpointOf('parameter-signature', {
    ...signatures,
    requireTimestamp: false,
    parameterEncoding: 'decoded',
    strictParameters: true,
    unsignedQuery: 'refuse',
    unsignedBody: 'refuse',
    ...options,
  });
}

export function keyEndpoint(options: Partial<KeyOptions> = {}): PartnerEndpointOf<'key'> {
  return endpointOf('key', { ...common, keyNames: [{ query: 'appKey' }, { header: 'X-App-Key' }], ...options });
}

/** Explains a request without a store, as a partner does. */
export async function explainAlone(
  request: ClientRequest,
  endpoint: PartnerEndpoint,
  given: ExplainInput,
): Promise<Explanation> {
  return await explain(request, endpoint, given, (sent) => knownToPartner(endpoint, given, sent));
}
