import assert from 'node:assert/strict';
import { join } from 'node:path';
import { httpFilters, routes } from '../../support/envoy/envoy-config.ts';
import { projectRoot } from '../../support/docs/documents.ts';
import { protocols } from '../../support/http/http-client.ts';
import { fieldValue, type HttpAnswer, jsonBody, type RecordedRequest } from '../../support/http/http-message.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { release } from '../../support/lifetime/release.ts';
import { send } from '../../support/http/http-client.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';
import { runCli } from '../../unit/cli/run-cli.ts';
import { assertCode } from './assert-code.ts';
import { guideSnippet } from './guide-snippet.ts';
import { type KongRequest, signedForKong } from './kong-client.ts';

const example = join(projectRoot, 'examples/kong/kong.yaml');
const host = 'api.example.com';
const acmeId = '5f1dd8c4-7f4e-4d4e-9d3a-1d1c0f8a3b01';

/** Requests that Kong's clients make and that go on working, as the guide says. */
const accepted: Readonly<Record<string, KongRequest>> = {
  'date and request line': {},
  'the host signed too, in another order': { signed: ['request-line', 'host', 'date'] },
  'a query': { target: '/invoices?year=2026&b=%2F' },
  'a body with a signed digest': {
    method: 'POST',
    body: '{"amount":12}',
    headers: [['Content-Type', 'application/json']],
  },
  'a header of its own': { headers: [['X-Order', '7']], signed: ['date', 'request-line', 'x-order'] },
};

/** Requests that Kong lets in and that have to change, as the guide says. */
const changing: Readonly<Record<string, readonly [KongRequest, string]>> = {
  'a body without digest': [
    { method: 'POST', body: 'x', digest: false, signed: ['date', 'request-line'] },
    'CREDENTIALS_MALFORMED',
  ],
  'a body with a digest that is not signed': [
    { method: 'POST', body: 'x', signed: ['date', 'request-line'] },
    'CREDENTIALS_MALFORMED',
  ],
  'no request line': [{ signed: ['date'] }, 'CREDENTIALS_MALFORMED'],
  '@request-target': [{ signed: ['date', '@request-target'] }, 'CREDENTIALS_MALFORMED'],
  'x-date': [{ dateHeader: 'X-Date', signed: ['x-date', 'request-line'] }, 'CREDENTIALS_MALFORMED'],
  'hmac-sha1': [{ algorithm: 'hmac-sha1' }, 'CREDENTIALS_MALFORMED'],
  'names in upper case': [{ signed: ['Date', 'request-line'] }, 'CREDENTIALS_MALFORMED'],
  'a name without its header': [{ signed: ['date', 'request-line', 'x-none'] }, 'CREDENTIALS_MALFORMED'],
  'a date of RFC 850': [{ date: rfc850(new Date()) }, 'CREDENTIALS_MALFORMED'],
  'Proxy-Authorization': [{ carrier: 'Proxy-Authorization' }, 'CREDENTIALS_MISSING'],
  'a signed x-forwarded-for': [
    { headers: [['X-Forwarded-For', '1.2.3.4']], signed: ['date', 'request-line', 'x-forwarded-for'] },
    'CREDENTIALS_MALFORMED',
  ],
};

function rfc850(date: Date): string {
  const [, day = '', month = '', year = '', time = ''] =
    /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(date.toUTCString()) ?? [];
  const weekday = date.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
  return `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
}

describe('clients of Kong after the move', () => {
  let stack: Stack;
  let document = '';

  before(async () => {
    const { code, out, err } = await runCli(['import', 'kong', '-f', example]);
    assert.equal(code, 0, err);
    document = out;
    stack = await startStack(document, {
      edit: (config) => {
        httpFilters(config).unshift(guideSnippet('filter: kong-username'));
        routes(config).unshift(guideSnippet('route: kong-token'));
      },
    });
  });
  after(() => release(stack));
  beforeEach(() => {
    stack.backend.reset();
  });

  function forwardedOf(answer: HttpAnswer): RecordedRequest {
    assert.equal(answer.status, 200, answer.body.toString());
    return assertOne(stack.backend.requests);
  }

  for (const protocol of protocols) {
    describe(`over ${protocol}`, () => {
      const ask = (request: Parameters<typeof send>[2]): Promise<HttpAnswer> =>
        send(protocol, stack.envoy.port, { host, ...request });

      for (const [what, request] of Object.entries(accepted)) {
        it(`go on with hmac, with the filter for username: ${what}`, async () => {
          const forwarded = forwardedOf(await ask(signedForKong(request)));
          assert.equal(forwarded.target, request.target ?? '/invoices');
          assert.equal(fieldValue(forwarded.headers, 'x-consumer-id'), acmeId);
          assert.equal(fieldValue(forwarded.headers, 'x-consumer-username'), 'acme');
          assert.equal(fieldValue(forwarded.headers, 'x-credential-identifier'), 'acme');
          assert.equal(fieldValue(forwarded.headers, 'authorization'), null);
        });
      }

      for (const [what, [request, code]] of Object.entries(changing)) {
        it(`have to change: ${what}`, async () => {
          assertCode(await ask(signedForKong(request)), 401, code);
        });
      }

      it('are refused with a wrong secret, and let in with appkey as well', async () => {
        assertCode(await ask(signedForKong({ secret: 'another-secret-of-16-or-more' })), 401, 'AUTHENTICATION_FAILED');
        forwardedOf(await ask(signedForKong({ nameParameter: 'appkey' })));
      });

      it('are kept out by groups, as before', async () => {
        const globex = { username: 'globex', secret: 'globex-example-secret-Pm3Vc8Yt5n' };
        assertCode(await ask(signedForKong(globex)), 403, 'NOT_AUTHORIZED');
      });

      it('go on with keys in header and query', async () => {
        for (const request of [
          { target: '/orders/1', headers: [['apikey', 'acme-example-key-2fVn8QxL']] as const },
          { target: '/orders/1?apikey=acme-example-key-2fVn8QxL&a=b' },
        ]) {
          stack.backend.reset();
          const answer = await ask(request);
          const forwarded = forwardedOf(answer);
          assert.equal(forwarded.target.includes('apikey'), false);
          assert.equal(
            fieldValue(forwarded.headers, 'x-credential-identifier'),
            '0b7c4c1e-52a1-4a66-9f0e-6a0e5f3f1a11',
          );
        }
        assertCode(await ask({ target: '/orders/1?apikey=wrong' }), 401, 'AUTHENTICATION_FAILED');
        assertCode(await ask({ target: '/orders/1' }), 401, 'CREDENTIALS_MISSING');
        assertCode(await ask({ method: 'DELETE', target: '/orders/1' }), 404, 'ENDPOINT_NOT_FOUND');
      });

      it('get tokens at the address below the route, and use them', async () => {
        const client = {
          client_id: 'acme-client',
          client_secret: 'acme-example-client-secret-Zr4',
          grant_type: 'client_credentials',
        };
        for (const [type, body] of [
          ['application/x-www-form-urlencoded', new URLSearchParams(client).toString()],
          ['application/json', JSON.stringify(client)],
        ] as const) {
          const answer = await ask({
            method: 'POST',
            target: '/stock/oauth2/token',
            headers: [['Content-Type', type]],
            body: Buffer.from(body),
          });
          assert.equal(answer.status, 200, answer.body.toString());
          const { access_token: token, token_type: tokenType } = jsonBody(answer) as {
            access_token: string;
            token_type: string;
          };
          assert.equal(tokenType, 'bearer');
          for (const request of [
            { target: '/stock', headers: [['Authorization', `bearer ${token}`]] as const },
            { target: `/stock?access_token=${token}` },
          ]) {
            stack.backend.reset();
            assert.equal(fieldValue(forwardedOf(await ask(request)).headers, 'x-consumer-id'), acmeId);
          }
          assertCode(
            await ask({ target: '/stock', headers: [['Authorization', `token ${token}`]] }),
            401,
            'CREDENTIALS_MISSING',
          );
        }
        const inQuery = await ask({
          method: 'POST',
          target: `/stock/oauth2/token?${new URLSearchParams(client).toString()}`,
          headers: [['Content-Type', 'application/x-www-form-urlencoded']],
        });
        assert.equal(inQuery.status, 400);
      });

      it('reach what was open', async () => {
        const forwarded = forwardedOf(await ask({ target: '/status' }));
        assert.equal(fieldValue(forwarded.headers, 'x-consumer-id'), null);
      });
    });
  }

  it('sign HTTP/2.0 over HTTP/2, as Kong wants it', async () => {
    forwardedOf(await send('HTTP/2', stack.envoy.port, signedForKong({ version: 'HTTP/2.0' })));
  });

  it('have to write appkey where Envoy does not rewrite username', async () => {
    await using plain = await startStack(document);
    assertCode(await send('HTTP/1.1', plain.envoy.port, signedForKong()), 401, 'CREDENTIALS_MALFORMED');
    const answer = await send('HTTP/1.1', plain.envoy.port, signedForKong({ nameParameter: 'appkey' }));
    assert.equal(answer.status, 200);
  });

  // Last, because it uses up what the others need.
  describe('at the end', () => {
    it('have the limits they had', async () => {
      const headers = [['apikey', 'acme-example-key-2fVn8QxL']] as const;
      const statuses: number[] = [];
      // Five a minute: of twelve at least two are too many, also around the border of two minutes.
      for (let number = 0; number < 12; number += 1) {
        statuses.push((await send('HTTP/1.1', stack.envoy.port, { host, target: '/orders', headers })).status);
      }
      assert.ok(statuses.filter((status) => status === 429).length >= 2, statuses.join(' '));
    });
  });
});
