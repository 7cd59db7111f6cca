import {
  type KeyOptions,
  type OpenEndpoint,
  type PartnerEndpointOf,
  type PathRule,
  type AuthenticationMethod,
  type CommonOptions,
  type Endpoint,
  type OptionsOf,
} from '../../../src/model/endpoint.ts';
import { hashAppKey } from '../../../src/model/app-key.ts';
import { type Consumer, consumerDefaults } from '../../../src/model/consumer.ts';
import { type Credential } from '../../../src/model/credential.ts';
import type { Grant, GroupGrant, OwnGrant } from '../../../src/model/grant.ts';
import { type Issuer, issuerDefaults } from '../../../src/model/issuer.ts';
import { type Labels } from '../../../src/model/labels.ts';
import { type Limit } from '../../../src/model/limit.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { Secret } from '../../../src/model/secret.ts';
import { compileCatalog } from '../../../src/check/route/endpoint-table.ts';
import type { Catalog } from '../../../src/check/store/check-store.ts';
import { type GivenSecrets, materialWith } from '../store/secrets.ts';
import { materialKindOf } from '../../../src/model/material.ts';

/** The App Key of {@link credential}, in the form that Postern generates. */
export const APP_KEY = '3f0c9a1be27d4856af0312c4d5e6b798';

/** What an endpoint takes from requests, in short: `hosts` and `methods` any, unless given. */
interface MatchParts {
  readonly id?: string;
  readonly hosts?: readonly string[];
  readonly paths?: readonly PathRule[];
  readonly methods?: readonly string[];
  readonly limits?: readonly Limit[];
  readonly enabled?: boolean;
  readonly labels?: Labels;
}

interface PartnerParts extends MatchParts {
  readonly accessCondition?: 'authenticated' | 'authenticated-and-authorized';
}

const commonOptions: CommonOptions = { mode: 'enforce', onLimiterFailure: 'allow' };

export const keyOptions: KeyOptions = {
  ...commonOptions,
  hideCredentials: true,
  keyNames: [{ query: 'appKey' }, { header: 'X-App-Key' }],
};

const defaultOptions: OptionsOf = {
  key: keyOptions,
  hmac: {
    ...commonOptions,
    hideCredentials: true,
    clockSkewSeconds: 300,
    replayProtection: false,
    signatureHints: false,
    algorithms: ['hmac-sha256'],
    acceptRealHttpVersion: false,
  },
  'parameter-signature': {
    ...commonOptions,
    hideCredentials: false,
    clockSkewSeconds: 300,
    replayProtection: false,
    signatureHints: false,
    requireTimestamp: false,
    parameterEncoding: 'decoded',
    strictParameters: true,
    unsignedQuery: 'refuse',
    unsignedBody: 'refuse',
  },
  'http-message-signature': {
    ...commonOptions,
    hideCredentials: true,
    clockSkewSeconds: 300,
    replayProtection: false,
    signatureHints: false,
    algorithms: ['ed25519', 'ecdsa-p256-sha256', 'ecdsa-p384-sha384', 'rsa-pss-sha512'],
    tag: '',
    coverAlso: [],
    scheme: 'https',
  },
  oauth2: { ...commonOptions, hideCredentials: true, tokenInQuery: false },
  jwt: { ...commonOptions, hideCredentials: true, replayProtection: false },
  certificate: { ...commonOptions },
};

/** An endpoint of method `key` with the id `orders` and the prefix `/orders`, unless stated otherwise. */
export function keyEndpoint({ options, ...parts }: PartnerParts & { readonly options?: Partial<KeyOptions> } = {}) {
  return partnerEndpoint('key', { ...parts, options: { ...keyOptions, ...options } });
}

/** An endpoint of any authentication method with the defaults of interfaces §4. */
export function partnerEndpoint<M extends AuthenticationMethod>(
  authentication: M,
  { options, accessCondition = 'authenticated', ...parts }: PartnerParts & { readonly options?: OptionsOf[M] } = {},
): PartnerEndpointOf<M> {
  return {
    ...matchOf(parts),
    scenario: 'partner-openapi',
    authentication,
    accessCondition,
    options: options ?? defaultOptions[authentication],
  };
}

/** An endpoint whose callers are not authenticated. */
export function openEndpoint({
  options,
  ...parts
}: MatchParts & { readonly options?: Partial<CommonOptions> } = {}): OpenEndpoint {
  return { ...matchOf(parts), scenario: 'open', authentication: null, options: { ...commonOptions, ...options } };
}

/** The consumer `acme`, unless stated otherwise. */
export function consumer(parts: Partial<Consumer> = {}): Consumer {
  return { id: 'acme', ...consumerDefaults, name: 'Acme Ltd', ...parts };
}

/** What a test says of a credential. */
export type CredentialParts = Partial<Credential> & GivenSecrets & { readonly appKey?: string };

/** The credential `acme-key` of `acme` for method `key`, unless stated otherwise. Other methods get an App Secret. */
export function credential({
  appKey = APP_KEY,
  appSecret,
  retiringSecret = null,
  ...parts
}: CredentialParts = {}): Credential {
  const methods = parts.methods ?? ['key'];
  const usual = materialKindOf(methods) === 'app-key' ? null : Secret.fromText('a secret for tests, 32 characters');
  return {
    id: 'acme-key',
    consumerId: 'acme',
    methods,
    appKeyHash: hashAppKey(appKey),
    material: materialWith(appSecret === undefined ? usual : appSecret, retiringSecret),
    state: 'active',
    notBefore: null,
    expiresAt: null,
    allowFrom: null,
    ...parts,
  };
}

/** The grant of `acme` on `orders`, without an end and without limits of its own, unless stated otherwise. */
export function grant(parts: Partial<OwnGrant> = {}): OwnGrant {
  return { endpointId: 'orders', consumerId: 'acme', limits: null, expiresAt: null, ...parts };
}

/** The grant on `orders` for the consumers with `tier=gold`, with priority 0, unless stated otherwise. */
export function groupGrant(parts: Partial<GroupGrant> = {}): GroupGrant {
  const consumerSelector = { tier: 'gold' };
  return { endpointId: 'orders', consumerSelector, priority: 0, limits: null, expiresAt: null, ...parts };
}

/** A limit written as on the command line: `limit('100/minute/consumer')`. */
export function limit(text: `${number}/${Limit['unit']}/${Limit['per']}`): Limit {
  const [requests, unit, per] = text.split('/') as [string, Limit['unit'], Limit['per']];
  return { requests: Number(requests), unit, per };
}

/** The plan `gold` for `tier=gold` on every endpoint, with 2 requests a day and priority 0, unless stated otherwise. */
export function plan(parts: Partial<Plan> = {}): Plan {
  return {
    id: 'gold',
    consumerSelector: { tier: 'gold' },
    endpointIds: null,
    endpointSelector: parts.endpointIds === undefined ? {} : null,
    priority: 0,
    limits: [{ requests: 2, unit: 'day' }],
    ...parts,
  };
}

/** An issuer: `partner-idp` with its keys at an address, unless stated otherwise. */
export function issuer(parts: Partial<Issuer> = {}): Issuer {
  return {
    ...issuerDefaults,
    id: 'partner-idp',
    issuer: 'https://idp.partner.example',
    keys: { kind: 'uri', jwksUri: 'https://idp.partner.example/keys' },
    audiences: ['https://api.example.com'],
    ...parts,
  };
}

/** What a catalog is made of. */
export interface CatalogParts {
  readonly endpoints?: readonly Endpoint[];
  readonly consumers?: readonly Consumer[];
  readonly credentials?: readonly Credential[];
  readonly grants?: readonly Grant[];
  readonly plans?: readonly Plan[];
  readonly issuers?: readonly Issuer[];
}

/** A catalog: `orders` by key, `acme` with one credential and no grant, unless stated otherwise. */
export function catalogOf({
  endpoints = [keyEndpoint()],
  consumers = [consumer()],
  credentials = [credential()],
  grants = [],
  plans = [],
  issuers = [],
}: CatalogParts = {}): Catalog {
  return compileCatalog({ endpoints, consumers, credentials, grants, plans, issuers });
}

function matchOf({
  id = 'orders',
  hosts = [],
  paths = [{ prefix: '/orders' }],
  methods = [],
  limits = [],
  enabled = true,
  labels = {},
}: MatchParts) {
  return { id, description: '', labels, match: { hosts, paths, methods }, limits, enabled };
}
