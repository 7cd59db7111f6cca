import assert from 'node:assert/strict';
import { ReplicaHeartbeat, type ReplicaReport } from '../../../src/stores/replica-heartbeat.ts';
import { ManualTime, settle } from '../../support/time/manual-time.ts';

describe('the heartbeat of a replica', () => {
  let time: ManualTime;
  let reports: (number | null)[];
  let told: string[];
  let latest: number;
  let fault: Error | null;
  let left: number;
  let heartbeat: ReplicaHeartbeat;

  beforeEach(async () => {
    time = new ManualTime();
    reports = [];
    told = [];
    latest = 1;
    fault = null;
    left = 0;
    heartbeat = new ReplicaHeartbeat({
      register: {
        report: async ({ revision }: ReplicaReport) => {
          await Promise.resolve();
          reports.push(revision?.latest ?? null);
          if (fault !== null) throw fault;
        },
        leave: async () => {
          left += 1;
          await Promise.resolve();
        },
      },
      describe: () => ({ revision: { latest, underWay: [] }, mode: 'following', unreadiness: null }),
      startTimer: time.startTimer,
      observer: { writeFailed: (error) => told.push(String(error)), writeWorks: () => told.push('works') },
    });
    await settle();
  });

  it('comes at once, and then every five seconds', async () => {
    assert.deepEqual(reports, [1]);
    await time.advance(14_999);
    assert.equal(reports.length, 3);
    await time.advance(1);
    assert.equal(reports.length, 4);
  });

  it('comes at once after a quiet time, and at most four times a second in a burst, with the newest revision', async () => {
    await time.advance(1000);
    latest = 2;
    heartbeat.soon();
    await settle();
    assert.deepEqual(reports, [1, 2]);
    for (let change = 0; change < 100; change += 1) {
      latest += 1;
      heartbeat.soon();
      await time.advance(10);
    }
    assert.ok(reports.length <= 7, String(reports.length));
    await time.advance(250);
    assert.equal(reports.at(-1), 102);
  });

  it('goes on after failures, and tells the first one and the recovery', async () => {
    fault = new Error('down');
    await time.advance(10_000);
    assert.deepEqual(told, ['Error: down']);
    fault = null;
    await time.advance(5000);
    assert.deepEqual(told, ['Error: down', 'works']);
  });

  it('says farewell once, and nothing after it', async () => {
    await heartbeat[Symbol.asyncDispose]();
    await heartbeat[Symbol.asyncDispose]();
    assert.equal(left, 1);
    heartbeat.soon();
    await time.advance(20_000);
    assert.deepEqual(reports, [1]);
    assert.equal(time.timers, 0);
  });
});
