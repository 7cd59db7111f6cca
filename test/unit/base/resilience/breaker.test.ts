import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Breaker } from '../../../../src/base/resilience/breaker.ts';
import { settle } from '../../../support/time/manual-time.ts';

class Unreachable extends Error {}

const REST_AT_MOST_MS = 1250;
const TIMEOUT_MS = 300;

/** A breaker on timers that the test moves, with what it told. */
function testBreaker() {
  const told: string[] = [];
  let calls = 0;
  const breaker = new Breaker({
    windowMs: 1000,
    timeoutMs: TIMEOUT_MS,
    isFailure: (error) => error instanceof Unreachable,
    faultOf: (why, latest) => new Error(`${why}, after ${latest?.message ?? 'nothing'}`),
    observer: { down: (latest) => told.push(`down: ${String(latest?.message)}`), up: () => told.push('up') },
    onRest: (latest) => told.push(`rest: ${String(latest?.message)}`),
  });
  /** Makes one call with this outcome; gives the message of its error, or `ok`. */
  const call = async (outcome: Error | 'ok'): Promise<string> => {
    const made = breaker.run(async () => {
      calls += 1;
      await Promise.resolve();
      if (outcome !== 'ok') throw outcome;
      return outcome;
    });
    return await made.catch((error: unknown) => (error instanceof Error ? error.message : 'no error'));
  };
  return { breaker, told, call, countCalls: () => calls };
}

describe('a circuit breaker', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  });
  afterEach(() => {
    mock.timers.reset();
  });

  it('reports the latest failure when the service is down, once, and each rest', async () => {
    const { told, call, countCalls } = testBreaker();
    for (let at = 1; at <= 5; at += 1) await call(new Unreachable(String(at)));
    assert.deepEqual(told, ['down: 5', 'rest: 5']);
    assert.equal(await call('ok'), 'down, after 5');
    assert.equal(countCalls(), 5);
    mock.timers.tick(REST_AT_MOST_MS);
    assert.equal(await call(new Unreachable('trial')), 'trial');
    assert.deepEqual(told.splice(0), ['down: 5', 'rest: 5', 'rest: trial']);
    mock.timers.tick(REST_AT_MOST_MS);
    assert.equal(await call('ok'), 'ok');
    assert.deepEqual(told, ['up']);
  });

  it('gives up a service that is down again as soon as one that never was, however many asked while it was down', async () => {
    const { breaker, call } = testBreaker();
    for (let at = 0; at < 5; at += 1) await call(new Unreachable('first'));
    mock.timers.tick(REST_AT_MOST_MS - 100);
    for (let at = 0; at < 1000 && breaker.outlook === 'down'; at += 1) await call('ok');
    mock.timers.tick(100);
    await call('ok');
    assert.equal(breaker.outlook, 'reachable');
    for (let at = 0; at < 4; at += 1) await call(new Unreachable('second'));
    assert.equal(breaker.outlook, 'down');
  });

  it('counts calls that do not end in time as failures, and notes what they fail by later', async () => {
    const { breaker, told, call } = testBreaker();
    const failLater: (() => void)[] = [];
    const slow = async (): Promise<unknown> =>
      await breaker
        .run(
          async () =>
            await new Promise((_, reject) => {
              failLater.push(() => {
                reject(new Unreachable('late'));
              });
            }),
        )
        .catch((error: unknown) => (error instanceof Error ? error.message : error));
    const outcomes = Array.from({ length: 5 }, slow);
    mock.timers.tick(TIMEOUT_MS);
    assert.deepEqual(
      await Promise.all(outcomes),
      Array.from({ length: 5 }, () => 'slow, after nothing'),
    );
    assert.deepEqual(told, ['down: undefined', 'rest: undefined']);
    for (const fail of failLater) fail();
    await settle();
    assert.equal(await call('ok'), 'down, after late');
  });

  it('hands on other errors, and takes the service for reachable', async () => {
    const { breaker, call } = testBreaker();
    for (let at = 0; at < 20; at += 1) assert.equal(await call(new TypeError('a defect')), 'a defect');
    assert.equal(breaker.outlook, 'reachable');
  });

  it('makes no call once it is disposed of', async () => {
    const { breaker, call, countCalls } = testBreaker();
    breaker[Symbol.dispose]();
    assert.deepEqual([breaker.outlook, await call('ok'), countCalls()], ['down', 'down, after nothing', 0]);
  });
});
