import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  RateLimitRequest,
  RateLimitResponse,
  type RateLimitResponse_Code,
  RateLimitResponse_RateLimit_Unit,
} from '../../../../src/gen/envoy/service/ratelimit/v3/rls.ts';
import type { RateLimitUnit } from '../../../../src/gen/envoy/type/v3/ratelimit_unit.ts';
import type { LimitQuestion } from '../../../../src/check/limit/limiter.ts';
import { encodeQuestion, readAnswer } from '../../../../src/stores/rate-limit-service/messages.ts';
import { ServiceFailure } from '../../../../src/stores/rate-limit-service/service-failure.ts';
import { type Limit, limitUnits, MAX_LIMIT_REQUESTS } from '../../../../src/model/limit.ts';
import { limit } from '../../../support/pipeline/resources.ts';
import { NOON } from '../../../support/time/fixed-clock.ts';

/** Second, minute, hour, day and year. */
const SERVICE_UNITS: ReadonlySet<RateLimitUnit> = new Set([1, 2, 3, 4, 6]);

/** What the service reads of a question. */
function requestOf(question: LimitQuestion): RateLimitRequest {
  return RateLimitRequest.decode(encodeQuestion('postern', question, NOON));
}

/** Where limits stand by an answer. */
function readingsOf(answer: RateLimitResponse, limits: readonly Limit[]) {
  return readAnswer(RateLimitResponse.encode(answer).finish(), limits, NOON);
}

describe('a request to the rate limit service', () => {
  it('names endpoint, consumer and unit, in this order, with the limit as override', () => {
    const limits = [limit('100/minute/consumer'), limit('9/day/consumer')];
    const entries = [
      { key: 'endpoint', value: 'orders' },
      { key: 'consumer', value: 'acme' },
    ];
    assert.deepEqual(requestOf({ endpointId: 'orders', consumerId: 'acme', limits }), {
      domain: 'postern',
      descriptors: [
        { entries: [...entries, { key: 'unit', value: 'minute' }], limit: { requestsPerUnit: 100, unit: 2 } },
        { entries: [...entries, { key: 'unit', value: 'day' }], limit: { requestsPerUnit: 9, unit: 4 } },
      ],
      hitsAddend: 1,
    });
  });

  it('names the month of the calendar, in a window that is longer than each', () => {
    const limits = [limit('5000/month/consumer')];
    const { descriptors } = requestOf({ endpointId: 'orders', consumerId: 'acme', limits });
    assert.deepEqual(descriptors, [
      {
        entries: [
          { key: 'endpoint', value: 'orders' },
          { key: 'consumer', value: 'acme' },
          { key: 'unit', value: 'month' },
          { key: 'period', value: '2026-10' },
        ],
        limit: { requestsPerUnit: 5000, unit: 6 },
      },
    ]);
  });

  it('names no consumer where all callers share the limit', () => {
    const limits = [limit('1/second/endpoint')];
    const { descriptors } = requestOf({ endpointId: 'orders', consumerId: null, limits });
    assert.deepEqual(descriptors, [
      {
        entries: [
          { key: 'endpoint', value: 'orders' },
          { key: 'unit', value: 'second' },
        ],
        limit: { requestsPerUnit: 1, unit: 1 },
      },
    ]);
  });

  it('names the plan in place of the endpoint for a limit of one, behind those of the consumer', () => {
    const limits = [limit('9/day/consumer'), { requests: 5, unit: 'month', per: 'plan' } as const];
    const { descriptors } = requestOf({ endpointId: 'orders', consumerId: 'acme', limits, planId: 'gold' });
    const consumer = { key: 'consumer', value: 'acme' };
    assert.deepEqual(descriptors, [
      {
        entries: [{ key: 'endpoint', value: 'orders' }, consumer, { key: 'unit', value: 'day' }],
        limit: { requestsPerUnit: 9, unit: 4 },
      },
      {
        entries: [
          { key: 'plan', value: 'gold' },
          consumer,
          { key: 'unit', value: 'month' },
          { key: 'period', value: '2026-10' },
        ],
        limit: { requestsPerUnit: 5, unit: 6 },
      },
    ]);
  });

  it('never holds a unit or an entry that the service cannot take', () => {
    const id = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}$/);
    const limits = fc.uniqueArray(
      fc.record({
        requests: fc.integer({ min: 1, max: MAX_LIMIT_REQUESTS }),
        unit: fc.constantFrom(...limitUnits),
        per: fc.constant('consumer' as const),
      }),
      { minLength: 1, selector: ({ unit }) => unit },
    );
    fc.assert(
      fc.property(id, fc.option(id), limits, (endpointId, consumerId, asked) => {
        const { descriptors } = requestOf({ endpointId, consumerId, limits: asked });
        assert.equal(descriptors.length, asked.length);
        for (const { entries, limit: override } of descriptors) {
          assert.ok(override !== undefined && SERVICE_UNITS.has(override.unit));
          assert.ok(entries.length >= 2 && entries.every(({ key, value }) => key !== '' && value !== ''));
          assert.equal(entries[0]?.key, 'endpoint');
        }
      }),
    );
  });
});

const OK = 1;
const OVER = 2;
const MINUTE = 2;

/** A status of the limit 5/minute, unless told otherwise. */
function status(parts: Partial<RateLimitResponse['statuses'][number]> = {}): RateLimitResponse['statuses'][number] {
  return {
    code: OK,
    currentLimit: { requestsPerUnit: 5, unit: MINUTE, name: '' },
    limitRemaining: 3,
    durationUntilReset: { seconds: 17, nanos: 0 },
    ...parts,
  };
}

const perMinute = [limit('5/minute/consumer')];

describe("the rate limit service's answer", () => {
  it('tells where the limit stands', () => {
    assert.deepEqual(readingsOf({ overallCode: OK, statuses: [status()] }, perMinute), [
      { limit: perMinute[0], remaining: 3, resetSeconds: 17, windowSeconds: 60, isExceeded: false },
    ]);
    const over = status({ code: OVER, limitRemaining: 0 });
    assert.deepEqual(readingsOf({ overallCode: OVER, statuses: [over] }, perMinute), [
      { limit: perMinute[0], remaining: 0, resetSeconds: 17, windowSeconds: 60, isExceeded: true },
    ]);
  });

  it('never says that the window ends at once, or after more than its length', () => {
    const resetOf = (durationUntilReset: { seconds: number; nanos: number } | undefined) =>
      readingsOf({ overallCode: OK, statuses: [status({ durationUntilReset })] }, perMinute)[0]?.resetSeconds;
    assert.equal(resetOf(undefined), 1);
    assert.equal(resetOf({ seconds: 0, nanos: 0 }), 1);
    assert.equal(resetOf({ seconds: 0, nanos: 1 }), 1);
    assert.equal(resetOf({ seconds: 16, nanos: 500 }), 17);
    assert.equal(resetOf({ seconds: 60, nanos: 0 }), 60);
    assert.equal(resetOf({ seconds: 99, nanos: 0 }), 60);
  });

  it('of a month ends with the month, whenever the window of the service ends', () => {
    const currentLimit = { requestsPerUnit: 5, unit: RateLimitResponse_RateLimit_Unit.YEAR, name: '' };
    const answer: RateLimitResponse = { overallCode: OK, statuses: [status({ currentLimit })] };
    assert.deepEqual(readingsOf(answer, [limit('5/month/consumer')])[0], {
      limit: limit('5/month/consumer'),
      remaining: 3,
      resetSeconds: Date.UTC(2026, 10) / 1000 - NOON,
      windowSeconds: 31 * 86_400,
      isExceeded: false,
    });
  });

  it('goes by the overall code where a limit is only watched', () => {
    const [reading] = readingsOf({ overallCode: OK, statuses: [status({ code: OVER })] }, perMinute);
    assert.deepEqual([reading?.isExceeded, reading?.remaining], [false, 0]);
  });

  const unusable: Readonly<Record<string, readonly [answer: RateLimitResponse, message: RegExp]>> = {
    'without the limit that was sent': [
      { overallCode: OK, statuses: [status({ currentLimit: undefined })] },
      /did not apply the limit that was sent; its configuration lacks the domain/,
    ],
    'with another number of requests': [
      { overallCode: OK, statuses: [status({ currentLimit: { requestsPerUnit: 6, unit: MINUTE, name: '' } })] },
      /applied another limit/,
    ],
    'with another unit': [
      { overallCode: OK, statuses: [status({ currentLimit: { requestsPerUnit: 5, unit: 3, name: '' } })] },
      /applied another limit/,
    ],
    'without a status': [{ overallCode: OK, statuses: [] }, /does not tell of every limit/],
    'with a status too many': [{ overallCode: OK, statuses: [status(), status()] }, /does not tell of every limit/],
    'without an overall code': [{ overallCode: 0, statuses: [status()] }, /neither yes nor no/],
    'without the code of a status': [{ overallCode: OK, statuses: [status({ code: 0 })] }, /neither yes nor no/],
    'that refuses for no limit': [{ overallCode: OVER, statuses: [status()] }, /not for which limit/],
  };
  for (const [name, [answer, message]] of Object.entries(unusable)) {
    it(`is a failure ${name}`, () => {
      assert.throws(() => readingsOf(answer, perMinute), { name: 'ServiceFailure', reason: 'wrong-answer', message });
    });
  }

  it('is a failure when it is cut off, or is no message', () => {
    const whole = RateLimitResponse.encode({ overallCode: OK, statuses: [status()] }).finish();
    for (const bytes of [whole.subarray(0, -1), Buffer.from([0xff]), Buffer.from([0x12, 0x7f])]) {
      assert.throws(() => readAnswer(bytes, perMinute, NOON), {
        name: 'ServiceFailure',
        reason: 'error',
        message: 'the rate limit service sent a message that cannot be read',
      });
    }
  });

  const limits = fc.constantFrom(perMinute, [...perMinute, limit('7/hour/consumer')]);

  it('is read or refused, whatever the bytes', () => {
    const whole = RateLimitResponse.encode({
      overallCode: OVER,
      statuses: [status({ code: OVER }), status()],
    }).finish();
    const changed = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 }).map((changes) => {
      const bytes = Buffer.from(whole);
      for (const [at, octet] of changes) bytes[at] = octet;
      return bytes;
    });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }), changed), limits, (bytes, asked) => {
        try {
          const readings = readAnswer(bytes, asked, NOON);
          assert.deepEqual(
            readings.map((reading) => reading.limit),
            asked,
          );
        } catch (error) {
          assert.ok(error instanceof ServiceFailure, String(error));
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('lets nothing pass that does not carry every limit that was sent, with a word about each', () => {
    const code = fc.constantFrom<RateLimitResponse_Code>(0, OK, OVER);
    const anyStatus = fc.record({
      code,
      currentLimit: fc.option(
        fc.record({
          requestsPerUnit: fc.constantFrom(5, 6),
          unit: fc.constantFrom<RateLimitUnit>(0, 1, MINUTE, 3, 4),
          name: fc.constant(''),
        }),
        { nil: undefined },
      ),
      limitRemaining: fc.nat(0xffffffff),
      durationUntilReset: fc.option(fc.record({ seconds: fc.nat(), nanos: fc.nat(999_999_999) }), { nil: undefined }),
    });
    const anyAnswer = fc.record({
      overallCode: code,
      statuses: fc.array(anyStatus, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(anyAnswer, (answer) => {
        const [only] = answer.statuses;
        const isProper =
          (answer.overallCode === OK || (answer.overallCode === OVER && only?.code === OVER)) &&
          answer.statuses.length === 1 &&
          (only?.code === OK || only?.code === OVER) &&
          only.currentLimit?.requestsPerUnit === 5 &&
          only.currentLimit.unit === MINUTE;
        if (!isProper) assert.throws(() => readingsOf(answer, perMinute), { name: 'ServiceFailure' });
        else assert.equal(readingsOf(answer, perMinute)[0]?.isExceeded, answer.overallCode === OVER);
      }),
      { numRuns: 3000 },
    );
  });
});
