import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { jsonBody } from '../../support/http/http-message.ts';
import { type PlainRequest, send } from '../../support/http/http-client.ts';
import { AUDIENCE, IDP, issuerKey, issuerToken } from '../../support/jwt/issuer-token.ts';
import { jwksAuthority, jwksOf, type JwksServer, publishing, startJwksServer } from '../../support/jwt/jwks-server.ts';
import { partnerKey } from '../../support/oauth2/client-assertion.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type MongodbStack, startMongodbStack } from '../mongodb/mongodb-stack.ts';

const nowSeconds = Math.floor(Date.now() / 1000);
const times = { iat: nowSeconds, exp: nowSeconds + 600 };

/** A request with a token that nobody has seen. */
function withNew(claims: Readonly<Record<string, unknown>> = {}, keyName = 'idp', kid = 'p-256'): () => PlainRequest {
  const key = partnerKey('p-256', keyName).privateKey;
  let count = 0;
  return () => {
    count += 1;
    const token = issuerToken({ key, header: { kid }, claims: { ...times, ...claims, count } });
    return { target: '/shipments', headers: [['authorization', `Bearer ${token}`]] };
  };
}

describe('tokens of issuers, with MongoDB and two replicas', function () {
  this.timeout(90_000);
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
  let host: JwksServer;
  let stack: MongodbStack;

  before(async () => {
    folder = await temporaryDirectory();
    host = await startJwksServer();
    const ca = join(folder.path, 'ca.pem');
    await writeFile(ca, jwksAuthority.cert);
    stack = await startMongodbStack(2, { POSTERN_JWKS_PRIVATE_HOSTS: 'localhost', POSTERN_JWKS_CA: ca });
    await apply();
  });
  after(() => release(stack, host, folder));

  async function apply(
    issuer: Readonly<Record<string, unknown>> = {},
    credential: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const file = join(folder.path, 'postern.yaml');
    const keys = 'jwks' in issuer ? {} : { jwksUri: host.uri };
    const endpoint = { scenario: 'partner-openapi', authentication: 'jwt' };
    await writeFile(
      file,
      stringify({
        version: 1,
        issuers: [{ id: 'partner-idp', issuer: IDP, audiences: [AUDIENCE], ...keys, ...issuer }],
        endpoints: [
          { ...endpoint, id: 'shipments', match: { paths: [{ prefix: '/shipments' }] } },
          { ...endpoint, id: 'once', match: { paths: [{ prefix: '/once' }] }, options: { replayProtection: true } },
        ],
        consumers: [
          {
            id: 'acme',
            credentials: [
              { id: 'acme-jwt', method: 'jwt', issuer: 'partner-idp', claims: { azp: 'acme-batch' }, ...credential },
            ],
          },
        ],
      }),
    );
    await stack.postern(`apply -f ${file} --revive --yes`);
  }

  it('are taken by every replica, and by none once the issuer is disabled', async () => {
    await stack.untilEverywhere(withNew(), 200);
    await stack.untilEverywhere(withNew({ azp: 'another' }), 401, 'TOKEN_INVALID');
    await apply({ enabled: false });
    await stack.untilEverywhere(withNew(), 401, 'TOKEN_INVALID');
    await apply({ enabled: true });
    await stack.untilEverywhere(withNew(), 200);
  });

  it('are taken once, at whichever replica', async () => {
    const token = issuerToken({ claims: { ...times, jti: 'one for all replicas' } });
    const request: PlainRequest = { target: '/once', headers: [['authorization', `Bearer ${token}`]] };
    const [first, second] = stack.replicas;
    assert.ok(first !== undefined && second !== undefined);
    assert.equal((await send('HTTP/1.1', first.envoy.port, request)).status, 200);
    for (const { envoy } of [second, first]) {
      const answer = await send('HTTP/1.1', envoy.port, request);
      assert.equal((jsonBody(answer) as { readonly code: string }).code, 'REQUEST_REPLAYED');
    }
  });

  it('follow the keys in the document', async () => {
    const key = { ...issuerKey('ES256', 'another'), kid: 'another' };
    await apply({ jwks: jwksOf([key]) });
    await stack.untilEverywhere(withNew({}, 'another', 'another'), 200);
    await stack.untilEverywhere(withNew(), 401, 'TOKEN_INVALID');
    host.answer = publishing();
    await apply();
    await stack.untilEverywhere(withNew(), 200);
    await stack.untilEverywhere(withNew({}, 'another', 'another'), 401, 'TOKEN_INVALID');
  });

  it('are nobody’s as soon as the credential is revoked', async () => {
    const known = withNew()();
    await stack.untilEverywhere(() => known, 200);
    await stack.postern('credential revoke acme-jwt --yes');
    await stack.untilEverywhere(() => known, 401, 'TOKEN_INVALID');
  });
});
