import assert from 'node:assert/strict';
import type { Limiter, LimitQuestion } from '../../src/check/limit/limiter.ts';
import { type Limit, type LimitReading, limitUnits } from '../../src/model/limit.ts';
import { limit } from '../support/pipeline/resources.ts';
import { secondsLeft } from '../support/time/seconds-left.ts';

/** A limiter under test. */
export interface LimiterUnderTest {
  readonly limiter: Limiter;
  /** The time that the limiter counts by, in whole seconds since the epoch. */
  readonly nowSeconds: () => number;
  /** Brings the time to the beginning of the next second; where it is the machine's own, by waiting for it. */
  readonly toNextSecond: () => Promise<void>;
  /** Put in front of every id, so that counters which outlive a run are not met again; may be empty. */
  readonly unique: string;
  readonly dispose?: () => Promise<void>;
}

/** A test takes less. */
const ONE_TEST_SECONDS = 3;

/** The contract of {@link Limiter} that every implementation keeps (spec §4.2). `setUp` runs before each test. */
export function describeLimiterContract(name: string, setUp: () => Promise<LimiterUnderTest>): void {
  describe(`the limiter ${name}`, () => {
    let tested: LimiterUnderTest;
    let tests = 0;

    beforeEach(async () => {
      tested = await setUp();
      tests += 1;
      // So that a test lies within one window of all that are longer than a second.
      while (60 - (tested.nowSeconds() % 60) <= ONE_TEST_SECONDS) await tested.toNextSecond();
    });

    afterEach(async () => {
      await tested.dispose?.();
    });

    /** A question for counters of this test only. */
    function question(
      limits: readonly Limit[],
      consumerId: string | null = 'acme',
      endpoint = 'orders',
    ): LimitQuestion {
      return { endpointId: `${tested.unique}${endpoint}-${String(tests)}`, consumerId, limits };
    }

    async function take(...parts: Parameters<typeof question>): Promise<readonly LimitReading[]> {
      return await tested.limiter.take(question(...parts));
    }

    /** Whether the question's request is over any of its limits. */
    async function isOver(...parts: Parameters<typeof question>): Promise<boolean> {
      return (await take(...parts)).some((reading) => reading.isExceeded);
    }

    it('lets as many pass as the limit says, and no more', async () => {
      const limits = [limit('3/day/consumer')];
      const readings = [];
      for (let index = 0; index < 5; index += 1) readings.push(...(await take(limits)));
      assert.deepEqual(
        readings.map(({ remaining, isExceeded }) => [remaining, isExceeded]),
        [
          [2, false],
          [1, false],
          [0, false],
          [0, true],
          [0, true],
        ],
      );
    });

    it('lets no more pass when all ask at once', async () => {
      const limits = [limit('7/day/consumer')];
      const over = await Promise.all(Array.from({ length: 40 }, async () => await isOver(limits)));
      assert.equal(over.filter((each) => !each).length, 7);
    });

    it('tells every limit in the order of the question', async () => {
      await tested.toNextSecond();
      const limits = [
        limit('5/day/consumer'),
        limit('9/minute/consumer'),
        limit('7/hour/consumer'),
        limit('8/second/consumer'),
      ];
      const readings = await take(limits);
      assert.deepEqual(
        readings.map((reading) => reading.limit),
        limits,
      );
      assert.deepEqual(
        readings.map((reading) => reading.remaining),
        [4, 8, 6, 7],
      );
    });

    it('tells how long the window still is, in windows aligned to UTC', async () => {
      for (const unit of limitUnits) {
        const before = tested.nowSeconds();
        const [reading] = await take([limit(`5/${unit}/consumer`)]);
        const after = tested.nowSeconds();
        const possible = secondsLeft(unit, before, after);
        assert.ok(reading && possible.includes(reading.resetSeconds), `${unit}: ${String(reading?.resetSeconds)}`);
      }
    });

    it('begins again with the next window', async () => {
      const limits = [limit('2/second/consumer')];
      await tested.toNextSecond();
      assert.deepEqual([await isOver(limits), await isOver(limits), await isOver(limits)], [false, false, true]);
      await tested.toNextSecond();
      assert.deepEqual([await isOver(limits), await isOver(limits), await isOver(limits)], [false, false, true]);
    });

    it('counts each consumer, each endpoint and all callers together by themselves', async () => {
      const own = [limit('1/day/consumer')];
      const shared = [limit('1/day/endpoint')];
      assert.equal(await isOver(own, 'acme'), false);
      assert.equal(await isOver(own, 'other'), false);
      assert.equal(await isOver(own, 'acme', 'stock'), false);
      assert.equal(await isOver(shared, null), false);
      assert.equal(await isOver(own, 'acme'), true);
      assert.equal(await isOver(shared, null), true);
    });

    it('does not confuse ids that run together', async () => {
      const limits = [limit('1/day/consumer')];
      assert.equal(await isOver(limits, 'b-c', 'a'), false);
      assert.equal(await isOver(limits, 'c', 'a-b'), false);
    });

    it('counts every unit by itself', async () => {
      assert.equal(await isOver([limit('1/hour/consumer')]), false);
      assert.equal(await isOver([limit('1/day/consumer')]), false);
    });

    it('goes on counting in the same window when the limit is changed', async () => {
      assert.equal(await isOver([limit('2/day/consumer')]), false);
      assert.equal(await isOver([limit('2/day/consumer')]), false);
      const [lowered] = await take([limit('1/day/consumer')]);
      assert.deepEqual([lowered?.isExceeded, lowered?.remaining], [true, 0]);
      const [raised] = await take([limit('10/day/consumer')]);
      assert.equal(raised?.isExceeded, false);
      assert.ok(raised.remaining <= 7);
    });

    it('is over the limit when one of several is', async () => {
      const limits = [limit('100/day/consumer'), limit('1/hour/consumer')];
      assert.equal(await isOver(limits), false);
      const [day, hour] = await take(limits);
      assert.deepEqual([day?.isExceeded, hour?.isExceeded], [false, true]);
    });

    it('counts a plan over all endpoints together, beside the limits of each', async () => {
      const ofPlan = { requests: 3, unit: 'day', per: 'plan' } as const;
      const planId = `${tested.unique}gold-${String(tests)}`;
      const remaining = [];
      for (const [consumerId, endpoint] of [
        ['acme', 'orders'],
        ['acme', 'stock'],
        ['other', 'stock'],
        ['acme', 'stock'],
        ['acme', 'orders'],
      ] as const) {
        const asked = question([limit('9/day/consumer')], consumerId, endpoint);
        const readings = await tested.limiter.take({ ...asked, limits: [...asked.limits, ofPlan], planId });
        remaining.push(readings.map((reading) => (reading.isExceeded ? 'over' : reading.remaining)));
      }
      assert.deepEqual(remaining.slice(0, -1), [
        [8, 2],
        [8, 1],
        [8, 2],
        [7, 0],
      ]);
      assert.equal(remaining.at(-1)?.[1], 'over');
    });

    it('counts a plan by the month of the calendar', async () => {
      const limits = [{ requests: 2, unit: 'month', per: 'plan' } as const];
      const planId = `${tested.unique}gold-${String(tests)}`;
      const [before] = await tested.limiter.take({ ...question([]), limits, planId });
      const [after] = await tested.limiter.take({ ...question([], 'acme', 'stock'), limits, planId });
      assert.deepEqual([before?.remaining, after?.remaining], [1, 0]);
    });

    it('takes the largest limit there is', async () => {
      const [reading] = await take([limit('4294967295/day/consumer')]);
      assert.deepEqual([reading?.remaining, reading?.isExceeded], [4_294_967_294, false]);
    });
  });
}
