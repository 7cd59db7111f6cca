import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { FewAtOnce } from '../../../../src/operators/api/few-at-once.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';

describe('few at once', () => {
  it('run in their order, and a failure leaves its place to the next', async () => {
    const few = new FewAtOnce(2);
    let running = 0;
    let most = 0;
    const begun: number[] = [];
    const results = await Promise.allSettled(
      Array.from(
        { length: 9 },
        async (_, at) =>
          await few.run(async () => {
            begun.push(at);
            running += 1;
            most = Math.max(most, running);
            await setImmediate();
            running -= 1;
            if (at % 3 === 0) throw new Error('no');
            return at;
          }),
      ),
    );
    assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert.equal(most, 2);
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed')),
      ['failed', 1, 2, 'failed', 4, 5, 'failed', 7, 8],
    );
    assert.equal(await few.run(async () => await Promise.resolve('free again')), 'free again');
  });

  it('of the management API plan endpoints, of which each holds all', async () => {
    const api = await twoTeams();
    const list = api.store.list.bind(api.store);
    let open = 0;
    let most = 0;
    api.store.list = async function* (kind, selection) {
      const isWhole = kind === 'endpoint' && selection?.ids === undefined && selection?.labels === undefined;
      if (isWhole) most = Math.max(most, (open += 1));
      await setImmediate();
      yield* list(kind, selection);
      await setImmediate();
      if (isWhole) open -= 1;
    };
    const asked = Array.from({ length: 20 }, async (_, at) => {
      const body = { id: `new-${String(at)}`, match: { paths: [{ prefix: `/new-${String(at)}` }] } };
      const common = { authentication: 'key', labels: { team: 'payments' } };
      return (await api.ask('petra', 'POST', '/v1/endpoints', { body: { ...body, ...common } })).status;
    });
    assert.deepEqual(new Set(await Promise.all(asked)), new Set([201]));
    assert.ok(most <= 2, String(most));
  });
});
