import assert from 'node:assert/strict';
import { concealCredentials } from '../../../../../src/check/methods/authenticate.ts';
import { type OAuth2Options } from '../../../../../src/model/endpoint.ts';
import { keepRevokedTokensInProcess, type RevokedTokens } from '../../../../../src/check/tokens/revoked-tokens.ts';
import { receive } from '../../../../../src/check/receive/receive.ts';
import { isRefusal } from '../../../../../src/check/refusal.ts';
import { route } from '../../../../../src/check/route/route.ts';
import { StoreUnavailable } from '../../../../../src/check/store/credential-source.ts';
import { acme, acmeOAuth2, twoClients } from '../../../../support/oauth2/oauth2-fixture.ts';
import { decodeSegment, partsOf } from '../../../../support/oauth2/forged-token.ts';
import { lastDecision } from '../../../../support/partner/signed-gateway.ts';
import { headerOf } from '../../../../support/pipeline/answer.ts';
import {
  httpRequest,
  type HeaderLine,
  headerForms,
  type RequestParts,
} from '../../../../support/pipeline/check-request.ts';
import { fixedClock, NOON } from '../../../../support/time/fixed-clock.ts';
import { type GatewayParts, testGateway, testTokens } from '../../../../support/pipeline/gateway.ts';
import {
  APP_KEY,
  consumer,
  credential,
  grant,
  limit,
  partnerEndpoint,
  catalogOf,
} from '../../../../support/pipeline/resources.ts';

const clock = fixedClock();
const subject = { clientId: acme.clientId, consumerId: 'acme', credentialId: 'acme-oauth2', expiresAt: null };
const T = testTokens(clock).issue(subject).text;

function endpointWith(options: Partial<OAuth2Options> = {}, isClosed = false) {
  const { options: defaults } = partnerEndpoint('oauth2');
  return partnerEndpoint('oauth2', {
    options: { ...defaults, ...options },
    accessCondition: isClosed ? 'authenticated-and-authorized' : 'authenticated',
  });
}

function gatewayWith(options: Partial<OAuth2Options> = {}, parts: GatewayParts = {}) {
  return testGateway({ clock, ...twoClients, endpoints: [endpointWith(options)], ...parts });
}

async function codeOf(request: RequestParts, options?: Partial<OAuth2Options>, parts?: GatewayParts): Promise<string> {
  return String((await gatewayWith(options, parts).send(request)).metadata['code']);
}

const header = (value: string): HeaderLine => ['authorization', value];
const bearer = header(`Bearer ${T}`);
const inQuery = { tokenInQuery: true };

describe('a bearer token', () => {
  it('makes the caller known', async () => {
    const answer = await gatewayWith().send({ headers: [bearer] });
    assert.ok(answer.kind === 'allowed');
    assert.deepEqual(
      ['x-consumer-id', 'x-consumer-username', 'x-credential-identifier'].map((name) =>
        headerOf(answer.upstream, name),
      ),
      ['acme', 'Acme Ltd', 'acme-oauth2'],
    );
    assert.equal(answer.metadata['authentication'], 'oauth2');
  });

  describe('is in Authorization', () => {
    for (const [value, code] of [
      [`Bearer ${T}`, 'ALLOWED'],
      [`bearer ${T}`, 'ALLOWED'],
      [`BEARER ${T}`, 'ALLOWED'],
      [`Bearer    ${T}`, 'ALLOWED'],
      ['Bearer', 'TOKEN_INVALID'],
      ['Bearer ', 'TOKEN_INVALID'],
      ['Bearer x', 'TOKEN_INVALID'],
      [`Bearer ${T}=`, 'TOKEN_INVALID'],
      [`Bearer ${T}A`, 'TOKEN_INVALID'],
      [`Bearer ${T.slice(0, -1)}`, 'TOKEN_INVALID'],
      [`Bearer ${T.toUpperCase()}`, 'TOKEN_INVALID'],
      [`Bearer ${'a'.repeat(100_000)}`, 'TOKEN_INVALID'],
      // Many seconds, were the blanks walked over once for each of them.
      [`Bearer${' '.repeat(100_000)}\nx`, 'CREDENTIALS_MALFORMED'],
      [`Bearer ${T} ${T}`, 'CREDENTIALS_MALFORMED'],
      [`Bearer ${T},Bearer ${T}`, 'CREDENTIALS_MALFORMED'],
      [`Bearer ${T},Basic eDp5`, 'CREDENTIALS_MALFORMED'],
      [`Bearer "${T}"`, 'CREDENTIALS_MALFORMED'],
      [`Bearer token=${T}`, 'CREDENTIALS_MALFORMED'],
      [`Bearer =${T}`, 'CREDENTIALS_MALFORMED'],
      [`Bearer,${T}`, 'CREDENTIALS_MALFORMED'],
      [`Bearer/${T}`, 'CREDENTIALS_MALFORMED'],
      ['Bearer \u00e9', 'CREDENTIALS_MALFORMED'],
      ['', 'CREDENTIALS_MALFORMED'],
      [` ${T}`, 'CREDENTIALS_MALFORMED'],
      [`,Bearer ${T}`, 'CREDENTIALS_MALFORMED'],
      [T, 'CREDENTIALS_MISSING'],
      [`Basic eDp5,Bearer ${T}`, 'CREDENTIALS_MISSING'],
      [`Bearerx ${T}`, 'CREDENTIALS_MISSING'],
      [`Token ${T}`, 'CREDENTIALS_MISSING'],
      ['Basic eDp5', 'CREDENTIALS_MISSING'],
    ] as const) {
      for (const headerForm of headerForms) {
        it(`${value.replaceAll(T, 'T').slice(0, 40)} → ${code}, ${headerForm} headers`, async () => {
          assert.equal(await codeOf({ headers: [header(value)], headerForm }), code);
        });
      }
    }

    it('after blanks, not a tab', async () => {
      assert.equal(await codeOf({ headers: [header(`Bearer\t${T}`)] }), 'CREDENTIALS_MALFORMED');
    });

    it('once', async () => {
      assert.equal(await codeOf({ headers: [bearer, bearer] }), 'CREDENTIALS_MALFORMED');
      assert.equal(await codeOf({}), 'CREDENTIALS_MISSING');
    });
  });

  describe('is in the query only where that is allowed', () => {
    for (const [path, headers, code] of [
      [`/orders?access_token=${T}`, [], 'ALLOWED'],
      [`/orders?x=1&access%5ftoken=${T}&y`, [], 'ALLOWED'],
      [`/orders?access_token=%${T.charCodeAt(0).toString(16)}${T.slice(1)}`, [], 'ALLOWED'],
      ['/orders?access_token', [], 'CREDENTIALS_MISSING'],
      ['/orders?Access_Token=x', [], 'CREDENTIALS_MISSING'],
      ['/orders?access_token=', [], 'TOKEN_INVALID'],
      ['/orders?access_token=%zz', [], 'TOKEN_INVALID'],
      [`/orders?access_token=${T}+`, [], 'TOKEN_INVALID'],
      [`/orders?access_token=${T}%00`, [], 'TOKEN_INVALID'],
      [`/orders?access_token=${T}&access_token=${T}`, [], 'CREDENTIALS_MALFORMED'],
      [`/orders?access_token=${T}&access_token`, [], 'ALLOWED'],
      // Both at once are refused whatever they are.
      [`/orders?access_token=${T}`, [bearer], 'MALFORMED_REQUEST'],
      ['/orders?access_token=', [bearer], 'MALFORMED_REQUEST'],
      [`/orders?access_token=${T}`, [header('Bearer')], 'MALFORMED_REQUEST'],
      [`/orders?access_token=${T}&access_token=${T}`, [bearer], 'MALFORMED_REQUEST'],
      ['/orders?access_token', [bearer], 'ALLOWED'],
      // Another scheme counts as none.
      [`/orders?access_token=${T}`, [header('Basic eDp5')], 'ALLOWED'],
    ] as const) {
      it(`${path.replaceAll(T, 'T')} ${headers[0]?.[1].slice(0, 6) ?? ''} → ${code}`, async () => {
        assert.equal(await codeOf({ path, headers }, inQuery), code);
      });
    }

    it('and nowhere else', async () => {
      assert.equal(await codeOf({ path: `/orders?access_token=${T}` }), 'CREDENTIALS_MISSING');
      assert.equal(await codeOf({ path: '/orders?access_token=x', headers: [bearer] }), 'ALLOWED');
    });
  });
});

describe('what upstream gets of a token', () => {
  async function changesOf(request: RequestParts, options: Partial<OAuth2Options> = {}) {
    const answer = await gatewayWith(options).send(request);
    assert.ok(answer.kind === 'allowed');
    return { path: headerOf(answer.upstream, ':path') ?? null, removed: answer.removed };
  }

  it('is nothing', async () => {
    assert.deepEqual(await changesOf({ headers: [bearer] }), { path: null, removed: ['authorization'] });
    assert.deepEqual(await changesOf({ path: `/orders?a=%2F&access_token=${T}&&b=+` }, inQuery), {
      path: '/orders?a=%2F&&b=+',
      removed: [],
    });
    assert.deepEqual(await changesOf({ path: `/orders?access_token=${T}&access_token` }, inQuery), {
      path: '/orders',
      removed: [],
    });
  });

  it('is the token where it is not hidden, and other credentials always', async () => {
    const unchanged = { path: null, removed: [] };
    assert.deepEqual(await changesOf({ headers: [bearer] }, { hideCredentials: false }), unchanged);
    const path = `/orders?access_token=${T}`;
    assert.deepEqual(await changesOf({ path }, { ...inQuery, hideCredentials: false }), unchanged);
    assert.deepEqual(await changesOf({ path, headers: [header('Basic eDp5')] }, inQuery), {
      path: '/orders',
      removed: [],
    });
    assert.deepEqual(await changesOf({ path: '/orders?access_token=x', headers: [bearer] }), {
      path: null,
      removed: ['authorization'],
    });
  });

  it('is nothing either when observe mode lets a bad one through', () => {
    const concealed = (value: string, options: Partial<OAuth2Options> = {}, path = '/orders') => {
      const received = receive(httpRequest({ path, headers: [header(value)] }));
      assert.ok(!isRefusal(received));
      const routed = route(received, catalogOf({ ...twoClients, endpoints: [endpointWith(options)] }));
      assert.ok(!isRefusal(routed));
      const { headersToSet, headersToRemove } = concealCredentials(routed);
      return [headersToSet[0]?.[1] ?? null, headersToRemove];
    };
    for (const value of [
      'Bearer x',
      'bearer',
      'Bearer a b',
      `Basic eDp5,Bearer ${T}`,
      'Basic eDp5, bearer x',
      ',Bearer x',
    ]) {
      assert.deepEqual(concealed(value), [null, ['authorization']], value);
    }
    for (const value of ['Basic eDp5', 'Bearers x', 'x bearer']) assert.deepEqual(concealed(value), [null, []], value);
    assert.deepEqual(concealed('Basic eDp5', inQuery, '/orders?access_token=x'), ['/orders', []]);
    assert.deepEqual(concealed('Bearer x', { hideCredentials: false }), [null, []]);
  });
});

describe('a token that was right when it was issued', () => {
  const send = async (parts: GatewayParts, text = T): Promise<readonly [string, string | null]> => {
    const gateway = gatewayWith({}, parts);
    await gateway.send({ headers: [header(`Bearer ${text}`)] });
    const { code, detail } = lastDecision(gateway);
    return [code, detail];
  };

  for (const [detail, parts] of [
    ['the App Key is unknown', { credentials: [] }],
    ['the credential acme-oauth2 is revoked', { credentials: [acmeOAuth2({ state: 'revoked' })] }],
    ['the credential acme-oauth2 has expired', { credentials: [acmeOAuth2({ expiresAt: NOON })] }],
    ['the credential acme-oauth2 is not valid yet', { credentials: [acmeOAuth2({ notBefore: NOON + 1 })] }],
    ['the credential acme-oauth2 is not for oauth2', { credentials: [acmeOAuth2({ methods: ['hmac'] })] }],
    ['the consumer acme is disabled', { consumers: [consumer({ enabled: false })], credentials: [acmeOAuth2()] }],
    ['the App Key of the token belongs to another credential now', { credentials: [acmeOAuth2({ id: 'acme-new' })] }],
    [
      'the App Key of the token belongs to another credential now',
      { consumers: [consumer({ id: 'other' })], credentials: [acmeOAuth2({ consumerId: 'other' })] },
    ],
  ] as const) {
    it(`is refused when ${detail}`, async () => {
      assert.deepEqual(await send(parts), ['TOKEN_INVALID', detail]);
    });
  }

  it('is refused when its client revoked it, and no other is', async () => {
    const revokedTokens = keepRevokedTokensInProcess(clock);
    const other = testTokens(clock).issue(subject).text;
    const tokenId = String(decodeSegment(partsOf(T).payload)['jti']);
    await revokedTokens.revoke({ tokenId, consumerId: 'acme', credentialId: 'acme-oauth2', expiresAt: NOON + 3600 });
    assert.deepEqual(await send({ revokedTokens }), ['TOKEN_INVALID', 'the token was revoked by its client']);
    assert.deepEqual(await send({ revokedTokens }, other), ['ALLOWED', null]);
  });

  it('is refused when it has expired', async () => {
    const later = fixedClock(NOON + 3600);
    assert.deepEqual(await send({ clock: later }), ['TOKEN_INVALID', 'the token has expired']);
  });

  it('follows each change at the next request, remembered or not', async () => {
    let state = catalogOf({ ...twoClients, endpoints: [endpointWith()] });
    const gateway = testGateway({ clock, catalog: () => state });
    const ask = async (): Promise<unknown> => (await gateway.send({ headers: [bearer] })).metadata['code'];
    assert.deepEqual([await ask(), await ask()], ['ALLOWED', 'ALLOWED']);
    state = catalogOf({ ...twoClients, endpoints: [endpointWith()], credentials: [acmeOAuth2({ state: 'revoked' })] });
    assert.equal(await ask(), 'TOKEN_INVALID');
    state = catalogOf({ ...twoClients, endpoints: [endpointWith({}, true)], grants: [grant()] });
    assert.equal(await ask(), 'ALLOWED');
    state = catalogOf({ ...twoClients, endpoints: [endpointWith({}, true)] });
    assert.equal(await ask(), 'NOT_AUTHORIZED');
  });

  it('is neither accepted nor called wrong when it is unknown whether it was revoked', async () => {
    const revokedTokens: RevokedTokens = {
      isRevoked: () => {
        throw new StoreUnavailable('the list of revoked tokens is out of date');
      },
      revoke: () => 'full',
    };
    assert.deepEqual(await send({ revokedTokens }), ['STORE_UNAVAILABLE', 'the list of revoked tokens is out of date']);
  });

  it('waits for a store that has to be asked', async () => {
    const known = catalogOf({ ...twoClients, endpoints: [endpointWith()] });
    const catalog = () => ({
      ...known,
      credentials: {
        findByAppKey: async (key: string) => await known.credentials.findByAppKey(key),
        canKnow: () => true,
      },
    });
    assert.deepEqual(await send({ catalog }), ['ALLOWED', null]);
  });

  it('works on every oauth2 endpoint, and on none of another method', async () => {
    const credentials = [acmeOAuth2(), credential({ appKey: APP_KEY })];
    const endpoints = [endpointWith(), partnerEndpoint('key', { id: 'keys', paths: [{ prefix: '/keys' }] })];
    const gateway = testGateway({ clock, ...twoClients, credentials, endpoints });
    const code = async (path: string): Promise<unknown> =>
      (await gateway.send({ path, headers: [bearer] })).metadata['code'];
    assert.deepEqual([await code('/orders'), await code('/keys')], ['ALLOWED', 'CREDENTIALS_MISSING']);
    assert.equal(await codeOf({ headers: [['x-app-key', acme.clientId]] }), 'CREDENTIALS_MISSING');
  });
});

describe('the challenge of an oauth2 endpoint', () => {
  const challengeOf = async (request: RequestParts, options: Partial<OAuth2Options> = inQuery) => {
    const answer = await gatewayWith(options).send(request);
    assert.ok(answer.kind === 'refused');
    return [answer.status, headerOf(answer.headers, 'www-authenticate')];
  };

  it('names no error when there is no token (RFC 6750 §3.1)', async () => {
    assert.deepEqual(await challengeOf({}), [401, 'Bearer realm="postern"']);
    assert.deepEqual(await challengeOf({ headers: [header('Basic eDp5')] }), [401, 'Bearer realm="postern"']);
  });

  it('is invalid_token for a token that is not valid', async () => {
    const invalid = 'Bearer realm="postern", error="invalid_token", error_description="The access token is not valid."';
    assert.deepEqual(await challengeOf({ headers: [header('Bearer x')] }), [401, invalid]);
    assert.deepEqual(await challengeOf({ headers: [header('Bearer')] }), [401, invalid]);
    assert.deepEqual(await challengeOf({ headers: [header('Bearer a b')] }), [
      401,
      'Bearer realm="postern", error="invalid_token", error_description="The credentials of the request are malformed."',
    ]);
  });

  it('is invalid_request for two tokens', async () => {
    assert.deepEqual(await challengeOf({ path: '/orders?access_token=x', headers: [bearer] }), [
      400,
      'Bearer realm="postern", error="invalid_request", error_description="The request is malformed."',
    ]);
  });
});

describe('the order of checks on an oauth2 endpoint', () => {
  it('is token, access, limits; refused ones use up nothing', async () => {
    const endpoint = { ...endpointWith(inQuery, true), limits: [limit('1/minute/consumer')] };
    const parts = { clock, ...twoClients, endpoints: [endpoint] };
    const open = testGateway({ ...parts, grants: [grant()] });
    const code = async (gateway: ReturnType<typeof testGateway>, request: RequestParts): Promise<unknown> =>
      (await gateway.send(request)).metadata['code'];
    assert.equal(await code(testGateway(parts), { headers: [bearer] }), 'NOT_AUTHORIZED');
    assert.equal(await code(open, { headers: [header('Bearer x')] }), 'TOKEN_INVALID');
    assert.equal(await code(open, { headers: [bearer] }), 'ALLOWED');
    assert.equal(await code(open, { headers: [bearer] }), 'RATE_LIMITED');
    assert.equal(await code(open, { headers: [header('Bearer x')] }), 'TOKEN_INVALID');
    const cut = { headers: [header('Bearer a b')], body: 'b', size: 2 };
    assert.equal(await code(open, cut), 'BODY_TOO_LARGE');
    assert.equal(await code(open, { headers: [header('Bearer')], path: '/../x' }), 'PATH_NOT_NORMAL');
  });
});
