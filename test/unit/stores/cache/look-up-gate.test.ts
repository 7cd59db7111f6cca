import assert from 'node:assert/strict';
import { LookUpGate, type LookUpLane } from '../../../../src/stores/cache/look-up-gate.ts';
import { ManualTime, settle } from '../../../support/time/manual-time.ts';

/** A gate with three places, and work that ends when the test says so. */
function testGate() {
  const time = new ManualTime();
  const gate = new LookUpGate(
    {
      maxRunning: 3,
      maxUnseenRunning: 1,
      maxBackgroundRunning: 1,
      maxKnownWaiting: 2,
      maxUnseenWaiting: 2,
      maxWaitMs: 250,
    },
    { clock: time, startTimer: time.startTimer },
  );
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const refused: string[] = [];
  const run = (lane: LookUpLane, name: string): boolean => {
    const running = gate.run(lane, async () => {
      begun.push(name);
      await new Promise<void>((resolve, reject) => {
        ends.set(name, (error) => {
          if (error === undefined) resolve();
          else reject(error);
        });
      });
    });
    running?.catch((error: unknown) => refused.push(`${name}: ${(error as Error).message}`));
    return running !== null;
  };
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)?.(error);
    await settle();
  };
  return { gate, time, begun, refused, run, end };
}

describe('the gate of look-ups', () => {
  it('lets known App Keys go before those never seen, and each lane in its order', async () => {
    const { run, end, begun, gate } = testGate();
    for (const name of ['k1', 'k2', 'k3']) assert.ok(run('known', name));
    assert.ok(run('unseen', 'u1'));
    assert.ok(run('unseen', 'u2'));
    assert.ok(run('known', 'k4'));
    assert.ok(run('known', 'k5'));
    assert.deepEqual([gate.running, gate.waiting], [3, 4]);
    for (const name of ['k1', 'k2', 'k3', 'k4']) await end(name);
    assert.deepEqual(begun, ['k1', 'k2', 'k3', 'k4', 'k5', 'u1']);
    await end('k5');
    assert.deepEqual(begun.length, 6);
    await end('u1');
    assert.deepEqual(begun.at(-1), 'u2');
    await end('u2');
    assert.deepEqual([gate.running, gate.waiting], [0, 0]);
  });

  it('gives those never seen their places only, and the background one that is free', () => {
    const { run, begun } = testGate();
    assert.ok(run('unseen', 'u1'));
    assert.ok(run('unseen', 'u2'));
    assert.ok(run('background', 'b1'));
    assert.equal(run('background', 'b2'), false);
    assert.ok(run('known', 'k1'));
    assert.deepEqual(begun, ['u1', 'b1', 'k1']);
  });

  it('refuses at once when a line is full', () => {
    const { run } = testGate();
    for (const name of ['k1', 'k2', 'k3', 'k4', 'k5']) assert.ok(run('known', name));
    assert.equal(run('known', 'k6'), false);
    for (const name of ['u1', 'u2']) assert.ok(run('unseen', name));
    assert.equal(run('unseen', 'u3'), false);
    assert.equal(run('background', 'b1'), false);
  });

  it('refuses those who waited too long, and no others', async () => {
    const { run, end, begun, refused, time } = testGate();
    for (const name of ['k1', 'k2', 'k3', 'k4']) run('known', name);
    await time.advance(100);
    run('known', 'k5');
    await time.advance(150);
    assert.deepEqual(refused, ['k4: too many App Keys are being looked up; this one waited in vain']);
    await time.advance(99);
    await end('k1');
    assert.equal(begun.at(-1), 'k5');
    assert.deepEqual([refused.length, time.timers], [1, 0]);
  });

  it('gives a place on also when work fails', async () => {
    const { run, end, begun, refused } = testGate();
    for (const name of ['k1', 'k2', 'k3', 'k4']) run('known', name);
    await end('k2', new Error('no primary'));
    assert.deepEqual([begun.at(-1), refused], ['k4', ['k2: no primary']]);
  });

  it('refuses all that wait when it closes', async () => {
    const { run, gate, refused, time } = testGate();
    for (const name of ['k1', 'k2', 'k3', 'k4']) run('known', name);
    run('unseen', 'u1');
    gate.close();
    await settle();
    assert.deepEqual(refused, ['k4: look-ups have ended', 'u1: look-ups have ended']);
    assert.deepEqual([gate.waiting, time.timers], [0, 0]);
  });
});
