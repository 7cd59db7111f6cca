import { AccessTokens } from '../../../src/check/tokens/access-tokens.ts';
import { InProcessReplayGuard } from '../../../src/check/replay/in-process.ts';
import type { ReplayGuard } from '../../../src/check/replay/replay-guard.ts';
import { type AssertionAudience, audiencesOf } from '../../../src/gateway/oauth2/assertion/audiences.ts';
import type { OAuth2Answer } from '../../../src/gateway/oauth2/messages.ts';
import { createOAuth2Service, type OAuth2Exchange } from '../../../src/gateway/oauth2/oauth2-service.ts';
import { keepRevokedTokensInProcess, type RevokedTokens } from '../../../src/check/tokens/revoked-tokens.ts';
import { Throttle } from '../../../src/base/throttle.ts';
import { type CredentialSource } from '../../../src/check/store/credential-source.ts';
import { Secret } from '../../../src/model/secret.ts';
import { testKeyRing } from '../keyring/test-key-ring.ts';
import { fixedClock, NOON } from '../time/fixed-clock.ts';
import { consumer, credential, catalogOf, type CatalogParts } from '../pipeline/resources.ts';
import { ISSUER } from './forged-token.ts';
import { basic, form, oauth2Request, type OAuth2RequestParts } from './oauth2-request.ts';

/** A client in good standing, in the form that Postern generates. */
export const acme = {
  clientId: '5a0e9d8c7b6f4e3d2c1b0a9f8e7d6c5b',
  secret: 'HqkC2mZr0v8YxJdTn5wLb3sFgU7aPeIoRtQyXcVbNm4',
  former: 'the former secret of acme, in its grace period',
} as const;

/** The credential of {@link acme}, with a former secret that works for ten minutes more. */
export function acmeOAuth2(parts: Parameters<typeof credential>[0] = {}) {
  return credential({
    id: 'acme-oauth2',
    methods: ['oauth2'],
    appKey: acme.clientId,
    appSecret: Secret.fromText(acme.secret),
    retiringSecret: { appSecret: Secret.fromText(acme.former), expiresAt: NOON + 600 },
    ...parts,
  });
}

/** Another partner with a client. */
export const borealis = { clientId: 'borealis-client', secret: 'the secret of borealis, for tests' } as const;

const borealisOAuth2 = credential({
  id: 'borealis-oauth2',
  consumerId: 'borealis',
  methods: ['oauth2'],
  appKey: borealis.clientId,
  appSecret: Secret.fromText(borealis.secret),
});

/** Consumers and credentials of both. */
export const twoClients: CatalogParts = {
  consumers: [consumer(), consumer({ id: 'borealis', name: null })],
  credentials: [acmeOAuth2(), borealisOAuth2],
};

/** The OAuth2 endpoints without a listener, and everything that they reported to their observer. */
export function oauth2Fixture({
  parts = twoClients,
  credentials,
  revokedTokens,
  replayGuard,
  issuer = ISSUER,
  audience = 'issuer-or-token-endpoint',
  bindsTokens = false,
}: {
  readonly parts?: CatalogParts;
  /** In place of those of the parts. */
  readonly credentials?: CredentialSource;
  readonly revokedTokens?: RevokedTokens;
  readonly replayGuard?: Pick<ReplayGuard, 'reserve'>;
  readonly issuer?: string;
  readonly audience?: AssertionAudience;
  readonly bindsTokens?: boolean;
} = {}) {
  const clock = fixedClock();
  const ring = testKeyRing();
  const told: Omit<OAuth2Exchange, 'request'>[] = [];
  const defects: unknown[] = [];
  const used: string[] = [];
  const tokens = new AccessTokens({ issuer, ring: () => ring, clock });
  const state = { credentials: credentials ?? catalogOf(parts).credentials };
  const revoked = revokedTokens ?? keepRevokedTokensInProcess(clock);
  const service = createOAuth2Service({
    issuer,
    bindsTokens,
    tokens,
    clock,
    revokedTokens: revoked,
    replayGuard: replayGuard ?? new InProcessReplayGuard(clock),
    audiences: audiencesOf(issuer, audience),
    throttle: new Throttle(clock),
    credentials: () => state.credentials,
    observer: {
      answered: ({ operation, requestId, authentication, refusal }) => {
        told.push({ operation, requestId, authentication, refusal });
      },
      used: (credentialId, secret) => {
        used.push(`${credentialId} ${secret}`);
      },
      defect: (error) => {
        defects.push(error);
      },
    },
  });
  return {
    clock,
    tokens,
    revoked,
    told,
    defects,
    used,
    /** Puts other resources in place. */
    replace: (next: CatalogParts) => {
      state.credentials = catalogOf(next).credentials;
    },
    send: async (request: OAuth2RequestParts = {}): Promise<OAuth2Answer> => await service(oauth2Request(request)),
  };
}

/** A token request with the client's credentials in the header. */
export function tokenRequest(
  client: { readonly clientId: string; readonly secret: string } = acme,
  more: OAuth2RequestParts = {},
): OAuth2RequestParts {
  return {
    headers: [basic(client.clientId, client.secret)],
    body: form({ grant_type: 'client_credentials' }),
    ...more,
  };
}

/** The body of an answer as an object. */
export function bodyOf({ body }: OAuth2Answer): Readonly<Record<string, unknown>> {
  return JSON.parse(body) as Record<string, unknown>;
}
