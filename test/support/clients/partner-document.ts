import { type AuthenticationMethod } from '../../../src/model/endpoint.ts';
import { type TestKeyName, testKeyNames, testKeys } from './public-key-vectors.ts';

/** An App Key and App Secret of one method. */
export interface PartnerCredential {
  readonly appKey: string;
  readonly appSecret: string;
}

/** A partner with a credential for each method; of `key` the App Key is the secret. */
export interface Partner {
  readonly id: string;
  readonly key: string;
  readonly hmac: PartnerCredential;
  readonly parameters: PartnerCredential;
  readonly oauth2: PartnerCredential;
  /** The App Keys of message signatures, by the name of the test key that signs. */
  readonly signers: Readonly<Record<TestKeyName, string>>;
  /** The App Key that gets tokens by assertions of the test key `ed25519`. */
  readonly assertions: string;
}

/** Carriers of the endpoint `/named`. */
export const namedCarriers = { header: 'X-Partner-Key', query: 'partner_key' } as const;

/** Requests a second of one partner on the endpoints whose names end with `-limited`. */
export const requestsPerSecond = 2;

const limits = [{ requests: requestsPerSecond, unit: 'second', per: 'consumer' }];

interface EndpointParts {
  readonly method: AuthenticationMethod;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly isLimited?: boolean;
  readonly isClosed?: boolean;
}

const ALGORITHMS = ['ed25519', 'ecdsa-p256-sha256', 'ecdsa-p384-sha384', 'rsa-pss-sha512', 'rsa-v1_5-sha256'] as const;

/** The endpoints by the first segment of their paths. */
const endpoints = {
  key: { method: 'key' },
  'key-limited': { method: 'key', isLimited: true },
  named: { method: 'key', options: { keyNames: [{ header: namedCarriers.header }, { query: namedCarriers.query }] } },
  hmac: { method: 'hmac', options: { algorithms: ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'] } },
  'hmac-hints': { method: 'hmac', options: { signatureHints: true } },
  'hmac-once': { method: 'hmac', options: { replayProtection: true } },
  'hmac-limited': { method: 'hmac', isLimited: true },
  'hmac-closed': { method: 'hmac', isClosed: true },
  parameters: { method: 'parameter-signature' },
  'parameters-hints': { method: 'parameter-signature', options: { signatureHints: true } },
  'parameters-once': {
    method: 'parameter-signature',
    options: { replayProtection: true, requireTimestamp: true },
  },
  'parameters-raw': { method: 'parameter-signature', options: { parameterEncoding: 'raw' } },
  'parameters-hidden': { method: 'parameter-signature', options: { hideCredentials: true } },
  signed: { method: 'http-message-signature', options: { algorithms: ALGORITHMS } },
  'signed-once': { method: 'http-message-signature', options: { replayProtection: true } },
  'signed-app': { method: 'http-message-signature', options: { tag: 'app', coverAlso: ['x-tenant', '@target-uri'] } },
  bearer: { method: 'oauth2' },
  'bearer-shown': { method: 'oauth2', options: { hideCredentials: false } },
} as const satisfies Readonly<Record<string, EndpointParts>>;

/** A path below `/` and this name belongs to the endpoint; `open` authenticates nobody. */
export type EndpointName = keyof typeof endpoints | 'open';

/** A partner of this number; the secrets hold what is easily encoded wrongly. */
export function partner(number: number): Partner {
  const credential = (method: string): PartnerCredential => ({
    appKey: `${method}.of-partner_${String(number)}`,
    appSecret: `${method} secret ${String(number)}: ü €+%2B&=/"\\\u{1f511}`,
  });
  return {
    id: `partner-${String(number)}`,
    key: `the-secret-key-of.partner_${String(number)}`,
    hmac: credential('hmac'),
    parameters: credential('parameters'),
    oauth2: credential('oauth2'),
    signers: {
      ed25519: `https://partner-${String(number)}.example/keys?v=1#ed25519`,
      p256: `p256.of-partner_${String(number)}`,
      p384: `p384.of-partner_${String(number)}`,
      rsa: `rsa.of-partner_${String(number)}`,
    },
    assertions: `assertions of <partner> ${String(number)} & sons`,
  };
}

/** A declarative file with all endpoints and these partners. JSON is YAML. */
export function partnerDocument(partners: readonly Partner[]): string {
  return JSON.stringify({
    version: 1,
    endpoints: [
      ...Object.entries<EndpointParts>(endpoints).map(([id, { method, options, isLimited, isClosed }]) => ({
        id,
        scenario: 'partner-openapi',
        match: { paths: [{ prefix: `/${id}` }] },
        authentication: method,
        ...(options === undefined ? {} : { options }),
        ...(isLimited === true ? { trafficControl: { limits } } : {}),
        ...(isClosed === true ? { accessCondition: 'authenticated-and-authorized' } : {}),
      })),
      { id: 'open', scenario: 'open', match: { paths: [{ prefix: '/open' }] } },
    ],
    consumers: partners.map(({ id, key, hmac, parameters, oauth2, signers, assertions }) => ({
      id,
      credentials: [
        { id: `${id}-key`, method: 'key', appKey: key },
        { id: `${id}-hmac`, method: 'hmac', ...hmac },
        { id: `${id}-parameters`, method: 'parameter-signature', ...parameters },
        { id: `${id}-oauth2`, method: 'oauth2', ...oauth2 },
        ...testKeyNames.map((name) => ({
          id: `${id}-${name}`,
          method: 'http-message-signature',
          appKey: signers[name],
          publicKey: { pem: testKeys()[name].publicPem },
        })),
        {
          id: `${id}-assertions`,
          method: 'oauth2',
          appKey: assertions,
          publicKey: { pem: testKeys().ed25519.publicPem },
        },
      ],
    })),
  });
}
