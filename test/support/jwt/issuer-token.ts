import type { KeyObject } from 'node:crypto';
import type { Catalog } from '../../../src/check/store/check-store.ts';
import { compileIssuers } from '../../../src/check/store/issuer-table.ts';
import { hashAppKey } from '../../../src/model/app-key.ts';
import type { Credential } from '../../../src/model/credential.ts';
import { claimsAppKey } from '../../../src/model/derived-app-key.ts';
import type { Issuer, IssuerKey } from '../../../src/model/issuer.ts';
import { type JwtAlgorithm, keyKindOf } from '../../../src/model/jwt-algorithms.ts';
import { tokenClaimsMaterial } from '../../../src/model/material.ts';
import { encodeSegment } from '../oauth2/forged-token.ts';
import { jwsSignature, partnerKey } from '../oauth2/client-assertion.ts';
import { catalogOf, type CatalogParts, credential, issuer, partnerEndpoint } from '../pipeline/resources.ts';
import { NOON } from '../time/fixed-clock.ts';

/** The `iss` of {@link issuer}. */
export const IDP = 'https://idp.partner.example';
/** Its audience. */
export const AUDIENCE = 'https://api.example.com';

/** What a token is made of; each part as given, however wrong. */
export interface IssuerTokenParts {
  readonly algorithm?: JwtAlgorithm;
  readonly key?: KeyObject;
  /** Beside `alg` and `kid`; or the whole header as a text. */
  readonly header?: Readonly<Record<string, unknown>> | string;
  /** Beside the usual ones, which `undefined` takes away; or all claims as a text. */
  readonly claims?: Readonly<Record<string, unknown>> | string;
}

/** The key of the issuer in tests for an algorithm: its `kid` is the kind of the key. */
export function issuerKey(algorithm: JwtAlgorithm = 'ES256', name = 'idp'): IssuerKey {
  const kind = keyKindOf(algorithm);
  return { kid: kind, alg: null, publicKey: partnerKey(kind, name).publicKey };
}

/** A token of the issuer in tests, for {@link AUDIENCE}, good for a minute from noon, of `azp: acme-batch`. */
export function issuerToken({
  algorithm = 'ES256',
  key = partnerKey(keyKindOf(algorithm), 'idp').privateKey,
  header = {},
  claims = {},
}: IssuerTokenParts = {}): string {
  const usual = { iss: IDP, aud: AUDIENCE, azp: 'acme-batch', iat: NOON, exp: NOON + 60 };
  const first = encodeSegment(
    typeof header === 'string' ? header : { alg: algorithm, kid: keyKindOf(algorithm), ...header },
  );
  const second = encodeSegment(typeof claims === 'string' ? claims : { ...usual, ...claims });
  const signed = `${first}.${second}`;
  return `${signed}.${jwsSignature(algorithm, key, signed).toString('base64url')}`;
}

/** An issuer with its keys in the document: one of each kind. */
export function knownIssuer(parts: Partial<Issuer> = {}): Issuer {
  const keys = (['ES256', 'ES384', 'EdDSA', 'RS256'] as const).map((algorithm) => issuerKey(algorithm));
  return issuer({ keys: { kind: 'jwks', keys }, ...parts });
}

/** A credential of method `jwt` for claims of the issuer `partner-idp`. */
export function jwtCredential(
  claims: Readonly<Record<string, string>> = { azp: 'acme-batch' },
  parts: Partial<Credential> = {},
): Credential {
  return {
    ...credential(),
    id: 'acme-jwt',
    methods: ['jwt'],
    appKeyHash: hashAppKey(claimsAppKey('partner-idp', claims)),
    material: tokenClaimsMaterial('partner-idp', claims),
    ...parts,
  };
}

/** A catalog with an endpoint of method `jwt`, one issuer and one credential, unless stated otherwise. */
export function jwtCatalog(
  parts: CatalogParts & { readonly claimNames?: readonly (readonly string[])[] } = {},
): Catalog {
  const { claimNames = [['azp']], ...rest } = parts;
  const issuers = rest.issuers ?? [knownIssuer()];
  const catalog = catalogOf({
    endpoints: [partnerEndpoint('jwt')],
    credentials: [jwtCredential()],
    ...rest,
    issuers,
  });
  return { ...catalog, issuers: compileIssuers(issuers, new Map(issuers.map(({ id }) => [id, claimNames]))) };
}

/** A request with a token. */
export function withToken(token: string): { readonly headers: readonly (readonly [string, string])[] } {
  return { headers: [['authorization', `Bearer ${token}`]] };
}
