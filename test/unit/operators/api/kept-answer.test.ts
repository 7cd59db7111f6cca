import assert from 'node:assert/strict';
import { KeptAnswer } from '../../../../src/operators/api/kept-answer.ts';

describe('an answer that is kept', () => {
  let nowMs = 0;
  let asked = 0;
  let fault: Error | null = null;
  let kept: KeptAnswer<number>;
  beforeEach(() => {
    [nowMs, asked, fault] = [1_000_000, 0, null];
    kept = new KeptAnswer(
      async () => {
        asked += 1;
        const answer = asked;
        await Promise.resolve();
        if (fault !== null) throw fault;
        return answer;
      },
      { nowMs: () => nowMs },
    );
  });

  it('serves all who want it at once, and for a minute', async () => {
    const both = await Promise.all([kept.read(), kept.read()]);
    assert.deepEqual(both, [
      { value: 1, atMs: nowMs },
      { value: 1, atMs: nowMs },
    ]);
    nowMs += 59_999;
    assert.equal((await kept.read()).value, 1);
    assert.equal(asked, 1);
  });

  it('is asked for again once, while the older one serves', async () => {
    await kept.read();
    nowMs += 60_000;
    const older = await Promise.all([kept.read(), kept.read()]);
    assert.deepEqual(
      older.map(({ value }) => value),
      [1, 1],
    );
    assert.equal(asked, 2);
    assert.equal((await kept.read()).value, 2);
  });

  it('is not waited for longer than somebody will, and comes later', async () => {
    let answer: (value: number) => void = () => undefined;
    const slow = new KeptAnswer(
      async () =>
        await new Promise<number>((resolve) => {
          answer = resolve;
        }),
      { nowMs: () => nowMs },
    );
    assert.equal(await slow.readWithin(1), null);
    answer(7);
    assert.equal((await slow.readWithin(10_000))?.value, 7);
    assert.equal((await kept.readWithin(10_000))?.value, 1);
  });

  it('is none after ten minutes, nor when the clock was set back as much', async () => {
    await kept.read();
    nowMs += 600_000;
    assert.equal((await kept.read()).value, 2);
    nowMs -= 600_000;
    assert.equal((await kept.read()).value, 3);
  });

  it('is asked for again after a failure, which who waits for it learns', async () => {
    fault = new Error('down');
    await assert.rejects(kept.read(), fault);
    fault = null;
    assert.equal((await kept.read()).value, 2);
    fault = new Error('down again');
    nowMs += 60_000;
    assert.equal((await kept.read()).value, 2, 'the older one serves');
    nowMs += 540_000;
    await assert.rejects(kept.read(), fault);
  });
});
