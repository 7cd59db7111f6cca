import assert from 'node:assert/strict';
import { Deadlines, type TimedCall } from '../../../../src/wire/http2/deadlines.ts';
import { ManualTime } from '../../../support/time/manual-time.ts';

interface TestCall extends TimedCall<TestCall> {
  readonly name: string;
}

/** Deadlines on time that the test moves, and which calls they ended, after how many milliseconds. */
function testDeadlines() {
  const time = new ManualTime();
  const startMs = time.nowMs();
  const ended: string[] = [];
  const deadlines = new Deadlines<TestCall>(time, time.startTimer, (call) => {
    ended.push(`${call.name} ${String(time.nowMs() - startMs)}`);
    deadlines.delete(call);
  });
  const add = (name: string, afterMs: number): TestCall => {
    const call = { name, deadlineAtMs: time.nowMs() + afterMs, deadline: null };
    deadlines.add(call);
    return call;
  };
  return { time, deadlines, ended, add };
}

describe('deadlines', () => {
  it('ends each call by its own, in whatever order they were added, on one timer', async () => {
    const { time, ended, add } = testDeadlines();
    add('late', 300);
    add('early', 100);
    add('between', 200);
    assert.equal(time.timers, 1);
    await time.advance(250);
    assert.deepEqual(ended, ['early 100', 'between 200']);
    await time.advance(50);
    assert.deepEqual(ended, ['early 100', 'between 200', 'late 300']);
    assert.equal(time.timers, 0);
  });

  it('ends those at once that are over', async () => {
    const { time, ended, add } = testDeadlines();
    add('over', -50);
    await time.advance(1);
    assert.deepEqual(ended, ['over 1']);
  });

  it('does not end what was deleted, and goes on with the rest', async () => {
    const { time, deadlines, ended, add } = testDeadlines();
    const deleted = add('deleted', 100);
    add('kept', 150);
    deadlines.delete(deleted);
    deadlines.delete(deleted);
    assert.equal(deadlines.size, 1);
    await time.advance(200);
    assert.deepEqual(ended, ['kept 150']);
  });

  it('sets no timer for longer than there can be, and ends what takes longer in time', async () => {
    const { time, deadlines, ended, add } = testDeadlines();
    const delays: number[] = [];
    const longest = new Deadlines<TestCall>(
      time,
      (delayMs, action) => {
        delays.push(delayMs);
        return time.startTimer(delayMs, action);
      },
      ({ name }) => ended.push(name),
    );
    longest.add({ name: 'far', deadlineAtMs: time.nowMs() + 0x80000000, deadline: null });
    assert.deepEqual(delays, [0x7fffffff]);
    await time.advance(0x7fffffff);
    assert.deepEqual([delays, ended], [[0x7fffffff, 1], []]);
    await time.advance(1);
    assert.deepEqual(ended, ['far']);
    add('next', 100);
    deadlines.stop();
    await time.advance(100);
    assert.deepEqual(ended, ['far']);
  });
});
