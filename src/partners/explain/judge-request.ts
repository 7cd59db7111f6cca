import { authorize } from '../../check/authorize/authorize.ts';
import type { Clock } from '../../base/clock.ts';
import { authenticate } from '../../check/methods/authenticate.ts';
import type { Authenticated, AuthenticationPorts } from '../../check/methods/authenticated.ts';
import { PeerCertificates } from '../../check/methods/certificate/peer-certificates.ts';
import type { ExplainInput, KnownPublicKey, SentIdentity } from '../../check/methods/explanation/explainer.ts';
import { gatewayRequest } from '../../check/methods/explanation/gateway-request.ts';
import { proofOf } from '../../check/methods/methods.ts';
import { consumerDefaults } from '../../model/consumer.ts';
import { hashAppKey } from '../../model/app-key.ts';
import { credentialDefaults } from '../../model/credential.ts';
import type { Endpoint, PartnerEndpoint } from '../../model/endpoint.ts';
import {
  appKeyMaterial,
  derivedAppKeyOf,
  type Material,
  publicKeyMaterial,
  sharedSecret,
  tokenClaimsMaterial,
} from '../../model/material.ts';
import { Secret } from '../../model/secret.ts';
import { AccessTokens, tokenFaults } from '../../check/tokens/access-tokens.ts';
import { readUnverifiedClaims } from '../../check/tokens/token-claims.ts';
import type { TokenRing } from '../../check/tokens/token-keys.ts';
import { type Pending, whenReady } from '../../base/pending.ts';
import { receive } from '../../check/receive/receive.ts';
import { isRefusal, type Refusal } from '../../check/refusal.ts';
import { route } from '../../check/route/route.ts';
import type { ClientRequest } from '../../check/signing/client-request.ts';
import { compileCatalog } from '../../check/route/endpoint-table.ts';
import type { Catalog } from '../../check/store/check-store.ts';
import type { KnownCaller } from './explanation.ts';
import { issuerOfToken, issuerTokensAt } from './issuer-tokens.ts';

/** What a request is judged and explained by. */
export interface Known {
  /** The endpoints, and the credentials that the request may be from. */
  readonly catalog: Catalog;
  /**
   * The App Secret to look into the signature with, or the App Key where that is the secret; null where it is not
   * known.
   */
  readonly secret: string | null;
  /** The public keys to look into it with, where callers sign with private keys. */
  readonly publicKeys?: readonly KnownPublicKey[];
  /** Null where no store is at hand. */
  readonly caller: KnownCaller | null;
  readonly tokens: KnownTokens;
  /** Whether the keys of the issuer of its token are at hand; otherwise its signature is not verified. */
  readonly hasIssuerKeys?: boolean;
  /** The address that the request came from; null where it is not known, and then `catalog` has no address lists. */
  readonly from: string | null;
}

/** What the stages of the gateway make of a request, up to the limits. */
export interface Judgement {
  /** Null when the request passes. */
  readonly refusal: Refusal | null;
  /** For a request that is too old: what it would have been refused with when it was made. */
  readonly refusalWhenMade: Refusal | null;
  /** Where host, path and method lead; null where they lead nowhere. */
  readonly endpoint: Endpoint | null;
}

/** The times that a judgement is made by, in seconds since the epoch. */
interface JudgedAt {
  readonly nowSeconds: number;
  /** The time that the request was signed with; null for none. */
  readonly signedSeconds: number | null;
}

/**
 * Judges a request by the very stages of `serve`: receive, route, authenticate, authorize. Limits and used signatures,
 * which are no property of the request, are left out. Without a key ring an access token counts as issued by the
 * gateway.
 *
 * @param authenticateCaller in place of the stage, where the text does not show all that it looks at
 */
export function judgeRequest(
  request: ClientRequest,
  { catalog, tokens, from }: Known,
  { nowSeconds, signedSeconds }: JudgedAt,
  authenticateCaller: typeof authenticate = authenticate,
): Pending<Judgement> {
  const received = receive(gatewayRequest(request, from));
  if (isRefusal(received)) return { refusal: received, refusalWhenMade: null, endpoint: null };
  const routed = route(received, catalog);
  if (isRefusal(routed)) return { refusal: routed, refusalWhenMade: null, endpoint: null };
  const { endpoint } = routed;
  const decide = (authenticated: Authenticated | Refusal): Refusal | null => {
    if (isRefusal(authenticated)) return authenticated;
    const permit = authorize(authenticated, nowSeconds);
    return isRefusal(permit) ? permit : null;
  };
  return whenReady(authenticateCaller(routed, portsAt(nowSeconds, tokens)), (authenticated) => {
    const refusal = decide(authenticated);
    if (refusal?.refused !== 'REQUEST_EXPIRED' || signedSeconds === null) {
      return { refusal, refusalWhenMade: null, endpoint };
    }
    return whenReady(authenticateCaller(routed, portsAt(signedSeconds, tokens)), (former) => ({
      refusal,
      refusalWhenMade: decide(former),
      endpoint,
    }));
  });
}

function portsAt(seconds: number, tokens: KnownTokens): AuthenticationPorts {
  const clock: Clock = { nowSeconds: () => seconds, nowMs: () => seconds * 1000, elapsedMs: () => 0 };
  return {
    clock,
    ...tokenPorts(tokens, clock),
    issuerTokens: issuerTokensAt(clock),
    replayGuard: { reserve: () => 'first' },
    peerCertificates: new PeerCertificates(),
  };
}

/** What is known of access tokens where a request is explained. */
export interface KnownTokens {
  readonly issuer: string;
  /** The key ring of the gateway; null where it is not at hand. */
  readonly ring: TokenRing | null;
  /** Whether the client is known to have revoked the token of the request. */
  readonly isRevoked: boolean;
  /** What cannot be judged, each a sentence. */
  readonly notes: readonly string[];
}

/** What a partner knows, who has no store. */
export const tokensOfPartners: KnownTokens = {
  issuer: '',
  ring: null,
  isRevoked: false,
  notes: [
    'Whether the gateway issued the token, whether the token or its credential was revoked, and whether there is a grant cannot be judged without the store and the key ring of the gateway.',
  ],
};

/**
 * The ports that authentication judges tokens with. Without a key ring, every token of the right form is taken as
 * issued.
 */
function tokenPorts(
  { issuer, ring, isRevoked }: KnownTokens,
  clock: Clock,
): Pick<AuthenticationPorts, 'tokens' | 'revokedTokens'> {
  return {
    tokens:
      ring === null
        ? { verify: (text) => readToken(text, clock) }
        : new AccessTokens({ issuer, ring: () => ring, clock }),
    revokedTokens: { isRevoked: () => isRevoked },
  };
}

function readToken(text: string, clock: Clock): ReturnType<AccessTokens['verify']> {
  const claims = readUnverifiedClaims(text);
  if (claims === null) return { fault: tokenFaults.claims };
  return clock.nowSeconds() >= claims.expiresAt ? { fault: tokenFaults.expired } : claims;
}

const ID = 'caller';

/**
 * What is known where no store is at hand: one endpoint, and one credential which may call it, with the App Key and the
 * secret or public key that were given. Without a given App Key it is the one that was sent, or that an access token
 * names; without any there is no credential.
 */
export function knownToPartner(
  endpoint: PartnerEndpoint,
  { appKey: given, secret, publicKeys = [] }: Pick<ExplainInput, 'appKey' | 'secret' | 'publicKeys'>,
  { appKey: sent, claims, issuerToken }: SentIdentity,
): Known {
  const isKey = proofOf(endpoint) === 'app-key';
  const issuer = issuerToken === undefined ? null : issuerOfToken(issuerToken);
  // Every token has its iss, so that this names it whatever its other claims are.
  const named = issuer === null ? null : tokenClaimsMaterial(issuer.id, { iss: issuer.issuer });
  const appKey = named === null ? (isKey ? secret : (given ?? sent)) : derivedAppKeyOf(named);
  const consumer = { id: claims?.consumerId ?? ID, ...consumerDefaults };
  const credential = {
    ...credentialDefaults,
    id: claims?.credentialId ?? ID,
    consumerId: consumer.id,
    methods: [endpoint.authentication],
    appKeyHash: hashAppKey(appKey ?? ''),
    material: named ?? (isKey ? appKeyMaterial : materialOf(secret, publicKeys)),
  } as const;
  const catalog = compileCatalog({
    endpoints: [endpoint],
    consumers: [consumer],
    credentials: appKey === null ? [] : [credential],
    grants: [{ endpointId: endpoint.id, consumerId: consumer.id, limits: null, expiresAt: null }],
    plans: [],
    issuers: issuer === null ? [] : [issuer],
  });
  return { catalog, secret, publicKeys, caller: null, tokens: tokensOfPartners, from: null };
}

function materialOf(secret: string | null, [key]: readonly KnownPublicKey[]): Material {
  return key === undefined ? sharedSecret(Secret.fromText(secret ?? '')) : publicKeyMaterial(key.publicKey);
}
