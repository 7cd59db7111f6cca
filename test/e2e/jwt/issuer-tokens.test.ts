import assert from 'node:assert/strict';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { SignJWT } from 'jose';
import { stringify } from 'yaml';
import { fieldValue, type HttpAnswer, jsonBody } from '../../support/http/http-message.ts';
import { type Protocol, protocols, send } from '../../support/http/http-client.ts';
import { AUDIENCE, IDP, issuerKey } from '../../support/jwt/issuer-token.ts';
import { jwksAuthority, jwksOf, type JwksServer, publishing, startJwksServer } from '../../support/jwt/jwks-server.ts';
import { startTokenProvider, type TokenProvider } from '../../support/jwt/token-provider.ts';
import { partnerKey } from '../../support/oauth2/client-assertion.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';
import { poll } from '../../support/time/poll.ts';

/** A token that the library jose signs, of `azp: acme-batch` for five minutes. */
async function joseToken(
  claims: Readonly<Record<string, unknown>> = {},
  keyName = 'idp',
  kid = 'p-256',
): Promise<string> {
  return await new SignJWT({ azp: 'acme-batch', ...claims })
    .setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt' })
    .setIssuer(IDP)
    .setAudience([AUDIENCE, 'https://others.example'])
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(partnerKey('p-256', keyName).privateKey);
}

describe('tokens of issuers, behind Envoy', () => {
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
  let host: JwksServer;
  let provider: TokenProvider;
  let stack: Stack;

  const documentWith = (parts: { readonly enabled?: boolean; readonly claim?: string } = {}): string =>
    stringify({
      version: 1,
      issuers: [
        {
          id: 'partner-idp',
          issuer: IDP,
          jwksUri: host.uri,
          audiences: [AUDIENCE],
          enabled: parts.enabled ?? true,
        },
        { id: 'provider', issuer: provider.issuer, jwksUri: provider.jwksUri, audiences: [AUDIENCE] },
      ],
      endpoints: [
        endpoint('shipments', {}),
        endpoint('once', { replayProtection: true }),
        endpoint('observed', { mode: 'observe' }),
      ],
      consumers: [
        {
          id: 'acme',
          credentials: [
            {
              id: 'acme-jwt',
              method: 'jwt',
              issuer: 'partner-idp',
              claims: { azp: parts.claim ?? 'acme-batch' },
            },
            { id: 'acme-provider', method: 'jwt', issuer: 'provider', claims: { client_id: 'acme-batch' } },
          ],
        },
      ],
    });

  before(async () => {
    folder = await temporaryDirectory();
    host = await startJwksServer();
    provider = await startTokenProvider();
    const ca = join(folder.path, 'ca.pem');
    await writeFile(ca, jwksAuthority.cert);
    stack = await startStack(documentWith(), {
      settings: { POSTERN_JWKS_PRIVATE_HOSTS: 'localhost', POSTERN_JWKS_CA: ca },
    });
  });
  after(() => release(stack, provider, host, folder));

  const call = async (token: string, path = '/shipments', protocol: Protocol = 'HTTP/1.1') => {
    stack.backend.reset();
    return await send(protocol, stack.envoy.port, { target: path, headers: [['authorization', `Bearer ${token}`]] });
  };
  const assertRefused = async (token: string, code = 'TOKEN_INVALID', path?: string): Promise<void> => {
    const answer = await call(token, path);
    assert.equal((jsonBody(answer) as { readonly code: string }).code, code);
    assert.deepEqual(stack.backend.requests, []);
  };
  const assertAllowed = async (token: string, credential = 'acme-jwt', protocol?: Protocol): Promise<void> => {
    const answer = await call(token, '/shipments', protocol);
    assert.equal(answer.status, 200, answer.body.toString());
    const [request] = stack.backend.requests;
    assert.ok(request !== undefined);
    assert.equal(fieldValue(request.headers, 'x-consumer-id'), 'acme');
    assert.equal(fieldValue(request.headers, 'x-credential-identifier'), credential);
    assert.equal(fieldValue(request.headers, 'authorization'), null);
  };

  for (const protocol of protocols) {
    it(`are taken over ${protocol}, by jose and of oidc-provider`, async () => {
      await assertAllowed(await joseToken(), 'acme-jwt', protocol);
      await assertAllowed(await provider.issue(), 'acme-provider', protocol);
    });
  }

  it('are refused with any fault in the same way', async () => {
    await assertRefused(await joseToken({ azp: 'another' }));
    await assertRefused(await joseToken({}, 'another'));
    await assertRefused(await joseToken({ nbf: 4_000_000_000 }));
    const answer = await call(`${(await provider.issue()).slice(0, -8)}AAAAAAAA`);
    assert.equal(answer.status, 401);
    assert.match(
      fieldValue(answer.headers, 'www-authenticate') ?? '',
      /^Bearer realm="postern", error="invalid_token"/,
    );
  });

  it('pass once where the endpoint asks for that, and always where it observes', async () => {
    const token = await joseToken({ jti: 'once' });
    assert.equal((await call(token, '/once')).status, 200);
    await assertRefused(token, 'REQUEST_REPLAYED', '/once');
    await assertRefused(await joseToken(), 'TOKEN_INVALID', '/once');
    assert.equal((await call(await joseToken({ azp: 'another' }), '/observed')).status, 200);
    const [request] = stack.backend.requests;
    assert.equal(fieldValue(request?.headers ?? [], 'x-consumer-id'), null);
    assert.equal(fieldValue(request?.headers ?? [], 'authorization'), null);
  });

  it('work with a new key of the issuer as soon as it signs, and while its host is down', async () => {
    const key = { ...issuerKey('ES256', 'new'), kid: 'new' };
    host.answer = publishing(jwksOf([issuerKey(), key]));
    await assertAllowed(await joseToken({}, 'new', 'new'));
    host.answer = (request) => request.socket.destroy();
    await assertAllowed(await joseToken({ sub: 'a new token' }, 'new', 'new'));
    await assertRefused(await joseToken({}, 'another', 'unknown'));
  });

  it('follow the document within a second', async () => {
    const token = await joseToken();
    await assertAllowed(token);
    await stack.postern.replaceDocument(documentWith({ claim: 'another' }));
    await untilStatus(async () => await call(token), 401);
    await assertAllowed(await joseToken({ azp: 'another' }));
    await stack.postern.replaceDocument(documentWith({ enabled: false }));
    await untilStatus(async () => await call(await joseToken({ azp: 'another' })), 401);
    await assertAllowed(await provider.issue(), 'acme-provider');
    await poll('keys that are forgotten', async () =>
      (await stack.postern.metrics()).includes('keys_age_seconds{issuer="partner-idp"}') ? null : true,
    );
    host.answer = (request) => request.socket.destroy();
    await stack.postern.replaceDocument(documentWith());
    await untilStatus(async () => await call(token), 503);
    await assertRefused(token, 'STORE_UNAVAILABLE');
  });

  it('leave nothing of themselves in log and metrics, nor the query of an address', async () => {
    const token = await joseToken({ azp: 'another' });
    await assertRefused(token, 'STORE_UNAVAILABLE');
    const logged = stack.postern.output();
    const metrics = await stack.postern.metrics();
    for (const text of [...token.split('.'), 'secret-of-the-query']) {
      assert.ok(!logged.includes(text) && !metrics.includes(text), text);
    }
    assert.match(logged, /the keys of an issuer were fetched/);
    assert.match(metrics, /postern_issuer_key_fetches_total\{issuer="provider",result="fetched"\} 1\n/);
    assert.match(metrics, /postern_issuer_key_fetches_total\{issuer="partner-idp",result="connection"\} \d/);
    assert.match(metrics, /postern_issuer_keys_age_seconds\{issuer="provider"\} \d/);
  });
});

async function untilStatus(ask: () => Promise<HttpAnswer>, status: number): Promise<void> {
  await poll(`an answer with ${String(status)}`, async () => ((await ask()).status === status ? true : null));
}

function endpoint(id: string, options: Readonly<Record<string, unknown>>): object {
  return {
    id,
    scenario: 'partner-openapi',
    authentication: 'jwt',
    match: { paths: [{ prefix: `/${id}` }] },
    options,
  };
}
