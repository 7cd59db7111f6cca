import assert from 'node:assert/strict';
import { type AddressList, addressListField } from '../../../../src/model/address-list.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { throttleLimits } from '../../../../src/base/throttle.ts';
import { type CredentialSource, StoreUnavailable } from '../../../../src/check/store/credential-source.ts';
import { decodeSegment, ISSUER, partsOf } from '../../../support/oauth2/forged-token.ts';
import {
  acme,
  acmeOAuth2,
  bodyOf,
  borealis,
  oauth2Fixture,
  tokenRequest,
  twoClients,
} from '../../../support/oauth2/oauth2-fixture.ts';
import { basic, form, type OAuth2RequestParts } from '../../../support/oauth2/oauth2-request.ts';
import { NOON } from '../../../support/time/fixed-clock.ts';
import { consumer, catalogOf } from '../../../support/pipeline/resources.ts';

type Fixture = ReturnType<typeof oauth2Fixture>;

/** Status and error of the answer, which must have the whole form of RFC 6749 §5.2. */
async function refusalOf(fixture: Fixture, request: OAuth2RequestParts): Promise<string> {
  const { status, headers, body } = await fixture.send(request);
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['cache-control'], 'no-store');
  const { error, error_description, ...rest } = JSON.parse(body) as Record<string, string>;
  assert.deepEqual(rest, {});
  assert.match(error_description ?? '', /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  assert.equal(headers['www-authenticate'], status === 401 ? 'Basic realm="postern"' : undefined);
  return `${String(status)} ${error ?? ''}`;
}

async function issue(fixture: Fixture, request = tokenRequest()): Promise<string> {
  const answer = await fixture.send(request);
  assert.equal(answer.status, 200, answer.body);
  return String(bodyOf(answer)['access_token']);
}

const inBody = { client_id: acme.clientId, client_secret: acme.secret };
const grant = { grant_type: 'client_credentials' };

describe('the token endpoint', () => {
  it('gives a token to a client that authenticates by header', async () => {
    const fixture = oauth2Fixture();
    const answer = await fixture.send(tokenRequest());
    const { access_token, ...rest } = bodyOf(answer);
    assert.deepEqual(rest, { token_type: 'bearer', expires_in: 3600 });
    assert.deepEqual(
      [answer.status, answer.headers],
      [200, { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' }],
    );
    const claims = decodeSegment(partsOf(String(access_token)).payload);
    assert.deepEqual(
      [claims['client_id'], claims['consumer'], claims['credential']],
      [acme.clientId, 'acme', 'acme-oauth2'],
    );
    assert.deepEqual(fixture.told, [
      { operation: 'token', requestId: null, authentication: 'client_secret_basic', refusal: null },
    ]);
  });

  it('takes the credentials in a form or JSON body too, and ignores scope and query', async () => {
    const fixture = oauth2Fixture();
    await issue(fixture, { body: form({ ...grant, ...inBody, scope: 'a b' }) });
    const json = [['content-type', 'application/json']] as const;
    await issue(fixture, { headers: json, body: JSON.stringify({ ...grant, ...inBody, audience: 'x' }) });
    await issue(fixture, tokenRequest(acme, { target: '/oauth2/token?grant_type=password&client_secret=x' }));
    await issue(fixture, tokenRequest(acme, { body: form({ ...grant, client_id: acme.clientId }) }));
  });

  it('refuses a client from an address that its lists do not hold, and strangers as from everywhere', async () => {
    const allowFrom = addressListField(['203.0.113.0/24']) as AddressList;
    for (const [ofConsumer, ofCredential] of [
      [allowFrom, null],
      [null, allowFrom],
    ] as const) {
      const fixture = oauth2Fixture({
        parts: {
          consumers: [consumer({ allowFrom: ofConsumer })],
          credentials: [{ ...acmeOAuth2(), allowFrom: ofCredential }],
        },
      });
      const from = (...addresses: readonly string[]): OAuth2RequestParts => ({
        headers: [
          basic(acme.clientId, acme.secret),
          ...addresses.map((address) => ['x-envoy-external-address', address] as const),
        ],
      });
      await issue(fixture, tokenRequest(acme, from('203.0.113.7')));
      await issue(fixture, tokenRequest(acme, { peerAddress: '203.0.113.7' }));
      for (const request of [
        from('198.51.100.1'),
        { ...from('203.0.113.7', '203.0.113.7'), peerAddress: '203.0.113.7' },
        { ...from('203.0.113.7'), isPeerTrusted: false },
        { peerAddress: null },
      ]) {
        assert.equal(await refusalOf(fixture, tokenRequest(acme, request)), '400 unauthorized_client');
      }
      const stranger = { clientId: acme.clientId, secret: 'wrong' };
      const header = ['x-envoy-external-address', '198.51.100.1'] as const;
      const wrong = { headers: [basic(stranger.clientId, stranger.secret), header] };
      assert.equal(await refusalOf(fixture, tokenRequest(stranger, wrong)), '401 invalid_client');
      assert.equal(fixture.used.length, 2, 'who is refused has not used the credential');
      assert.match(fixture.told.at(2)?.refusal?.detail ?? '', /from this address$/);
    }
  });

  it('takes a former secret until its grace period ends', async () => {
    const fixture = oauth2Fixture();
    const request = tokenRequest({ ...acme, secret: acme.former });
    await issue(fixture, request);
    fixture.clock.advance(599);
    await issue(fixture, request);
    fixture.clock.advance(1);
    assert.equal(await refusalOf(fixture, request), '401 invalid_client');
    await issue(fixture);
    // What operators go by when they ask whether the former one is still needed.
    assert.deepEqual(fixture.used, ['acme-oauth2 retiring', 'acme-oauth2 retiring', 'acme-oauth2 current']);
  });

  it('says how long the token works: never longer than its credential', async () => {
    const fixture = oauth2Fixture();
    fixture.replace({ ...twoClients, credentials: [acmeOAuth2({ expiresAt: NOON + 1200, state: 'retiring' })] });
    const answer = await fixture.send(tokenRequest());
    assert.equal(bodyOf(answer)['expires_in'], 1200);
    fixture.clock.advance(1200);
    assert.equal(await refusalOf(fixture, tokenRequest()), '401 invalid_client');
  });

  const post = (fields: Readonly<Record<string, string>>): OAuth2RequestParts => ({ body: form(fields) });
  for (const [what, request, expected] of [
    ['GET', { method: 'GET' }, '405 invalid_request'],
    ['HEAD', { method: 'HEAD' }, '405 invalid_request'],
    ['OPTIONS', { method: 'OPTIONS' }, '405 invalid_request'],
    ['PUT', tokenRequest(acme, { method: 'PUT' }), '405 invalid_request'],
    ['a method in lower case', tokenRequest(acme, { method: 'post' }), '405 invalid_request'],
    ['no grant_type', post(inBody), '400 invalid_request'],
    ['an empty grant_type', post({ ...inBody, grant_type: '' }), '400 invalid_request'],
    ['another grant_type', post({ ...inBody, grant_type: 'password' }), '400 unsupported_grant_type'],
    [
      'a grant_type in another case',
      post({ ...inBody, grant_type: 'Client_Credentials' }),
      '400 unsupported_grant_type',
    ],
    ['no credentials', post(grant), '400 invalid_client'],
    ['a wrong secret in the body', post({ ...grant, ...inBody, client_secret: 'wrong' }), '400 invalid_client'],
    ['a wrong secret in the header', tokenRequest({ ...acme, secret: 'wrong' }), '401 invalid_client'],
    ['an unknown client', tokenRequest({ ...acme, clientId: 'nobody' }), '401 invalid_client'],
    ['a client that cannot be', tokenRequest({ ...acme, clientId: 'ø'.repeat(500) }), '401 invalid_client'],
    ['no client', tokenRequest({ clientId: '', secret: '' }), '401 invalid_client'],
    ['the secret of another client', tokenRequest({ ...acme, secret: borealis.secret }), '401 invalid_client'],
    ['header and body', tokenRequest(acme, { body: form({ ...grant, ...inBody }) }), '400 invalid_request'],
    [
      'a parameter twice',
      { ...tokenRequest(), body: 'grant_type=client_credentials&scope=a&scope=b' },
      '400 invalid_request',
    ],
    [
      'another content type',
      tokenRequest(acme, { headers: [basic(acme.clientId, acme.secret), ['content-type', 'text/plain']] }),
      '400 invalid_request',
    ],
    ['an unknown path', tokenRequest(acme, { target: '/oauth2/tokens' }), '404 invalid_request'],
    ['a slash more', tokenRequest(acme, { target: '/oauth2/token/' }), '404 invalid_request'],
    ['a path with dots', tokenRequest(acme, { target: '/oauth2/../oauth2/token' }), '404 invalid_request'],
    ['a path encoded', tokenRequest(acme, { target: '/oauth2/%74oken' }), '404 invalid_request'],
    ['a whole URL', tokenRequest(acme, { target: 'http://127.0.0.1/oauth2/token' }), '404 invalid_request'],
    ['no path', tokenRequest(acme, { target: '*' }), '404 invalid_request'],
  ] as const) {
    it(`refuses ${what}: ${expected}`, async () => {
      const fixture = oauth2Fixture();
      assert.equal(await refusalOf(fixture, request), expected);
      assert.equal(fixture.told.length, 1);
      assert.deepEqual(fixture.defects, []);
    });
  }

  it('says which method it takes', async () => {
    const fixture = oauth2Fixture();
    assert.equal((await fixture.send({ method: 'GET' })).headers['allow'], 'POST');
    const metadata = await fixture.send({ target: '/.well-known/oauth-authorization-server' });
    assert.deepEqual([metadata.status, metadata.headers['allow']], [405, 'GET, HEAD']);
  });
});

describe('clients that cannot authenticate', () => {
  const unusable = {
    'the App Key is unknown': { credentials: [] },
    'the credential acme-oauth2 is revoked': { credentials: [acmeOAuth2({ state: 'revoked' })] },
    'the credential acme-oauth2 has expired': { credentials: [acmeOAuth2({ expiresAt: NOON })] },
    'the consumer acme is disabled': { consumers: [consumer({ enabled: false })], credentials: [acmeOAuth2()] },
    'the credential acme-oauth2 is not for oauth2': { credentials: [acmeOAuth2({ methods: ['hmac'] })] },
    'the client secret is wrong': {
      credentials: [acmeOAuth2({ appSecret: Secret.fromText('another, of 16 or more') })],
    },
  } as const;

  it('all get the same answer, and only the log says why', async () => {
    const answers = new Set<string>();
    for (const [detail, parts] of Object.entries(unusable)) {
      const fixture = oauth2Fixture({ parts });
      answers.add(JSON.stringify(await fixture.send(tokenRequest())));
      assert.equal(fixture.told.at(-1)?.refusal?.detail, detail);
    }
    assert.equal(answers.size, 1);
  });

  it('are all counted the same', async () => {
    for (const parts of Object.values(unusable)) {
      const fixture = oauth2Fixture({ parts });
      for (let count = 0; count < throttleLimits.failuresPerClient; count += 1) {
        assert.equal(await refusalOf(fixture, tokenRequest()), '401 invalid_client');
      }
      assert.equal(await refusalOf(fixture, tokenRequest()), '429 temporarily_unavailable');
    }
  });
});

describe('guessing secrets', () => {
  const wrong = tokenRequest({ ...acme, secret: 'wrong' });
  const from = (address: string, request: OAuth2RequestParts): OAuth2RequestParts => ({
    ...request,
    headers: [...(request.headers ?? []), ['x-envoy-external-address', address]],
  });

  async function failTwenty(fixture: Fixture, request: OAuth2RequestParts): Promise<void> {
    for (let count = 0; count < throttleLimits.failuresPerClient; count += 1) {
      assert.equal(await refusalOf(fixture, request), '401 invalid_client');
    }
  }

  it('ends after 20 tries in a minute, on all endpoints together, for the right secret too', async () => {
    const fixture = oauth2Fixture();
    fixture.clock.advance(15);
    for (let count = 0; count < throttleLimits.failuresPerClient; count += 1) {
      const target = ['/oauth2/token', '/oauth2/revoke', '/oauth2/introspect'][count % 3] ?? '';
      const request = { ...wrong, target, body: form({ ...grant, token: 'x' }) };
      assert.equal(await refusalOf(fixture, request), '401 invalid_client');
    }
    const answer = await fixture.send(tokenRequest());
    assert.deepEqual([answer.status, answer.headers['retry-after']], [429, '45']);
    assert.equal(bodyOf(answer)['error'], 'temporarily_unavailable');
    assert.equal(
      await refusalOf(fixture, { ...tokenRequest(), target: '/oauth2/revoke', body: 'token=x' }),
      '429 temporarily_unavailable',
    );
    fixture.clock.advance(45);
    await issue(fixture);
  });

  it('locks the client out nowhere else', async () => {
    const fixture = oauth2Fixture();
    await failTwenty(fixture, from('203.0.113.7', wrong));
    assert.equal(await refusalOf(fixture, from('203.0.113.7', tokenRequest())), '429 temporarily_unavailable');
    await issue(fixture, from('203.0.113.8', tokenRequest()));
    await issue(fixture, from('203.0.113.7', tokenRequest(borealis)));
  });

  it('is counted for one /64 of IPv6, however its addresses are written, and for no other', async () => {
    const fixture = oauth2Fixture();
    for (let count = 0; count < throttleLimits.failuresPerClient; count += 1) {
      const address = count % 2 === 0 ? `2001:db8::${String(count)}` : `2001:0DB8:0:0:${String(count)}::0007`;
      assert.equal(await refusalOf(fixture, from(address, wrong)), '401 invalid_client');
    }
    assert.equal(await refusalOf(fixture, from('2001:db8::7', tokenRequest())), '429 temporarily_unavailable');
    await issue(fixture, from('2001:db8:0:1::7', tokenRequest()));
  });

  it('is counted right when attempts overlap', async () => {
    const known = catalogOf(twoClients).credentials;
    const slow: CredentialSource = {
      findByAppKey: async (appKey) => await known.findByAppKey(appKey),
      canKnow: () => true,
    };
    const fixture = oauth2Fixture({ credentials: slow });
    const all = Array.from({ length: 50 }, async () => await refusalOf(fixture, wrong));
    const outcomes = await Promise.all(all);
    assert.equal(outcomes.filter((each) => each === '401 invalid_client').length, throttleLimits.failuresPerClient);
    assert.equal(outcomes.filter((each) => each === '429 temporarily_unavailable').length, 30);
  });

  it('costs a client nothing that it did not fail: 50 right attempts at once all work', async () => {
    const known = catalogOf(twoClients).credentials;
    const fixture = oauth2Fixture({
      credentials: { findByAppKey: async (key) => await known.findByAppKey(key), canKnow: () => true },
    });
    await Promise.all(Array.from({ length: 50 }, async () => await issue(fixture)));
  });

  it('is bounded by 600 requests to all endpoints together from one source', async () => {
    const fixture = oauth2Fixture();
    for (let count = 0; count < throttleLimits.requests; count += 1) {
      const { status } = await fixture.send({ target: count % 2 === 0 ? '/oauth2/token' : '/oauth2/revoke' });
      assert.equal(status, 400);
    }
    const answer = await fixture.send(tokenRequest());
    assert.deepEqual([answer.status, answer.headers['retry-after']], [429, '60']);
    assert.equal(
      (await fixture.send({ method: 'GET', target: '/.well-known/oauth-authorization-server' })).status,
      200,
    );
    await issue(fixture, from('203.0.113.8', tokenRequest()));
  });

  it('is not counted where nothing is guessed: other methods than POST use up no share', async () => {
    const fixture = oauth2Fixture();
    for (let count = 0; count < 2 * throttleLimits.requests; count += 1) {
      const method = ['GET', 'HEAD', 'OPTIONS', 'PUT'][count % 4] ?? '';
      assert.equal((await fixture.send({ method })).status, 405);
    }
    await issue(fixture);
  });
});

describe('a store that is down', () => {
  const away: CredentialSource = {
    findByAppKey: () => {
      throw new StoreUnavailable('the store is away');
    },
    canKnow: () => false,
  };
  const awayLater: CredentialSource = {
    findByAppKey: () => Promise.reject(new StoreUnavailable('the store is away')),
    canKnow: () => false,
  };

  for (const credentials of [away, awayLater]) {
    it('makes the endpoints unavailable: no client is called unknown, and nothing is counted', async () => {
      const fixture = oauth2Fixture({ credentials });
      for (let count = 0; count < 30; count += 1) {
        const answer = await fixture.send(tokenRequest());
        assert.deepEqual(
          [answer.status, bodyOf(answer)['error'], answer.headers['retry-after']],
          [503, 'temporarily_unavailable', '5'],
        );
      }
      assert.deepEqual(fixture.defects, []);
    });
  }

  it('makes introspection unavailable when it hides what was revoked', async () => {
    const fixture = oauth2Fixture({
      revokedTokens: {
        isRevoked: () => {
          throw new StoreUnavailable('the list of revoked tokens is out of date');
        },
        revoke: () => Promise.reject(new StoreUnavailable('the store is away')),
      },
    });
    const body = form({ token: await issue(fixture) });
    for (const target of ['/oauth2/introspect', '/oauth2/revoke']) {
      assert.equal(await refusalOf(fixture, tokenRequest(acme, { target, body })), '503 temporarily_unavailable');
    }
  });
});

describe('a defect of the program', () => {
  it('is 500 without a word about it', async () => {
    const fixture = oauth2Fixture({
      credentials: {
        findByAppKey: () => {
          throw new TypeError('secret inner text');
        },
        canKnow: () => true,
      },
    });
    const answer = await fixture.send(tokenRequest());
    assert.equal(answer.status, 500);
    assert.deepEqual(bodyOf(answer), {
      error: 'server_error',
      error_description: 'The request could not be answered.',
    });
    assert.equal(fixture.defects.length, 1);
  });
});

describe('introspection', () => {
  const ask = (token: string, client: { clientId: string; secret: string } = acme): OAuth2RequestParts =>
    tokenRequest(client, { target: '/oauth2/introspect', body: form({ token, token_type_hint: 'refresh_token' }) });

  it('says what a token of the client says', async () => {
    const fixture = oauth2Fixture();
    const text = await issue(fixture);
    const claims = decodeSegment(partsOf(text).payload);
    assert.deepEqual(bodyOf(await fixture.send(ask(text))), { active: true, token_type: 'bearer', ...claims });
    assert.deepEqual([claims['iss'], claims['sub']], [ISSUER, acme.clientId]);
  });

  it('says nothing about any other text', async () => {
    const fixture = oauth2Fixture();
    const text = await issue(fixture);
    const inactive = { active: false };
    assert.deepEqual(bodyOf(await fixture.send(ask(text, borealis))), inactive);
    assert.deepEqual(bodyOf(await fixture.send(ask('x'))), inactive);
    assert.deepEqual(bodyOf(await fixture.send(ask(`${text}A`))), inactive);
    await fixture.revoked.revoke({
      tokenId: String(decodeSegment(partsOf(text).payload)['jti']),
      consumerId: 'acme',
      credentialId: 'acme-oauth2',
      expiresAt: NOON + 3600,
    });
    assert.deepEqual(bodyOf(await fixture.send(ask(text))), inactive);
    const other = await issue(fixture);
    fixture.clock.advance(3600);
    assert.deepEqual(bodyOf(await fixture.send(ask(other))), inactive);
  });

  it('wants a client and a token', async () => {
    const fixture = oauth2Fixture();
    const target = '/oauth2/introspect';
    assert.equal(await refusalOf(fixture, { target, body: 'token=x' }), '400 invalid_client');
    assert.equal(await refusalOf(fixture, { target, body: form(inBody) }), '400 invalid_request');
    assert.equal(
      await refusalOf(fixture, { target, headers: [['authorization', 'Bearer x']], body: 'token=x' }),
      '401 invalid_client',
    );
  });
});

describe('revocation', () => {
  const revoke = (token: string, client: { clientId: string; secret: string } = acme): OAuth2RequestParts =>
    tokenRequest(client, { target: '/oauth2/revoke', body: form({ token, token_type_hint: 'access_token' }) });
  const idOf = (text: string): string => String(decodeSegment(partsOf(text).payload)['jti']);

  it('ends a token of the client, and no other', async () => {
    const fixture = oauth2Fixture();
    const [first, second] = [await issue(fixture), await issue(fixture)];
    const answer = await fixture.send(revoke(first));
    assert.deepEqual([answer.status, answer.body, answer.headers['cache-control']], [200, '', 'no-store']);
    assert.deepEqual([fixture.revoked.isRevoked(idOf(first)), fixture.revoked.isRevoked(idOf(second))], [true, false]);
    assert.equal((await fixture.send(revoke(first))).status, 200);
  });

  it('has no effect on other texts, and no client learns it', async () => {
    const fixture = oauth2Fixture();
    const text = await issue(fixture);
    for (const request of [revoke(text, borealis), revoke('x'), revoke(`${text}A`)]) {
      const answer = await fixture.send(request);
      assert.deepEqual([answer.status, answer.body], [200, '']);
    }
    assert.equal(fixture.revoked.isRevoked(idOf(text)), false);
  });

  it('wants a client and a token', async () => {
    const fixture = oauth2Fixture();
    const target = '/oauth2/revoke';
    assert.equal(await refusalOf(fixture, { target, body: 'token=x' }), '400 invalid_client');
    assert.equal(await refusalOf(fixture, { target, body: form(inBody) }), '400 invalid_request');
  });

  it('is unavailable rather than forgotten when the list is full', async () => {
    const fixture = oauth2Fixture({ revokedTokens: { isRevoked: () => false, revoke: () => 'full' } });
    const answer = await fixture.send(revoke(await issue(fixture)));
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '60']);
    assert.equal(bodyOf(answer)['error'], 'temporarily_unavailable');
  });
});

describe('the metadata document', () => {
  it('says where everything is', async () => {
    const fixture = oauth2Fixture();
    const answer = await fixture.send({ method: 'GET', target: '/.well-known/oauth-authorization-server?x' });
    const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];
    const algorithms = ['EdDSA', 'Ed25519', 'ES256', 'ES384', 'PS256', 'PS512', 'RS256'];
    assert.deepEqual(bodyOf(answer), {
      issuer: ISSUER,
      token_endpoint: `${ISSUER}/oauth2/token`,
      token_endpoint_auth_methods_supported: methods,
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      revocation_endpoint: `${ISSUER}/oauth2/revoke`,
      revocation_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_signing_alg_values_supported: algorithms,
      introspection_endpoint: `${ISSUER}/oauth2/introspect`,
      introspection_endpoint_auth_methods_supported: methods,
      introspection_endpoint_auth_signing_alg_values_supported: algorithms,
      grant_types_supported: ['client_credentials'],
      // A strict client refuses an empty list (RFC 8414 §2: required).
      response_types_supported: ['none'],
    });
    assert.equal(fixture.told.at(-1)?.operation, 'metadata');
  });

  it('of an issuer with a path is also where RFC 8414 puts it', async () => {
    const fixture = oauth2Fixture({ issuer: 'https://api.example.com/gw' });
    const target = '/.well-known/oauth-authorization-server/gw';
    assert.equal(bodyOf(await fixture.send({ method: 'GET', target }))['issuer'], 'https://api.example.com/gw');
    assert.equal((await fixture.send({ method: 'GET', target: `${target}x` })).status, 404);
  });
});

describe('what the log learns of an OAuth2 request', () => {
  it('is the id that Envoy gave it, where it is one', async () => {
    const fixture = oauth2Fixture();
    await fixture.send({ headers: [['x-request-id', '21e53804-3031-4abc-82c0-743bc393a1ff']] });
    await fixture.send({ headers: [['x-request-id', 'a"b']] });
    assert.deepEqual(
      fixture.told.map(({ requestId }) => requestId),
      ['21e53804-3031-4abc-82c0-743bc393a1ff', null],
    );
  });

  it('holds nothing that the client sent', async () => {
    const fixture = oauth2Fixture();
    const text = await issue(fixture);
    await fixture.send(tokenRequest({ clientId: 'SENT', secret: 'SENT' }, { target: '/SENT' }));
    await fixture.send(tokenRequest({ clientId: 'SENT', secret: 'SENT' }));
    await fixture.send({ body: 'grant_type=SENT&SENT=SENT' });
    await fixture.send(tokenRequest(acme, { target: '/oauth2/introspect', body: form({ token: `${text}SENT` }) }));
    assert.doesNotMatch(JSON.stringify(fixture.told), new RegExp(`SENT|${acme.secret}|${text}`));
  });
});
