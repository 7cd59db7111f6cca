import assert from 'node:assert/strict';
import { stringify } from 'yaml';
import { at, httpFilters, type JsonObject } from '../../support/envoy/envoy-config.ts';
import { type Protocol, protocols, send } from '../../support/http/http-client.ts';
import { fieldValue, type HttpAnswer, jsonBody } from '../../support/http/http-message.ts';
import { AUDIENCE, IDP, issuerKey, issuerToken } from '../../support/jwt/issuer-token.ts';
import { jwksOf } from '../../support/jwt/jwks-server.ts';
import { release } from '../../support/lifetime/release.ts';
import { partnerKey } from '../../support/oauth2/client-assertion.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';

const document = stringify({
  version: 1,
  issuers: [{ id: 'partner-idp', issuer: IDP, jwks: jwksOf(), audiences: [AUDIENCE] }],
  endpoints: [
    {
      id: 'shipments',
      scenario: 'partner-openapi',
      authentication: 'jwt',
      match: { paths: [{ prefix: '/shipments' }] },
    },
  ],
  consumers: [
    {
      id: 'acme',
      credentials: [{ id: 'acme-jwt', method: 'jwt', issuer: 'partner-idp', claims: { azp: 'acme-batch' } }],
    },
  ],
});

/** Envoy's own filter for tokens, before ext_authz. It leaves the token in the request. */
function addJwtAuthn(config: JsonObject): void {
  const filters = httpFilters(config);
  const before = filters.findIndex((filter) => at(filter, 'name') === 'envoy.filters.http.ext_authz');
  assert.notEqual(before, -1);
  filters.splice(before, 0, {
    name: 'envoy.filters.http.jwt_authn',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication',
      providers: {
        idp: {
          issuer: IDP,
          audiences: [AUDIENCE],
          forward: true,
          local_jwks: { inline_string: JSON.stringify(jwksOf([issuerKey()])) },
        },
      },
      rules: [{ match: { prefix: '/' }, requires: { provider_name: 'idp' } }],
    },
  });
}

describe('tokens of issuers, behind Envoy’s jwt_authn', () => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(document, { edit: addJwtAuthn });
  });
  after(() => release(stack));

  const call = async (token: string, protocol: Protocol = 'HTTP/1.1'): Promise<HttpAnswer> => {
    stack.backend.reset();
    return await send(protocol, stack.envoy.port, {
      target: '/shipments',
      headers: [['authorization', `Bearer ${token}`]],
    });
  };
  const tokenOf = (claims: object = {}, key = partnerKey('p-256', 'idp').privateKey): string => {
    const now = Math.floor(Date.now() / 1000);
    return issuerToken({ key, claims: { iat: now, exp: now + 300, ...claims } });
  };

  for (const protocol of protocols) {
    it(`are taken over ${protocol}, once both have verified them, and hidden`, async () => {
      const answer = await call(tokenOf(), protocol);
      assert.equal(answer.status, 200, answer.body.toString());
      const headers = stack.backend.requests[0]?.headers ?? [];
      assert.equal(fieldValue(headers, 'x-consumer-id'), 'acme');
      assert.equal(fieldValue(headers, 'authorization'), null);
    });
  }

  it('that Envoy takes stand for nobody unless a credential names their claims', async () => {
    const answer = await call(tokenOf({ azp: 'another' }));
    assert.equal(answer.status, 401);
    assert.equal((jsonBody(answer) as { readonly code: string }).code, 'TOKEN_INVALID');
    assert.deepEqual(stack.backend.requests, []);
  });

  it('that Envoy refuses never come to Postern', async () => {
    const checks = async (): Promise<readonly string[]> =>
      (await stack.postern.metrics()).split('\n').filter((line) => line.startsWith('postern_checks_total'));
    const before = await checks();
    const answer = await call(tokenOf({}, partnerKey('p-256', 'another').privateKey));
    assert.equal(answer.status, 401);
    assert.match(fieldValue(answer.headers, 'www-authenticate') ?? '', /error="invalid_token"$/);
    assert.deepEqual(stack.backend.requests, []);
    assert.ok(before.length > 0);
    assert.deepEqual(await checks(), before);
  });
});
