import assert from 'node:assert/strict';
import { type Job, runQueue } from '../../../../scripts/testing/queue.mjs';

const never = (): Promise<void> => new Promise(() => undefined);

describe('the queue of test files', () => {
  it('takes the longest first, and gives each free lane the next', async () => {
    const began: string[] = [];
    const release: (() => void)[] = [];
    const job = (name: string, seconds: number): Job => ({
      seconds,
      isReady: () => true,
      run: async (lane) => {
        began.push(`${name} on ${String(lane)}`);
        await new Promise<void>((resolve) => release.push(resolve));
      },
    });
    const jobs = [job('short', 1), job('long', 9), job('middle', 5)];
    const done = runQueue(jobs, { lanes: 2, changed: never, isStopped: () => false });
    assert.deepEqual(began, ['long on 0', 'middle on 1']);
    release[1]?.();
    await new Promise(setImmediate);
    assert.deepEqual(began, ['long on 0', 'middle on 1', 'short on 1']);
    for (const each of release) each();
    await done;
  });

  it('waits for what a job needs, and takes others meanwhile', async () => {
    const began: string[] = [];
    let isThere = false;
    let announce = (): void => undefined;
    const change = new Promise<void>((resolve) => (announce = resolve));
    const job = (name: string, seconds: number, isReady: () => boolean): Job => ({
      seconds,
      isReady,
      run: () => Promise.resolve(void began.push(name)),
    });
    const jobs = [job('needs a server', 9, () => isThere), job('needs nothing', 1, () => true)];
    const done = runQueue(jobs, { lanes: 1, changed: () => change, isStopped: () => false });
    await new Promise(setImmediate);
    assert.deepEqual(began, ['needs nothing']);
    isThere = true;
    announce();
    await done;
    assert.deepEqual(began, ['needs nothing', 'needs a server']);
  });

  it('takes nothing more when it is stopped', async () => {
    let ran = 0;
    const job: Job = { seconds: 1, isReady: () => true, run: () => Promise.resolve(void (ran += 1)) };
    await runQueue([job, job, job], { lanes: 1, changed: never, isStopped: () => ran === 2 });
    assert.equal(ran, 2);
  });
});
