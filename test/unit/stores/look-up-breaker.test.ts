import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { AppKeyFilter } from '../../../src/stores/cache/app-key-filter.ts';
import { CredentialCache } from '../../../src/stores/credential-cache.ts';
import { CredentialUnreadable, StoreUnavailable } from '../../../src/check/store/credential-source.ts';
import { LookUpBreaker } from '../../../src/stores/look-up-breaker.ts';
import { held, hashOf } from '../../support/store/held.ts';
import { ManualReader } from '../../support/store/manual-reader.ts';
import { ManualTime, settle } from '../../support/time/manual-time.ts';

/** A breaker around a store that the test answers for, on timers that the test moves. */
function testBreaker() {
  const reader = new ManualReader();
  const told: string[] = [];
  const breaker = new LookUpBreaker(reader, { down: () => told.push('down'), up: () => told.push('up') });
  /** Reads once, with this outcome of the store; gives what came of it. */
  const read = async (outcome: 'found' | 'nobody' | Error): Promise<unknown> => {
    const reading = breaker.read(hashOf('a')).catch((error: unknown) => error);
    if (reader.open.length > 0) {
      if (outcome instanceof Error) reader.next.fail(outcome);
      else reader.next.answer(outcome === 'found' ? held('a') : null);
    }
    return await reading;
  };
  const giveUp = async (): Promise<void> => {
    for (let at = 0; at < 5; at += 1) await read(outage);
    assert.equal(breaker.outlook, 'down');
  };
  return { breaker, reader, told, read, giveUp };
}

const outage = new StoreUnavailable('no primary');
const REST_AT_MOST_MS = 1250;

describe('the circuit breaker around look-ups', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  });
  afterEach(() => {
    mock.timers.reset();
  });

  it('hands on what the store says', async () => {
    const { breaker, read, told } = testBreaker();
    assert.equal(await read('nobody'), null);
    const found = await read('found');
    assert.ok(found !== null && typeof found === 'object' && 'credential' in found);
    assert.equal(await read(outage), outage);
    assert.deepEqual([breaker.outlook, told], ['reachable', []]);
  });

  it('gives the store up when more than half of at least five reads failed, and reports it once', async () => {
    const { breaker, reader, read, told } = testBreaker();
    for (let at = 0; at < 4; at += 1) {
      assert.equal(await read(outage), outage);
      assert.equal(breaker.outlook, 'reachable');
    }
    await read(outage);
    assert.deepEqual([breaker.outlook, told], ['down', ['down']]);
    const refused = await read('found');
    assert.ok(refused instanceof StoreUnavailable);
    assert.equal(refused.message, 'the store does not answer; it is tried again in a moment');
    assert.equal(reader.asked.length, 5);
  });

  it('forgets good reads after two seconds, so that they do not hide an outage', async () => {
    const { breaker, read } = testBreaker();
    for (let at = 0; at < 100; at += 1) await read('found');
    for (let at = 0; at < 10; at += 1) await read(outage);
    assert.equal(breaker.outlook, 'reachable');
    mock.timers.tick(2000);
    for (let at = 0; at < 5; at += 1) await read(outage);
    assert.equal(breaker.outlook, 'down');
  });

  it('lets one read through after about a second, and is closed by it', async () => {
    const { breaker, reader, read, giveUp, told } = testBreaker();
    await giveUp();
    mock.timers.tick(749);
    assert.equal(breaker.outlook, 'down');
    mock.timers.tick(REST_AT_MOST_MS - 749);
    assert.deepEqual([breaker.outlook, told], ['trial', ['down']]);
    const trial = breaker.read(hashOf('a'));
    assert.equal(breaker.outlook, 'down');
    await assert.rejects(breaker.read(hashOf('b')), StoreUnavailable);
    assert.equal(reader.open.length, 1);
    reader.next.answer(null);
    assert.equal(await trial, null);
    assert.deepEqual([breaker.outlook, told], ['reachable', ['down', 'up']]);
    assert.equal(await read('nobody'), null);
  });

  it('rests again after a trial that fails, without telling it again, each time for another while', async () => {
    const { breaker, read, giveUp, told } = testBreaker();
    await giveUp();
    const rests = new Set<number>();
    for (let at = 0; at < 20; at += 1) {
      let restMs = 0;
      for (; breaker.outlook === 'down'; restMs += 1) mock.timers.tick(1);
      assert.ok(restMs >= 750 && restMs <= REST_AT_MOST_MS, String(restMs));
      rests.add(restMs);
      await read(outage);
      assert.equal(breaker.outlook, 'down');
    }
    assert.ok(rests.size > 5);
    assert.deepEqual(told, ['down']);
  });

  it('does not give the store up for defects and credentials that cannot be used: it did answer', async () => {
    const { breaker, read } = testBreaker();
    for (const error of [new TypeError('a defect'), new CredentialUnreadable('no key for it')]) {
      for (let at = 0; at < 20; at += 1) assert.equal(await read(error), error);
    }
    assert.equal(breaker.outlook, 'reachable');
  });

  it('counts a read that never ends as an outage', async () => {
    const { breaker, giveUp } = testBreaker();
    await giveUp();
    mock.timers.tick(REST_AT_MOST_MS);
    const trial = breaker.read(hashOf('a'));
    mock.timers.tick(5000);
    await assert.rejects(trial, { name: 'StoreUnavailable', message: 'the store did not answer in time' });
    mock.timers.tick(REST_AT_MOST_MS);
    assert.equal(breaker.outlook, 'trial');
  });

  it('refuses after its disposal, and is not woken by reads that end later', async () => {
    const { breaker, reader, told } = testBreaker();
    const readings = Array.from({ length: 6 }, async () => await breaker.read(hashOf('a')));
    const outcomes = Promise.allSettled(readings);
    breaker[Symbol.dispose]();
    for (const read of [...reader.open]) read.fail(outage);
    assert.ok((await outcomes).every((outcome) => outcome.status === 'rejected' && outcome.reason === outage));
    mock.timers.tick(10_000);
    assert.equal(breaker.outlook, 'down');
    await assert.rejects(breaker.read(hashOf('a')), StoreUnavailable);
    assert.deepEqual(told, []);
  });

  it('is not opened by what the cache refuses in front of it', async () => {
    const { breaker, reader } = testBreaker();
    const time = new ManualTime();
    const cache = new CredentialCache(
      { maxEntries: 10, maxStaleSeconds: 60 },
      {
        reader: breaker,
        clock: time,
        startTimer: time.startTimer,
        confirmedMs: () => 0,
        provenMs: () => time.nowMs(),
        appKeys: new AppKeyFilter(),
        appKeysConfirmedMs: () => 0,
        observer: { defect: assert.ifError },
      },
    );
    for (let at = 0; at < 1000; at += 1) {
      try {
        void Promise.resolve(cache.findByAppKey(`nobody-${String(at)}`)).catch(() => null);
      } catch (error) {
        assert.ok(error instanceof StoreUnavailable);
      }
    }
    await time.advance(1000);
    for (let at = 0; at < 6; at += 1) reader.next.answer(null);
    await settle();
    assert.ok(cache.counters.refusedLookUps > 900);
    assert.deepEqual([breaker.outlook, reader.asked.length], ['reachable', 6]);
  });
});
