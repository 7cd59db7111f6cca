import assert from 'node:assert/strict';
import { StoreUnavailable } from '../../../../src/check/store/credential-source.ts';
import type { MemoryApi } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';

/** What each route that creates a resource is asked, and where the resource is then. */
const requests: Readonly<Record<string, readonly [path: string, body: object, made: string]>> = {
  createEndpoint: [
    '/v1/endpoints',
    { id: 'new', match: { paths: [{ prefix: '/new' }] }, authentication: 'key' },
    '/v1/endpoints/new',
  ],
  createConsumer: ['/v1/consumers', { id: 'new' }, '/v1/consumers/new'],
  createGrant: ['/v1/grants', { endpoint: 'orders', consumer: 'globex' }, '/v1/grants/orders/globex'],
  createIssuer: [
    '/v1/issuers',
    { id: 'new', issuer: 'x', jwksUri: 'https://x.example/keys', audiences: ['a'] },
    '/v1/issuers/new',
  ],
  createPlan: ['/v1/plans', { id: 'new', limits: [{ requests: 1, unit: 'day' }] }, '/v1/plans/new'],
  createOperator: ['/v1/operators', { id: 'new', role: 'viewer' }, '/v1/operators/new'],
};

describe('a resource that is made, where the store fails before it is read back', () => {
  let api: MemoryApi;
  let isDown = false;

  beforeEach(async () => {
    api = await twoTeams();
    isDown = false;
    const find = api.store.find.bind(api.store);
    const failing: typeof find = async (kind, id) => {
      if (isDown) throw new StoreUnavailable('no answer');
      return await find(kind, id);
    };
    api.store.find = failing;
  });

  for (const [operation, [path, body, made]] of Object.entries(requests)) {
    it(`is OUTCOME_UNKNOWN, and not that nothing was changed: ${operation}`, async () => {
      api.store.beforeCommit = () => {
        isDown = true;
      };
      const { body: problem } = await api.refused('OUTCOME_UNKNOWN', 'alice', 'POST', path, { body });
      assert.match(String(problem['detail']), /^the change was made/);
      isDown = false;
      assert.equal((await api.ask('alice', 'GET', made)).status, 200);
    });

    it(`is STORE_UNAVAILABLE where it was not made: ${operation}`, async () => {
      api.store.beforeCommit = () => {
        throw new StoreUnavailable('no answer');
      };
      await api.refused('STORE_UNAVAILABLE', 'alice', 'POST', path, { body });
      await api.refused('NOT_FOUND', 'alice', 'GET', made);
    });
  }

  it('is tried with every operation that creates', async () => {
    const { body } = await api.ask(null, 'GET', '/openapi.json');
    const paths = Object.values(body['paths'] as Record<string, Record<string, { readonly operationId: string }>>);
    const ids = paths.flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    assert.deepEqual(ids.filter((id) => id.startsWith('create')).sort(), Object.keys(requests).sort());
  });
});
