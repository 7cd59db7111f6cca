import assert from 'node:assert/strict';
import { protocols, send } from '../../support/http/http-client.ts';
import { fieldValue, jsonBody } from '../../support/http/http-message.ts';
import { assertOAuth2Refusal, getToken, post, requestToken } from '../../support/oauth2/oauth2-client.ts';
import { form } from '../../support/oauth2/oauth2-request.ts';
import { demoClient, type OAuth2Stack, startOAuth2Stack } from '../../support/oauth2/oauth2-stack.ts';
import { release } from '../../support/lifetime/release.ts';

const formType = ['content-type', 'application/x-www-form-urlencoded'] as const;
const jsonType = ['content-type', 'application/json'] as const;
const inBody = { client_id: demoClient.clientId, client_secret: demoClient.secret };
const grant = { grant_type: 'client_credentials' };

describe('the OAuth2 addresses behind Envoy', () => {
  let stack: OAuth2Stack;
  before(async () => {
    stack = await startOAuth2Stack();
  });
  after(() => release(stack));

  for (const protocol of protocols) {
    it(`give a token that nobody may keep, over ${protocol}`, async () => {
      const answer = await requestToken(stack.envoy.port, { protocol });
      assert.equal(answer.status, 200);
      assert.equal(fieldValue(answer.headers, 'cache-control'), 'no-store');
      assert.equal(fieldValue(answer.headers, 'pragma'), 'no-cache');
      assert.deepEqual(Object.keys(jsonBody(answer) as object), ['access_token', 'token_type', 'expires_in']);
    });

    it(`refuse in the form of RFC 6749, over ${protocol}`, async () => {
      const { port } = stack.envoy;
      const ask = async (request: Parameters<typeof send>[2]) =>
        await send(protocol, port, { method: 'POST', target: '/oauth2/token', headers: [formType], ...request });
      assertOAuth2Refusal(await ask({ body: form(inBody) }), 400, 'invalid_request');
      assertOAuth2Refusal(
        await ask({ body: form({ ...inBody, grant_type: 'password' }) }),
        400,
        'unsupported_grant_type',
      );
      assertOAuth2Refusal(
        await ask({ body: form({ ...inBody, ...grant, client_secret: 'x' }) }),
        400,
        'invalid_client',
      );
      assertOAuth2Refusal(
        await requestToken(port, { protocol, client: { ...demoClient, secret: 'x' } }),
        401,
        'invalid_client',
      );
      assertOAuth2Refusal(
        await post(port, '/oauth2/token', { ...grant, ...inBody }, { protocol }),
        400,
        'invalid_request',
      );
      assertOAuth2Refusal(await ask({ body: `${form(grant)}&${form(grant)}` }), 400, 'invalid_request');
      assertOAuth2Refusal(await ask({ headers: [['content-type', 'text/plain']], body: 'x' }), 400, 'invalid_request');
      assertOAuth2Refusal(
        await ask({ headers: [jsonType], body: '{"grant_type":["client_credentials"]}' }),
        400,
        'invalid_request',
      );
      assertOAuth2Refusal(await ask({ body: 'x'.repeat(12_289) }), 413, 'invalid_request');
      assertOAuth2Refusal(await ask({ target: '/oauth2/', body: form(grant) }), 404, 'invalid_request');
      assertOAuth2Refusal(await ask({ target: '/oauth2/../stock', body: form(grant) }), 404, 'invalid_request');
      for (const target of ['/oauth2/token', '/oauth2/revoke', '/oauth2/introspect']) {
        const answer = await send(protocol, port, { target });
        assertOAuth2Refusal(answer, 405, 'invalid_request');
        assert.equal(fieldValue(answer.headers, 'allow'), 'POST');
      }
      assert.equal(stack.backend.requests.length, 0);
    });

    it(`describe themselves, over ${protocol}`, async () => {
      const target = '/.well-known/oauth-authorization-server';
      const answer = await send(protocol, stack.envoy.port, { target });
      const { issuer, token_endpoint: token } = jsonBody(answer) as Record<string, unknown>;
      assert.deepEqual([issuer, token], [stack.url, `${stack.url}/oauth2/token`]);
      const head = await send(protocol, stack.envoy.port, { target, method: 'HEAD' });
      assert.deepEqual([head.status, head.body.length], [200, 0]);
    });
  }

  it('refuse two Authorization lines, which Envoy joins', async () => {
    const answer = await requestToken(stack.envoy.port, { headers: [['authorization', 'Basic eDp5']] });
    assertOAuth2Refusal(answer, 401, 'invalid_client');
  });

  it('leave no secret and no token in any log', async () => {
    const token = await getToken(stack.envoy.port);
    const wrong = 'a-wrong-secret-of-this-test';
    await requestToken(stack.envoy.port, { client: { clientId: 'id-of-this-test', secret: wrong } });
    await post(stack.envoy.port, '/oauth2/introspect', { token });
    const answer = await post(stack.envoy.port, '/oauth2/token', { grant_type: 'last' });
    const requestId = fieldValue(answer.headers, 'x-request-id');
    const line = await stack.postern.logLine((found) => found['requestId'] === requestId);
    assert.deepEqual(
      [line['message'], line['operation'], line['status'], line['error']],
      ['an OAuth2 request was refused', 'token', 400, 'unsupported_grant_type'],
    );
    await stack.envoy.accessLogEntry(requestId ?? '');
    const logs = stack.postern.output() + stack.envoy.output();
    for (const text of [token, token.split('.')[2] ?? '', wrong, 'id-of-this-test', demoClient.secret]) {
      assert.ok(!logs.includes(text));
    }
    assert.match(
      await stack.postern.metrics(),
      /postern_oauth2_requests_total\{operation="token",outcome="invalid_client"\} \d/,
    );
  });
});

describe('guessing a client secret behind Envoy', () => {
  it('is throttled by the address that Envoy sees, whatever the caller says about it', async () => {
    // All of it must happen in one minute: made again when it did not.
    for (let isWhole = false; !isWhole; ) {
      const minute = minuteNow();
      await using stack = await startOAuth2Stack();
      const outcomes = await guess(stack.envoy.port);
      isWhole = minuteNow() === minute;
      if (!isWhole) continue;
      assert.deepEqual(outcomes.wrong, Array<number>(20).fill(401));
      assertOAuth2Refusal(outcomes.right, 429, 'temporarily_unavailable');
      assert.match(fieldValue(outcomes.right.headers, 'retry-after') ?? '', /^([1-9]|[1-5]\d|60)$/);
      assertOAuth2Refusal(outcomes.introspection, 429, 'temporarily_unavailable');
      assertOAuth2Refusal(outcomes.another, 401, 'invalid_client');
    }
  }).timeout(60_000);
});

describe('guessing a client secret past Envoy', () => {
  for (const [title, settings, expected] of [
    ['counts as the peer, where that is no Envoy that is known', { POSTERN_TRUSTED_PROXIES: '192.0.2.0/24' }, 429],
    ['counts as a known Envoy says', {}, 200],
  ] as const) {
    it(title, async () => {
      for (let isWhole = false; !isWhole; ) {
        const minute = minuteNow();
        await using stack = await startOAuth2Stack(undefined, settings);
        const outcomes = await guess(stack.postern.httpPort ?? 0);
        isWhole = minuteNow() === minute;
        if (!isWhole) continue;
        assert.deepEqual(outcomes.wrong, Array<number>(20).fill(401));
        assert.equal(outcomes.right.status, expected);
      }
    }).timeout(60_000);
  }
});

const minuteNow = (): number => Math.floor(Date.now() / 60_000);

/** Twenty wrong secrets, each as if from another address; then the right one, another endpoint, and another client. */
async function guess(port: number) {
  const wrong: number[] = [];
  for (let count = 0; count < 20; count += 1) {
    const headers = [
      ['x-envoy-external-address', `203.0.113.${String(count)}`],
      ['x-forwarded-for', `203.0.113.${String(count)}`],
      ['x-envoy-internal', 'true'],
    ] as const;
    wrong.push((await requestToken(port, { client: { ...demoClient, secret: 'wrong' }, headers })).status);
  }
  return {
    wrong,
    right: await requestToken(port, { headers: [['x-envoy-external-address', '203.0.113.99']] }),
    introspection: await post(port, '/oauth2/introspect', { token: 'x' }),
    another: await requestToken(port, { client: { clientId: 'another-client', secret: 'wrong' } }),
  };
}
