import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../src/base/clock.ts';
import type { LimitReading } from '../../../src/model/limit.ts';
import { limit } from '../../support/pipeline/resources.ts';
import { poll } from '../../support/time/poll.ts';
import { useRateLimitService } from '../../support/ratelimit/use-rate-limit-service.ts';

const REQUESTS = 7;
/** Borders that one test must see. */
const BORDERS = 3;
/** More at once than a window lets through. */
const BURST = 40;

/** One answer, with the seconds between which the service gave it. */
interface Answer {
  readonly reading: LimitReading;
  readonly sent: number;
  readonly received: number;
}

describe('a window of the rate limit service', () => {
  const running = useRateLimitService();

  function asker(replicas: number) {
    const limiters = Array.from({ length: replicas }, () => running.limiter());
    const limits = [{ ...limit('1/second/consumer'), requests: REQUESTS }];
    const question = { endpointId: `e-${randomUUID()}`, consumerId: 'acme', limits };
    return async (number: number): Promise<Answer> => {
      const sent = systemClock.nowSeconds();
      const [reading] = (await limiters[number % replicas]?.take(question)) ?? [];
      assert.ok(reading);
      return { reading, sent, received: systemClock.nowSeconds() };
    };
  }

  it('ends and begins with the second: one request after the other, over several borders, at two replicas', async () => {
    const ask = asker(2);
    let before = await ask(0);
    let borders = 0;
    for (let number = 1; borders < BORDERS; number += 1) {
      const answer = await ask(number);
      const { remaining, isExceeded, resetSeconds } = answer.reading;
      const text = `${JSON.stringify(before)} was followed by ${JSON.stringify(answer)}`;
      assert.equal(resetSeconds, 1);
      const isFirst = remaining === REQUESTS - 1;
      if (isFirst) {
        borders += 1;
        assert.ok(answer.received > before.sent, `the window began anew within a second: ${text}`);
      } else {
        assert.ok(answer.sent <= before.received, `the window went on in the next second: ${text}`);
        const { remaining: left, isExceeded: wasExceeded } = before.reading;
        assert.equal(remaining, Math.max(0, left - 1), text);
        assert.equal(isExceeded, wasExceeded || left === 0, text);
      }
      before = answer;
    }
  });

  it('lets exactly as many pass on each side of the border, many at once, at two replicas', async () => {
    const ask = asker(2);
    const answers: Answer[] = [];
    const first = systemClock.nowSeconds();
    // Each burst is answered whole before the next one, so that no second goes without one for long.
    while (systemClock.nowSeconds() < first + BORDERS) {
      answers.push(...(await Promise.all(Array.from({ length: BURST }, async (_, number) => await ask(number)))));
    }
    const passed = answers.filter(({ reading }) => !reading.isExceeded);
    const timesOf = (remaining: number) => passed.filter(({ reading }) => reading.remaining === remaining).length;
    const windows = timesOf(REQUESTS - 1);
    assert.ok(windows >= 2, 'there was a border');
    const last = Math.max(...answers.map(({ received }) => received));
    assert.ok(windows <= last - first + 1, `${String(windows)} windows in ${String(last - first + 1)} seconds`);
    // Every place of a window is given away once. A burst may end in a window that it does not fill.
    for (let remaining = REQUESTS - 2; remaining >= 0; remaining -= 1) {
      assert.ok(timesOf(remaining) <= timesOf(remaining + 1), `place ${String(remaining)} was given away too often`);
    }
    assert.ok(timesOf(0) >= 1, 'a window was used up');
  });

  it('holds its count until the second ends, and not longer', async () => {
    const ask = asker(1);
    const refused = await poll('the limit', async () => {
      const answer = await ask(0);
      return answer.reading.isExceeded ? answer : null;
    });
    const passed = await poll('the next window', async () => {
      const answer = await ask(0);
      return answer.reading.isExceeded ? null : answer;
    });
    assert.ok(passed.received > refused.sent);
    assert.equal(passed.reading.remaining, REQUESTS - 1);
  });
});
