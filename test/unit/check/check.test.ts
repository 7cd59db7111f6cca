import assert from 'node:assert/strict';
import { check } from '../../../src/check/check.ts';
import { LimiterUnavailable } from '../../../src/check/limit/limiter.ts';
import { isPromise } from '../../../src/base/pending.ts';
import { receive } from '../../../src/check/receive/receive.ts';
import { isRefusal } from '../../../src/check/refusal.ts';
import { StoreUnavailable } from '../../../src/check/store/credential-source.ts';
import { type AllowedAnswer, headerOf, type RefusedAnswer } from '../../support/pipeline/answer.ts';
import { bodyForms, headerForms, httpRequest, type RequestParts } from '../../support/pipeline/check-request.ts';
import { NOON } from '../../support/time/fixed-clock.ts';
import { type GatewayParts, testGateway } from '../../support/pipeline/gateway.ts';
import {
  APP_KEY,
  consumer,
  credential,
  grant,
  keyEndpoint,
  limit,
  openEndpoint,
  catalogOf,
} from '../../support/pipeline/resources.ts';

async function send(request: RequestParts, parts: GatewayParts = {}): Promise<AllowedAnswer | RefusedAnswer> {
  return await testGateway(parts).send(request);
}

/** The status and code of a refusal, or `ALLOWED`. */
async function outcomeOf(request: RequestParts, parts: GatewayParts = {}): Promise<string> {
  const answer = await send(request, parts);
  return answer.kind === 'allowed' ? 'ALLOWED' : `${String(answer.status)} ${answer.body.code}`;
}

const key = ['x-app-key', APP_KEY] as const;

describe('a check', () => {
  for (const headerForm of headerForms) {
    for (const bodyForm of bodyForms) {
      it(`lets a known caller through, with headers as ${headerForm} and the body as ${bodyForm}`, async () => {
        const answer = await send({
          method: 'POST',
          path: `/orders?x=a%2Fb&&y&appKey=${APP_KEY}`,
          headers: [
            ['x-consumer-id', 'root'],
            ['X_Consumer_Groups', 'admin'],
          ],
          body: '{"a":1}',
          headerForm,
          bodyForm,
        });
        assert.deepEqual(answer, {
          kind: 'allowed',
          upstream: [
            ['x-consumer-id', 'acme'],
            ['x-consumer-username', 'Acme Ltd'],
            ['x-credential-identifier', 'acme-key'],
            [':path', '/orders?x=a%2Fb&&y'],
          ],
          removed: ['x_consumer_groups'],
          responseHeaders: [],
          metadata: {
            code: 'ALLOWED',
            endpoint: 'orders',
            authentication: 'key',
            consumer: 'acme',
            credential: 'acme-key',
            'postern.body': 'original',
          },
        });
      });
    }
  }

  it('lets every caller through on an open endpoint, without an identity', async () => {
    const answer = await send(
      {
        path: `/orders?appKey=${APP_KEY}`,
        headers: [key, ['x-consumer-id', 'root'], ['x_credential_identifier', 'x']],
      },
      { endpoints: [openEndpoint()] },
    );
    assert.deepEqual(answer, {
      kind: 'allowed',
      upstream: [],
      removed: ['x-consumer-id', 'x_credential_identifier'],
      responseHeaders: [],
      metadata: { code: 'ALLOWED', endpoint: 'orders', 'postern.body': 'original' },
    });
  });

  it('lets nothing through because nothing matched', async () => {
    assert.equal(await outcomeOf({ headers: [key] }, { endpoints: [] }), '404 ENDPOINT_NOT_FOUND');
    assert.equal(await outcomeOf({ path: '/else', headers: [key] }), '404 ENDPOINT_NOT_FOUND');
    const narrow = [keyEndpoint({ methods: ['GET'] }), openEndpoint({ id: 'all', paths: [{ prefix: '/' }] })];
    for (const method of ['PUT', 'HEAD', 'OPTIONS', 'get', '']) {
      assert.equal(await outcomeOf({ method, headers: [key] }, { endpoints: narrow }), '404 ENDPOINT_NOT_FOUND');
    }
  });

  for (const [request, outcome] of [
    [{ endpoint: 'named', path: '/anything', headers: [key] }, 'ALLOWED'],
    [{ endpoint: 'unknown', headers: [key] }, '404 ENDPOINT_NOT_FOUND'],
    [{ endpoint: '', headers: [key] }, '404 ENDPOINT_NOT_FOUND'],
    [{ endpoint: 'off', headers: [key] }, '404 ENDPOINT_NOT_FOUND'],
    [{ endpoint: 'named', path: '/a/../b', headers: [key] }, '400 PATH_NOT_NORMAL'],
    [{ endpoint: 'unknown', path: '//' }, '400 PATH_NOT_NORMAL'],
    [{ path: '/off', headers: [key] }, '404 ENDPOINT_NOT_FOUND'],
  ] as const) {
    it(`answers ${JSON.stringify({ endpoint: null, path: '/orders', ...request, headers: undefined })} with ${outcome}`, async () => {
      const endpoints = [
        keyEndpoint(),
        keyEndpoint({ id: 'named', hosts: ['never.example'], paths: [{ exact: '/never' }] }),
        keyEndpoint({ id: 'off', paths: [{ prefix: '/off' }], enabled: false }),
      ];
      assert.equal(await outcomeOf(request, { endpoints }), outcome);
    });
  }

  describe('is decided by the first of its faults', () => {
    /** Each row mends one fault more of a request that has all of them. */
    const closed = { accessCondition: 'authenticated-and-authorized', limits: [limit('1/day/consumer')] } as const;
    const endpoints = [
      keyEndpoint(closed),
      keyEndpoint({ ...closed, id: 'off', paths: [{ prefix: '/off' }], enabled: false }),
    ];
    const parts = {
      endpoints,
      grants: [grant()],
      consumers: [consumer(), consumer({ id: 'other' })],
      credentials: [credential(), credential({ id: 'other', consumerId: 'other', appKey: 'other' })],
    };
    const wrong = ['x-app-key', 'wrong'] as const;
    for (const [outcome, request] of [
      ['413 BODY_TOO_LARGE', { size: 1, path: '//', authority: '', headers: [] }],
      ['400 PATH_NOT_NORMAL', { path: '//', authority: '', headers: [] }],
      ['400 MALFORMED_REQUEST', { path: '/off', authority: '', headers: [] }],
      ['404 ENDPOINT_NOT_FOUND', { path: '/off', headers: [] }],
      ['401 CREDENTIALS_MISSING', { headers: [] }],
      ['401 CREDENTIALS_MALFORMED', { path: '/orders?appKey=', headers: [wrong] }],
      ['401 AUTHENTICATION_FAILED', { headers: [wrong] }],
      ['403 NOT_AUTHORIZED', { headers: [['x-app-key', 'other']] }],
      ['429 RATE_LIMITED', { headers: [key] }],
    ] as const) {
      it(`→ ${outcome}`, async () => {
        const gateway = testGateway(parts);
        await gateway.send({ headers: [key] });
        const answer = await gateway.send(request);
        assert.ok(answer.kind === 'refused');
        assert.equal(`${String(answer.status)} ${answer.body.code}`, outcome);
      });
    }
  });

  it('refuses a cut body on every endpoint, open ones too', async () => {
    for (const endpoint of [keyEndpoint(), openEndpoint(), keyEndpoint({ options: { mode: 'observe' } })]) {
      const parts = { endpoints: [endpoint] };
      assert.equal(await outcomeOf({ headers: [key], body: 'b', size: 2 }, parts), '413 BODY_TOO_LARGE');
      const marked = { headers: [key, ['x-envoy-auth-partial-body', 'true']], body: 'b' } as const;
      assert.equal(await outcomeOf(marked, parts), '413 BODY_TOO_LARGE');
    }
  });

  it('lets bodies that are not delivered at all through where nothing verifies them', async () => {
    const headers = [key, ['content-length', '5'], ['upgrade', 'x']] as const;
    for (const endpoint of [keyEndpoint(), openEndpoint()]) {
      assert.equal(await outcomeOf({ method: 'POST', headers }, { endpoints: [endpoint] }), 'ALLOWED');
    }
  });

  it('looks at neither media type nor length of a body that nothing verifies', async () => {
    const headers = [key, ['content-type', 'a,b'], ['content-encoding', 'gzip']] as const;
    assert.equal(await outcomeOf({ method: 'POST', headers, body: Buffer.alloc(3_000_000) }), 'ALLOWED');
  });

  it('keeps the state it began with while the store changes', async () => {
    const states = [catalogOf(), catalogOf({ endpoints: [] })];
    const gateway = testGateway({ catalog: () => states.shift() ?? catalogOf({ endpoints: [] }) });
    assert.equal((await gateway.send({ headers: [key] })).kind, 'allowed');
    assert.equal((await gateway.send({ headers: [key] })).kind, 'refused');
  });

  it('waits only for what must be waited for', () => {
    const { ports } = testGateway();
    assert.ok(!isPromise(check(httpRequest({ headers: [key] }), ports)));
  });

  it('reports how far a refused request came', async () => {
    const gateway = testGateway({ endpoints: [keyEndpoint({ accessCondition: 'authenticated-and-authorized' })] });
    const stages = [];
    for (const request of [{ path: '//' }, { path: '/else' }, {}, { headers: [key] }]) {
      const stopped = await check(httpRequest(request), gateway.ports);
      assert.ok('refusal' in stopped);
      stages.push([stopped.refusal.refused, stopped.routed?.endpoint.id, stopped.authenticated?.caller?.consumer.id]);
    }
    assert.deepEqual(stages, [
      ['PATH_NOT_NORMAL', undefined, undefined],
      ['ENDPOINT_NOT_FOUND', undefined, undefined],
      ['CREDENTIALS_MISSING', 'orders', undefined],
      ['NOT_AUTHORIZED', 'orders', 'acme'],
    ]);
    assert.ok(!isRefusal(receive(httpRequest())));
  });
});

describe('mode observe', () => {
  const options = { mode: 'observe' } as const;
  const forged = [
    ['x-consumer-id', 'root'],
    ['x_consumer_username', 'root'],
  ] as const;

  for (const [code, headers, path, newPath] of [
    ['CREDENTIALS_MISSING', [], '/orders?appKey&x', '/orders?x'],
    ['CREDENTIALS_MALFORMED', [], '/orders?appKey=&x', '/orders?x'],
    ['AUTHENTICATION_FAILED', [], '/orders?x&appKey=wrong', '/orders?x'],
    ['AUTHENTICATION_FAILED', [['x-app-key', 'wrong']], '/orders', null],
  ] as const) {
    it(`lets ${code} through without an identity, with the credentials hidden`, async () => {
      const gateway = testGateway({ endpoints: [keyEndpoint({ options })] });
      const answer = await gateway.send({ path, headers: [...headers, ...forged] });
      assert.deepEqual(answer, {
        kind: 'allowed',
        upstream: newPath === null ? [] : [[':path', newPath]],
        removed: [...headers.map(([name]) => name), 'x-consumer-id', 'x_consumer_username'],
        responseHeaders: [],
        metadata: { code, endpoint: 'orders', authentication: 'key', 'postern.body': 'original' },
      });
      const [decided] = gateway.decided;
      assert.ok(decided && 'refusal' in decided.decision);
      assert.deepEqual([decided.answer.code, decided.answer.isAllowed], [code, true]);
    });
  }

  it('leaves credentials where hideCredentials is false', async () => {
    const answer = await send(
      { path: '/orders?appKey=wrong', headers: [['x-app-key', 'k']] },
      { endpoints: [keyEndpoint({ options: { ...options, hideCredentials: false } })] },
    );
    assert.ok(answer.kind === 'allowed');
    assert.deepEqual([answer.upstream, answer.removed], [[], []]);
  });

  it('lets NOT_AUTHORIZED through with the identity of the caller', async () => {
    const endpoints = [keyEndpoint({ options, accessCondition: 'authenticated-and-authorized' })];
    const answer = await send({ path: `/orders?appKey=${APP_KEY}`, headers: forged }, { endpoints });
    assert.ok(answer.kind === 'allowed');
    assert.deepEqual(answer.upstream, [
      ['x-consumer-id', 'acme'],
      ['x-consumer-username', 'Acme Ltd'],
      ['x-credential-identifier', 'acme-key'],
      [':path', '/orders'],
    ]);
    assert.deepEqual(answer.removed, ['x_consumer_username']);
    assert.equal(answer.metadata['code'], 'NOT_AUTHORIZED');
    assert.equal(answer.metadata['postern.body'], 'original');
  });

  it('lets RATE_LIMITED through with limit headers and the identity, and continues counting', async () => {
    const endpoints = [keyEndpoint({ options, limits: [limit('1/day/consumer')] })];
    const gateway = testGateway({ endpoints });
    const codes = [];
    for (let index = 0; index < 3; index += 1) {
      const answer = await gateway.send({ headers: [key] });
      assert.ok(answer.kind === 'allowed');
      codes.push(answer.metadata['code']);
      assert.equal(headerOf(answer.responseHeaders, 'ratelimit'), `"default";r=0;t=${String(86400 - (NOON % 86400))}`);
      assert.equal(headerOf(answer.responseHeaders, 'retry-after'), undefined);
      assert.equal(headerOf(answer.upstream, 'x-consumer-id'), 'acme');
    }
    assert.deepEqual(codes, ['ALLOWED', 'RATE_LIMITED', 'RATE_LIMITED']);
  });

  it('lets RATE_LIMITED through on open endpoints', async () => {
    const gateway = testGateway({ endpoints: [openEndpoint({ options, limits: [limit('1/day/endpoint')] })] });
    await gateway.send();
    const answer = await gateway.send();
    assert.ok(answer.kind === 'allowed');
    assert.equal(answer.metadata['code'], 'RATE_LIMITED');
  });

  it('changes nothing for a request that would be allowed', async () => {
    const observed = await send({ headers: [key] }, { endpoints: [keyEndpoint({ options })] });
    assert.deepEqual(observed, await send({ headers: [key] }));
  });

  it('still refuses everything else', async () => {
    const endpoints = [keyEndpoint({ options, limits: [limit('1/day/consumer')] })];
    const disabled = [keyEndpoint({ options, enabled: false })];
    assert.equal(await outcomeOf({ path: '//' }, { endpoints }), '400 PATH_NOT_NORMAL');
    assert.equal(await outcomeOf({ authority: 'a,b' }, { endpoints }), '400 MALFORMED_REQUEST');
    assert.equal(await outcomeOf({}, { endpoints: disabled }), '404 ENDPOINT_NOT_FOUND');
    assert.equal(await outcomeOf({ size: 9 }, { endpoints }), '413 BODY_TOO_LARGE');
    const findByAppKey = () => {
      throw new StoreUnavailable('away');
    };
    const catalog = () => ({ ...catalogOf({ endpoints }), credentials: { findByAppKey, canKnow: () => true } });
    assert.equal(await outcomeOf({ headers: [key] }, { catalog }), '503 STORE_UNAVAILABLE');
    const limiter = { take: () => Promise.reject(new LimiterUnavailable('away')) };
    const denying = [
      keyEndpoint({ options: { ...options, onLimiterFailure: 'deny' }, limits: [limit('1/day/consumer')] }),
    ];
    assert.equal(await outcomeOf({ headers: [key] }, { endpoints: denying, limiter }), '503 LIMITER_UNAVAILABLE');
  });
});
