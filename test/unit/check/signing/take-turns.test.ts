import assert from 'node:assert/strict';
import { takeTurns, type Work } from '../../../../src/base/text/work.ts';

function* work(steps: number, log: (step: number) => void = () => undefined): Work<string> {
  for (let step = 0; step < steps; step += 1) {
    log(step);
    yield;
  }
  return 'done';
}

describe('work done in turns', () => {
  it('gives its result at once when it never yields', () => {
    assert.equal(takeTurns(work(0)), 'done');
  });

  it('gives a promise when it yields', async () => {
    const result = takeTurns(work(1));
    assert.ok(result instanceof Promise);
    assert.equal(await result, 'done');
  });

  it('does its first step before anything else, and one step in each turn of the event loop', async () => {
    const order: string[] = [];
    const result = takeTurns(work(3, (step) => order.push(`step ${String(step)}`)));
    order.push('meanwhile');
    for (let turn = 0; turn < 2; turn += 1) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      order.push(`turn ${String(turn)}`);
    }
    await result;
    assert.deepEqual(order, ['step 0', 'meanwhile', 'step 1', 'turn 0', 'step 2', 'turn 1']);
  });

  it('is shared fairly by those who work at the same time', async () => {
    const order: string[] = [];
    const named = (name: string) => takeTurns(work(3, (step) => order.push(`${name}${String(step)}`)));
    await Promise.all([named('a'), named('b')]);
    assert.deepEqual(order, ['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
  });

  it('passes on what goes wrong in a later step', async () => {
    function* failing(): Work<string> {
      yield;
      throw new Error('in the second step');
    }
    await assert.rejects(async () => takeTurns(failing()), /^Error: in the second step$/);
  });
});
