import assert from 'node:assert/strict';
import { commitChanges, Interrupted } from '../../../../src/cli/store/commit-changes.ts';
import type { Change } from '../../../../src/resources/changes/change.ts';
import type { Terminal } from '../../../../src/cli/terminal.ts';
import { consumer, grant, keyEndpoint } from '../../../support/pipeline/resources.ts';
import { memoryCli } from './memory-cli.ts';

describe('more changes than one transaction carries', () => {
  it('are made in announced steps when an endpoint is deleted, its grants first', async () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `c${String(index).padStart(5, '0')}`);
    const cli = await memoryCli({
      endpoints: [keyEndpoint({ id: 'orders' })],
      consumers: ids.map((id) => consumer({ id })),
      grants: ids.map((consumerId) => grant({ endpointId: 'orders', consumerId })),
    });
    const { code, out, err } = await cli.run(['endpoint', 'delete', 'orders', '--yes']);
    assert.equal(code, 0, err);
    assert.match(
      err,
      /^10 001 changes are more than one transaction takes \(10 000\): they are made in 3 steps\. If this ends in between, run the same command again: it does what is left\.\n/,
    );
    assert.match(out, /Endpoint orders and 10000 grants on it deleted\.\n$/);
    assert.deepEqual(
      cli.store.commits.map((changes) => changes.length),
      [5000, 5000, 1],
    );
    assert.equal(cli.store.commits.at(-1)?.[0]?.kind, 'endpoint');
  });

  it('end between steps when they are interrupted', async () => {
    const changes = Array.from({ length: 10_001 }, (_, index): Change => {
      const id = `c${String(index)}`;
      return { kind: 'consumer', id, before: null, after: consumer({ id }) };
    });
    let interrupt = (): void => undefined;
    let commits = 0;
    const nothing = { isTerminal: false, write: () => undefined };
    const terminal: Terminal = {
      ...{ environment: {}, out: nothing, err: nothing, onCrash: () => undefined },
      onStopSignal: (stop) => {
        interrupt = () => {
          stop({ isHurried: true });
        };
      },
      exit: () => {
        throw new Error('exit');
      },
    };
    const store = {
      maxChangesPerCommit: 10_000,
      find: async () => await Promise.resolve(null),
      list: async function* () {
        yield* await Promise.resolve([]);
      },
      commit: async () => {
        commits += 1;
        if (commits === 2) interrupt();
        return await Promise.resolve(commits);
      },
    };
    const work = {
      store,
      operation: { actor: 'ada', action: 'endpoint delete' },
      inSteps: true,
      onGivenUp: () => undefined,
    };
    const clock = { nowSeconds: () => 0, nowMs: () => 0, elapsedMs: () => 0 };
    const openStore = async (): Promise<never> => await Promise.reject(new Error('not opened here'));
    await assert.rejects(
      commitChanges(changes, work, { terminal, clock, openStore, finish: () => undefined }),
      (error) => {
        assert.ok(error instanceof Interrupted);
        assert.equal(error.message, 'stopped after 10 000 of 10 001 changes; run it again for the rest');
        return true;
      },
    );
    assert.equal(commits, 2);
  });
});
