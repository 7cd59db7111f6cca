import assert from 'node:assert/strict';
import { declareEndpoint } from '../../../../src/resources/endpoint.ts';
import {
  planEndpointDeletion,
  planEndpointEdit,
  planNewEndpoint,
} from '../../../../src/resources/changes/plan-endpoint.ts';
import type { Wish } from '../../../../src/resources/changes/wish.ts';
import type { Planned } from '../../../../src/resources/changes/change.ts';
import type { Stored } from '../../../../src/resources/resource.ts';
import type { Endpoint } from '../../../../src/model/endpoint.ts';

function endpointOf(planned: Planned): Endpoint {
  assert.ok('changes' in planned, JSON.stringify(planned));
  const [change] = planned.changes;
  assert.ok(change?.kind === 'endpoint' && change.after !== null);
  return change.after;
}

function stored<T>(resource: T): Stored<T> {
  return { resource, revision: 3, createdAt: 1, updatedAt: 2 };
}

const orders = endpointOf(
  planNewEndpoint(
    'orders',
    {
      description: 'Orders',
      'match.hosts': ['api.example.com'],
      'match.paths': [{ prefix: '/orders' }],
      'match.methods': ['GET'],
      authentication: 'hmac',
      accessCondition: 'authenticated-and-authorized',
      'trafficControl.limits': [{ requests: 5, unit: 'minute', per: 'endpoint' }],
      options: { clockSkewSeconds: 60, signatureHints: true },
    },
    [],
  ),
);

function edited(wish: Wish): object {
  return declareEndpoint(endpointOf(planEndpointEdit(stored(orders), wish, [orders])));
}

describe('a wish for an endpoint', () => {
  it('becomes an endpoint for partners by the rules of declarative files', () => {
    assert.deepEqual(declareEndpoint(orders), {
      id: 'orders',
      description: 'Orders',
      scenario: 'partner-openapi',
      match: { hosts: ['api.example.com'], paths: [{ prefix: '/orders' }], methods: ['GET'] },
      authentication: 'hmac',
      accessCondition: 'authenticated-and-authorized',
      trafficControl: { limits: [{ requests: 5, unit: 'minute', per: 'endpoint' }] },
      options: { clockSkewSeconds: 60, signatureHints: true },
    });
  });

  it('changes what it names and keeps all else; lists are replaced, options one by one', () => {
    const before = declareEndpoint(orders);
    assert.deepEqual(edited({ 'match.methods': ['POST'], 'options.clockSkewSeconds': 30, enabled: false }), {
      ...before,
      match: { ...(before['match'] as object), methods: ['POST'] },
      options: { clockSkewSeconds: 30, signatureHints: true },
      enabled: false,
    });
    assert.deepEqual(edited({}), before);
  });

  it('gives defaults back', () => {
    assert.deepEqual(
      edited({
        ...{ description: undefined, 'match.hosts': undefined, 'match.methods': undefined, accessCondition: undefined },
        ...{ 'trafficControl.limits': undefined, 'options.clockSkewSeconds': undefined },
      }),
      {
        id: 'orders',
        scenario: 'partner-openapi',
        match: { paths: [{ prefix: '/orders' }] },
        authentication: 'hmac',
        options: { signatureHints: true },
      },
    );
    assert.equal((edited({ options: undefined }) as { options?: object }).options, undefined);
    assert.equal(
      (edited({ options: undefined, 'options.signatureHints': false }) as { options?: object }).options,
      undefined,
    );
  });

  it('opens an endpoint without its authentication and access condition', () => {
    const opened = edited({ scenario: 'open', options: undefined }) as Record<string, unknown>;
    assert.deepEqual(
      [opened['scenario'], opened['authentication'], opened['accessCondition']],
      ['open', undefined, undefined],
    );
    const wish: Wish = { scenario: 'open', authentication: 'hmac', options: undefined };
    const planned = planEndpointEdit(stored(orders), wish, []);
    assert.ok('problems' in planned);
    assert.deepEqual(
      planned.problems.map(({ path }) => path),
      ['authentication'],
    );
  });

  it('names all that is wrong with it, by path', () => {
    const wish: Wish = { 'options.clockSkewSeconds': 0, 'options.colour': 'red', 'match.hosts': ['https://x'] };
    const planned = planNewEndpoint('orders', wish, []);
    assert.ok('problems' in planned);
    assert.deepEqual(
      planned.problems.map(({ path, message }) => [path, message.slice(0, 24)]),
      [
        ['', '"authentication" is miss'],
        ['match', '"paths" is missing; "mat'],
        ['match.hosts[0]', 'item 1 of "hosts" must b'],
        ['options.clockSkewSeconds', '"clockSkewSeconds" must '],
        ['options.colour', 'unknown key in "options"'],
      ],
    );
  });

  it('cannot have an id that is taken, nor the requests of another endpoint, disabled or not', () => {
    assert.deepEqual(planNewEndpoint('orders', {}, [orders]), {
      conflict: 'the endpoint "orders" already exists',
      remedy: { kind: 'edit', resource: 'endpoint', id: 'orders' },
      holder: {
        ...{ kind: 'endpoint', id: 'orders' },
        unnamed: 'the endpoint "orders" already exists; take another "id"',
      },
    });
    const wish = {
      'match.paths': [{ prefix: '/orders/' }],
      'match.hosts': ['API.example.com'],
      'match.methods': ['GET'],
      authentication: 'key',
    };
    const planned = planNewEndpoint('other', wish, [{ ...orders, enabled: false }]);
    assert.ok('conflict' in planned);
    assert.match(
      planned.conflict,
      /^"other" would take the same requests as the endpoint "orders" \(host "api.example.com", prefix "\/orders", method "GET"\)$/,
    );
  });

  it('is guarded by what it was planned on', () => {
    const current = stored(orders);
    const planned = planEndpointEdit(current, { enabled: false }, [orders]);
    assert.ok('changes' in planned);
    assert.equal(planned.changes[0]?.before, current);
  });
});

describe('the deletion of an endpoint', () => {
  it('takes the grants on it along', () => {
    const grant = stored({ endpointId: 'orders', consumerId: 'acme', limits: null, expiresAt: null });
    assert.deepEqual(planEndpointDeletion(stored(orders), [grant]), [
      { kind: 'grant', id: 'orders/acme', before: grant, after: null },
      { kind: 'endpoint', id: 'orders', before: stored(orders), after: null },
    ]);
  });
});
