import assert from 'node:assert/strict';
import { protocols, send } from '../../support/http/http-client.ts';
import { fieldValue, fieldValues, type HttpAnswer, jsonBody } from '../../support/http/http-message.ts';
import { bearer, getToken, post } from '../../support/oauth2/oauth2-client.ts';
import { encodeSegment, partsOf, signSegments } from '../../support/oauth2/forged-token.ts';
import { type OAuth2Stack, startOAuth2Stack } from '../../support/oauth2/oauth2-stack.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { poll } from '../../support/time/poll.ts';
import { release } from '../../support/lifetime/release.ts';

const acme = { clientId: 'client-of-acme', secret: 'the-secret-of-acme-for-tests' };
const borealis = { clientId: 'client-of-borealis', secret: 'the-secret-of-borealis-for-tests' };

interface Changes {
  readonly isDisabled?: boolean;
  readonly state?: string;
  readonly isGranted?: boolean;
}

function documentWith({ isDisabled = false, state = 'active', isGranted = true }: Changes = {}): string {
  const endpoint = (id: string, more: object = {}) => ({
    id,
    scenario: 'partner-openapi',
    match: { paths: [{ prefix: `/${id}` }] },
    authentication: 'oauth2',
    ...more,
  });
  const credential = (id: string, { clientId, secret }: typeof acme, more: object = {}) => ({
    id,
    method: 'oauth2',
    appKey: clientId,
    appSecret: secret,
    ...more,
  });
  return JSON.stringify({
    version: 1,
    endpoints: [
      endpoint('stock'),
      endpoint('queried', { options: { tokenInQuery: true } }),
      endpoint('shown', { options: { tokenInQuery: true, hideCredentials: false } }),
      endpoint('granted', { accessCondition: 'authenticated-and-authorized' }),
      endpoint('observed', { options: { mode: 'observe' } }),
      { ...endpoint('keys'), authentication: 'key' },
    ],
    consumers: [
      { id: 'acme', name: 'Acme Ltd', enabled: !isDisabled, credentials: [credential('acme-oauth2', acme, { state })] },
      { id: 'borealis', credentials: [credential('borealis-oauth2', borealis)] },
    ],
    grants: isGranted ? [{ endpoint: 'granted', consumer: 'acme' }] : [],
  });
}

function codeOf(answer: HttpAnswer): string {
  return answer.status === 200
    ? '200'
    : `${String(answer.status)} ${String((jsonBody(answer) as { code: unknown }).code)}`;
}

describe('bearer tokens behind Envoy', () => {
  let stack: OAuth2Stack;
  let token: string;
  before(async () => {
    stack = await startOAuth2Stack(documentWith());
    token = await getToken(stack.envoy.port, acme);
  });
  after(() => release(stack));
  beforeEach(() => {
    stack.backend.reset();
  });

  for (const protocol of protocols) {
    const call = async (target: string, ...headers: (readonly [string, string])[]): Promise<HttpAnswer> =>
      await send(protocol, stack.envoy.port, { target, headers });

    it(`make the caller known and do not go on, over ${protocol}`, async () => {
      const answer = await call('/stock/levels?a=%2F&&access_token=x', bearer(token));
      assert.equal(answer.status, 200, answer.body.toString());
      const { target, headers } = assertOne(stack.backend.requests);
      assert.equal(target, '/stock/levels?a=%2F&&access_token=x');
      assert.deepEqual(
        ['x-consumer-id', 'x-consumer-username', 'x-credential-identifier', 'authorization'].map((name) =>
          fieldValue(headers, name),
        ),
        ['acme', 'Acme Ltd', 'acme-oauth2', null],
      );
      const entry = await stack.envoy.accessLogEntry(fieldValue(answer.headers, 'x-request-id') ?? '');
      assert.deepEqual([entry['authentication'], entry['consumer'], entry['code']], ['oauth2', 'acme', 'ALLOWED']);
    });

    it(`may stand in the query where that is allowed, and go on only when they are not hidden, over ${protocol}`, async () => {
      assert.equal(codeOf(await call(`/queried?a=1&access_token=${token}&b=%20`)), '200');
      assert.equal(codeOf(await call(`/shown?access_token=${token}`)), '200');
      assert.equal(codeOf(await call('/shown', bearer(token))), '200');
      const [queried, shown, header] = stack.backend.requests;
      assert.equal(queried?.target, '/queried?a=1&b=%20');
      assert.equal(shown?.target, `/shown?access_token=${token}`);
      assert.equal(fieldValue(header?.headers ?? [], 'authorization'), `Bearer ${token}`);
      assert.equal(codeOf(await call(`/stock?access_token=${token}`)), '401 CREDENTIALS_MISSING');
      assert.equal(codeOf(await call(`/queried?access_token=${token}`, bearer(token))), '400 MALFORMED_REQUEST');
      assert.equal(
        codeOf(await call(`/queried?access_token=${token}&access_token=${token}`)),
        '401 CREDENTIALS_MALFORMED',
      );
      assert.equal(stack.backend.requests.length, 3);
    });

    it(`are asked for with the challenge of RFC 6750, over ${protocol}`, async () => {
      for (const [headers, code, challenge] of [
        [[], '401 CREDENTIALS_MISSING', ''],
        [[['authorization', 'Basic eDp5']], '401 CREDENTIALS_MISSING', ''],
        [
          [['authorization', 'Bearer']],
          '401 TOKEN_INVALID',
          ', error="invalid_token", error_description="The access token is not valid."',
        ],
        [
          [bearer('x')],
          '401 TOKEN_INVALID',
          ', error="invalid_token", error_description="The access token is not valid."',
        ],
        [
          [bearer(`${token},Bearer ${token}`)],
          '401 CREDENTIALS_MALFORMED',
          ', error="invalid_token", error_description="The credentials of the request are malformed."',
        ],
      ] as const) {
        const answer = await call('/stock', ...headers);
        assert.equal(codeOf(answer), code);
        assert.deepEqual(fieldValues(answer.headers, 'www-authenticate'), [`Bearer realm="postern"${challenge}`]);
      }
      assert.equal(stack.backend.requests.length, 0);
    });
  }

  it('are refused when anything about them is another than issued', async () => {
    const { header, payload, signature } = partsOf(token);
    const changed = encodeSegment(Buffer.from(payload, 'base64url').toString('utf8').replace('acme', 'root'));
    const none = encodeSegment({ alg: 'none', typ: 'at+jwt' });
    for (const text of [
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${header}.${changed}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -1)}`,
      `${header}.${payload}.${signature}=`,
      `${header}.${payload}`,
      signSegments(header, payload, 'another key'),
      signSegments(header, payload, ''),
      signSegments(encodeSegment({ alg: 'HS256', typ: 'JWT' }), payload),
      `${token}.${token}`,
      'A'.repeat(50_000),
    ]) {
      const answer = await send('HTTP/1.1', stack.envoy.port, { target: '/stock', headers: [bearer(text)] });
      assert.equal(codeOf(answer), '401 TOKEN_INVALID', text.slice(0, 60));
    }
    const notUtf8 = await send('HTTP/1.1', stack.envoy.port, { target: '/stock', headers: [bearer('\xff\xfe.\x80')] });
    assert.equal(codeOf(notUtf8), '401 CREDENTIALS_MALFORMED');
    assert.equal(stack.backend.requests.length, 0);
  });

  it('on two lines, which Envoy joins, are none', async () => {
    const headers = [bearer(token), bearer(token)];
    const answer = await send('HTTP/1.1', stack.envoy.port, { target: '/stock', headers });
    assert.equal(codeOf(answer), '401 CREDENTIALS_MALFORMED');
  });

  it('of a partner do not work as App Keys, and App Keys not as tokens', async () => {
    const call = async (target: string, header: readonly [string, string]): Promise<string> =>
      codeOf(await send('HTTP/1.1', stack.envoy.port, { target, headers: [header] }));
    assert.equal(await call('/keys', ['x-app-key', acme.clientId]), '401 AUTHENTICATION_FAILED');
    assert.equal(await call('/keys', bearer(token)), '401 CREDENTIALS_MISSING');
    assert.equal(await call('/stock', bearer(acme.clientId)), '401 TOKEN_INVALID');
    assert.equal(await call('/stock', bearer(acme.secret)), '401 TOKEN_INVALID');
  });

  it('that are wrong are let through by observe mode, hidden, as nobody', async () => {
    assert.equal(
      codeOf(await send('HTTP/1.1', stack.envoy.port, { target: '/observed', headers: [bearer('x')] })),
      '200',
    );
    const { headers } = assertOne(stack.backend.requests);
    assert.deepEqual([fieldValue(headers, 'authorization'), fieldValue(headers, 'x-consumer-id')], [null, null]);
  });

  describe('follow every change within a second', () => {
    const codes = async (): Promise<readonly string[]> =>
      await Promise.all(
        ['/stock', '/granted'].map(async (target) =>
          codeOf(await send('HTTP/1.1', stack.envoy.port, { target, headers: [bearer(token)] })),
        ),
      );

    async function change(changes: Changes, expected: readonly string[]): Promise<void> {
      await stack.postern.replaceDocument(documentWith(changes));
      await poll(expected.join(), async () => ((await codes()).join() === expected.join() ? true : null));
    }

    for (const [what, changes, expected] of [
      ['a disabled consumer', { isDisabled: true }, ['401 TOKEN_INVALID', '401 TOKEN_INVALID']],
      ['a revoked credential', { state: 'revoked' }, ['401 TOKEN_INVALID', '401 TOKEN_INVALID']],
      ['a removed grant', { isGranted: false }, ['200', '403 NOT_AUTHORIZED']],
    ] as const) {
      it(what, async () => {
        assert.deepEqual(await codes(), ['200', '200']);
        await change(changes, expected);
        await change({}, ['200', '200']);
      });
    }
  });

  it('are refused when their client revoked them, and only then', async () => {
    const { port } = stack.envoy;
    const [mine, other] = [await getToken(port, acme), await getToken(port, acme)];
    const call = async (text: string): Promise<string> =>
      codeOf(await send('HTTP/1.1', port, { target: '/stock', headers: [bearer(text)] }));
    assert.equal((await post(port, '/oauth2/revoke', { token: mine }, { client: borealis })).status, 200);
    assert.equal(await call(mine), '200');
    assert.deepEqual(jsonBody(await post(port, '/oauth2/introspect', { token: mine }, { client: borealis })), {
      active: false,
    });
    const revoked = await post(port, '/oauth2/revoke', { token: mine }, { client: acme });
    assert.deepEqual([revoked.status, revoked.body.length], [200, 0]);
    assert.deepEqual([await call(mine), await call(other)], ['401 TOKEN_INVALID', '200']);
    assert.deepEqual(jsonBody(await post(port, '/oauth2/introspect', { token: mine }, { client: acme })), {
      active: false,
    });
  });
});
