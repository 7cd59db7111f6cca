import assert from 'node:assert/strict';
import { usableEndpoints } from '../../../../src/resources/changes/usable-endpoints.ts';
import { planNewEndpoint } from '../../../../src/resources/changes/plan-endpoint.ts';
import type { Endpoint } from '../../../../src/model/endpoint.ts';
import type { Grant } from '../../../../src/model/grant.ts';
import { grant, groupGrant } from '../../../support/pipeline/resources.ts';
import { nowSeconds } from './credentials.ts';

function endpoint(id: string, wish: object): Endpoint {
  const planned = planNewEndpoint(id, { 'match.paths': [{ prefix: `/${id}` }], authentication: 'hmac', ...wish }, []);
  assert.ok('changes' in planned && planned.changes[0]?.kind === 'endpoint' && planned.changes[0].after !== null);
  return planned.changes[0].after;
}

const granted = { accessCondition: 'authenticated-and-authorized' };

describe('where a credential can be used', () => {
  it('are enabled endpoints of its method whose access condition its consumer meets', () => {
    const endpoints = [
      endpoint('all', {}),
      endpoint('disabled', { enabled: false }),
      endpoint('other', { authentication: 'key' }),
      { ...endpoint('open', {}), scenario: 'open', authentication: null } as Endpoint,
      endpoint('granted', granted),
      endpoint('not-granted', granted),
      endpoint('ended', granted),
    ];
    const own = (endpointId: string, expiresAt: number | null): Grant => grant({ endpointId, expiresAt });
    const grants = [own('granted', nowSeconds + 1), own('ended', nowSeconds), own('all', null)];
    assert.deepEqual(
      usableEndpoints({ methods: ['hmac', 'oauth2'] }, endpoints, { labels: {} }, grants, nowSeconds).map((usable) => [
        usable.endpoint.id,
        usable.grant?.expiresAt,
      ]),
      [
        ['all', null],
        ['granted', nowSeconds + 1],
      ],
    );
  });

  it('are those that a grant for its labels lets it in, by the one that counts', () => {
    const endpoints = [endpoint('orders', granted), endpoint('stock', granted)];
    const grants = [
      groupGrant({ priority: 1, expiresAt: nowSeconds + 1 }),
      groupGrant({ consumerSelector: { region: 'eu' }, priority: 2, expiresAt: nowSeconds + 2 }),
      groupGrant({ endpointId: 'stock', consumerSelector: { tier: 'silver' } }),
      grant({ expiresAt: nowSeconds }),
    ];
    const usable = (labels: Record<string, string>): readonly unknown[] =>
      usableEndpoints({ methods: ['hmac'] }, endpoints, { labels }, grants, nowSeconds).map((each) => [
        each.endpoint.id,
        each.grant?.expiresAt,
      ]);
    assert.deepEqual(usable({ tier: 'gold' }), [['orders', nowSeconds + 1]]);
    assert.deepEqual(usable({ tier: 'gold', region: 'eu' }), [['orders', nowSeconds + 2]]);
    assert.deepEqual(usable({ tier: 'silver' }), [['stock', null]]);
    assert.deepEqual(usable({}), []);
  });
});
