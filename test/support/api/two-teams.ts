import { issuer } from '../pipeline/resources.ts';
import assert from 'node:assert/strict';
import { planNewEndpoint } from '../../../src/resources/changes/plan-endpoint.ts';
import { consumerDefaults } from '../../../src/model/consumer.ts';
import type { Endpoint } from '../../../src/model/endpoint.ts';
import { credentialWith } from '../../unit/resources/changes/credentials.ts';
import type { LabelOwners } from '../../../src/model/label-owners.ts';
import type { InitialResources } from '../manage/memory-resource-store.ts';
import { apiNow, MemoryApi } from './memory-api.ts';

export const day = 86_400;

function endpoint(id: string, team: string, wish: object): Endpoint {
  const place = { 'match.paths': [{ prefix: `/${id}` }], labels: { team } };
  const planned = planNewEndpoint(id, { ...place, authentication: 'hmac', ...wish }, []);
  assert.ok('changes' in planned && planned.changes[0]?.kind === 'endpoint' && planned.changes[0].after !== null);
  return planned.changes[0].after;
}

const granted = { accessCondition: 'authenticated-and-authorized' };
const limits = [{ requests: 5, unit: 'minute', per: 'consumer' }] as const;
const free = { limits: null, expiresAt: null };

/**
 * The API for two teams. The payments team has the endpoints `orders` and `stock` and the consumers `acme` and
 * `globex`, the people team the endpoint `salaries` and the consumer `initech`; each has a plan and an issuer.
 * Operators: `alice` reaches all, `paula` (operator) and `petra` (admin) what is of payments, `victor` sees all.
 */
export async function twoTeams(labelOwners?: LabelOwners): Promise<MemoryApi> {
  const initial = {
    endpoints: [
      endpoint('orders', 'payments', { ...granted, 'trafficControl.limits': limits }),
      endpoint('salaries', 'people', granted),
      endpoint('stock', 'payments', { authentication: 'key' }),
    ],
    consumers: [
      { ...consumerDefaults, id: 'acme', labels: { team: 'payments', tier: 'gold' } },
      { ...consumerDefaults, id: 'globex', labels: { team: 'payments' } },
      { ...consumerDefaults, id: 'initech', labels: { team: 'people', tier: 'gold' } },
    ],
    credentials: [
      credentialWith({ id: 'acme-hmac', consumerId: 'acme', expiresAt: apiNow + 20 * day }),
      credentialWith({ id: 'acme-key', consumerId: 'acme', methods: ['key'] }),
      credentialWith({ id: 'globex-hmac', consumerId: 'globex', state: 'revoked' }),
      credentialWith({ id: 'initech-hmac', consumerId: 'initech' }),
    ],
    grants: [
      { endpointId: 'orders', consumerId: 'acme', ...free, limits: [{ requests: 9, unit: 'second', per: 'consumer' }] },
      { endpointId: 'orders', consumerId: 'initech', ...free },
      { endpointId: 'orders', consumerSelector: { tier: 'gold' }, priority: 10, ...free },
      { endpointId: 'orders', consumerSelector: { team: 'payments', tier: 'gold' }, priority: 20, ...free },
      { endpointId: 'salaries', consumerId: 'acme', ...free },
      { endpointId: 'salaries', consumerSelector: { team: 'people' }, priority: 0, ...free },
    ],
    issuers: ['payments', 'people'].map((id) =>
      issuer({ id, issuer: id, labels: { team: id }, keys: { kind: 'uri', jwksUri: `https://${id}.example/keys` } }),
    ),
    plans: [
      {
        ...{ id: 'payments', consumerSelector: { team: 'payments' }, endpointSelector: { team: 'payments' } },
        ...{ endpointIds: null, priority: 10, limits: [{ requests: 10, unit: 'month' }] },
      },
      {
        ...{ id: 'people', consumerSelector: { team: 'people' }, endpointSelector: { team: 'people' } },
        ...{ endpointIds: null, priority: 20, limits: [{ requests: 4, unit: 'day' }] },
      },
    ],
  } satisfies InitialResources;
  const api = new MemoryApi(initial, labelOwners);
  await api.add('alice', 'admin');
  await api.add('victor', 'viewer');
  await api.add('paula', 'operator', { selector: { team: 'payments' } });
  await api.add('petra', 'admin', { selector: { team: 'payments' } });
  return api;
}
