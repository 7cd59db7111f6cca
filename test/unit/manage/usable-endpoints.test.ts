import assert from 'node:assert/strict';
import { usableEndpoints } from '../../../src/manage/usable-endpoints.ts';
import { planNewEndpoint } from '../../../src/manage/plan-endpoint.ts';
import type { Endpoint } from '../../../src/model/endpoint.ts';
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
    const grant = (endpointId: string, expiresAt: number | null): Parameters<typeof usableEndpoints>[2][number] => ({
      ...{ endpointId, consumerId: 'acme', limits: null, expiresAt },
    });
    const grants = [grant('granted', nowSeconds + 1), grant('ended', nowSeconds), grant('all', null)];
    assert.deepEqual(
      usableEndpoints({ methods: ['hmac', 'oauth2'] }, endpoints, grants, nowSeconds).map((usable) => [
        usable.endpoint.id,
        usable.grant?.expiresAt,
      ]),
      [
        ['all', null],
        ['granted', nowSeconds + 1],
      ],
    );
  });
});
