import { AUDIENCE, IDP } from '../../test/support/jwt/issuer-token.ts';
import type { ServiceKind } from './attack.ts';

/** What a partner calls with. */
export interface AttackCredential {
  readonly appKey: string;
  readonly secret: string;
}

/** The good callers' credentials, one of each method that they use. */
export const good = {
  key: 'good-partner-key-0123456789abcdef',
  hmac: { appKey: 'good-partner-hmac', secret: 'the secret of the good partner, for attacks' },
  oauth2: { appKey: 'good-partner-client', secret: 'the client secret of the good partner' },
} as const;

/** An issuer whose key everybody has: that of RFC 7515 A.3. */
export const issuer = {
  kid: 'rfc-7515',
  jwk: {
    kty: 'EC',
    crv: 'P-256',
    x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI',
  },
} as const;

/** A partner with a right credential and bad intentions. */
export const rogue: AttackCredential = { appKey: 'rogue-partner-hmac', secret: 'the secret of the rogue partner' };

/** App Keys of method key that are known to the store and must not be distinguishable from unknown ones. */
export const unusable = { revoked: 'revoked-key-0123456789abcdef0123', foreign: rogue.appKey } as const;

/** Where the good callers' token requests come from (RFC 5737). */
export const goodSource = '198.51.100.7';

/** Partners whom a fresh replica has not looked up yet. */
export const unseenKeys: readonly string[] = Array.from(
  { length: 2000 },
  (_, at) => `unseen-${String(at).padStart(6, '0')}-0123456789abcdef`,
);

/** Endpoints and partners of every attack, as JSON, which is YAML too. */
export function attackDocument(store: ServiceKind['store']): string {
  const endpoint = (id: string, authentication: string, options?: object) => ({
    id,
    scenario: 'partner-openapi',
    match: { paths: [{ prefix: `/${id}` }] },
    authentication,
    ...(options === undefined ? {} : { options }),
  });
  const { kid, jwk } = issuer;
  const { kty, crv, x, y } = jwk;
  const unseen = unseenKeys.map((appKey, at) => ({ id: `unseen-${String(at)}`, method: 'key', appKey }));
  return JSON.stringify({
    version: 1,
    issuers: [{ id: 'idp', issuer: IDP, audiences: [AUDIENCE], jwks: { keys: [{ kty, crv, x, y, kid }] } }],
    endpoints: [
      endpoint('keyed', 'key'),
      endpoint('signed', 'hmac', { replayProtection: true }),
      endpoint('tokens', 'oauth2'),
      endpoint('issued', 'jwt'),
    ],
    consumers: [
      {
        id: 'good',
        credentials: [
          { id: 'good-key', method: 'key', appKey: good.key },
          { id: 'good-hmac', method: 'hmac', appKey: good.hmac.appKey, appSecret: good.hmac.secret },
          { id: 'good-jwt', method: 'jwt', issuer: 'idp', claims: { azp: 'acme-batch' } },
          { id: 'good-oauth2', method: 'oauth2', appKey: good.oauth2.appKey, appSecret: good.oauth2.secret },
        ],
      },
      {
        id: 'rogue',
        credentials: [
          { id: 'rogue-hmac', method: 'hmac', appKey: rogue.appKey, appSecret: rogue.secret },
          { id: 'rogue-revoked', method: 'key', appKey: unusable.revoked, state: 'revoked' },
        ],
      },
      ...(store === 'mongodb' ? [{ id: 'many', credentials: unseen }] : []),
    ],
  });
}
