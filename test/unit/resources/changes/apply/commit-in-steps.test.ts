import assert from 'node:assert/strict';
import {
  commitInSteps,
  countSteps,
  type StepPorts,
} from '../../../../../src/resources/changes/apply/commit-in-steps.ts';
import type { Change } from '../../../../../src/resources/changes/change.ts';
import { Conflict } from '../../../../../src/resources/changes/resource-store.ts';
import { MemoryResourceStore } from '../../../../support/manage/memory-resource-store.ts';
import { consumer } from '../../../../support/pipeline/resources.ts';

const operation = { actor: 'ada', action: 'apply' };
const quiet: StepPorts = {
  onCommitted: () => undefined,
  isStopped: () => false,
  isTooLarge: () => false,
  onDivided: () => undefined,
};

function consumers(count: number): readonly Change[] {
  return Array.from({ length: count }, (_, index) => {
    const id = `c${String(index)}`;
    return { kind: 'consumer', id, before: null, after: consumer({ id }) };
  });
}

describe('making many changes', () => {
  it('makes them in one transaction as far as one carries', async () => {
    const store = new MemoryResourceStore();
    const outcome = await commitInSteps(consumers(10), store, operation, { maxAtOnce: 10, perStep: 3 }, quiet);
    assert.deepEqual(outcome, { committed: 10, end: 'done' });
    assert.deepEqual(
      store.commits.map((changes) => changes.length),
      [10],
    );
  });

  it('makes more of them in steps', async () => {
    const store = new MemoryResourceStore();
    const sizes = { maxAtOnce: 9, perStep: 4 };
    const told: number[] = [];
    const ports = { ...quiet, onCommitted: (changes: readonly Change[]) => void told.push(changes.length) };
    await commitInSteps(consumers(10), store, operation, sizes, ports);
    assert.deepEqual(
      [store.commits.map((changes) => changes.length), told],
      [
        [4, 4, 2],
        [4, 4, 2],
      ],
    );
    assert.deepEqual(
      [0, 9, 10, 12, 13].map((count) => countSteps(consumers(count), sizes)),
      [0, 1, 3, 3, 4],
    );
  });

  it('says how far it came before an error', async () => {
    const store = new MemoryResourceStore();
    const conflict = new Conflict('somebody was here');
    store.beforeCommit = () => {
      if (store.commits.length === 2) throw conflict;
    };
    const outcome = await commitInSteps(consumers(10), store, operation, { maxAtOnce: 9, perStep: 4 }, quiet);
    assert.deepEqual(outcome, { committed: 8, end: { error: conflict } });
  });

  it('stops between steps, never before the first', async () => {
    const store = new MemoryResourceStore();
    const outcome = await commitInSteps(
      consumers(10),
      store,
      operation,
      { maxAtOnce: 9, perStep: 4 },
      {
        ...quiet,
        isStopped: () => true,
      },
    );
    assert.deepEqual(outcome, { committed: 4, end: 'stopped' });
  });

  it('makes smaller steps where the store takes no larger ones', async () => {
    const store = new MemoryResourceStore();
    const tooLarge = new Error('too large');
    const told: number[] = [];
    store.beforeCommit = (changes) => {
      if (changes.length > 3) throw tooLarge;
    };
    const ports = {
      ...quiet,
      isTooLarge: (error: unknown) => error === tooLarge,
      onDivided: (size: number) => told.push(size),
    };
    const outcome = await commitInSteps(consumers(10), store, operation, { maxAtOnce: 10, perStep: 5 }, ports);
    assert.deepEqual(outcome, { committed: 10, end: 'done' });
    assert.deepEqual([told, store.commits.map((changes) => changes.length)], [[3], [3, 3, 3, 1]]);
    store.beforeCommit = () => {
      throw tooLarge;
    };
    const [one] = consumers(11).slice(10);
    assert.ok(one !== undefined);
    const never = await commitInSteps([one], store, operation, { maxAtOnce: 10, perStep: 5 }, ports);
    assert.deepEqual(never, { committed: 0, end: { error: tooLarge } });
  });
});
