import assert from 'node:assert/strict';
import { type Limiter, LimiterUnavailable, type LimitQuestion } from '../../../../src/check/limit/limiter.ts';
import { type CountedLimit, type Limit, type LimitReading, unitSeconds } from '../../../../src/model/limit.ts';
import { isPromise } from '../../../../src/base/pending.ts';
import { createCheckHandler } from '../../../../src/gateway/serving/check-handler.ts';
import { headerOf, type Headers } from '../../../support/pipeline/answer.ts';
import { checkRequest } from '../../../support/pipeline/check-request.ts';
import { fixedClock, NOON } from '../../../support/time/fixed-clock.ts';
import { type GatewayParts, testGateway } from '../../../support/pipeline/gateway.ts';
import {
  APP_KEY,
  consumer,
  credential,
  grant,
  keyEndpoint,
  limit,
  openEndpoint,
} from '../../../support/pipeline/resources.ts';

const asAcme = { headers: [['x-app-key', APP_KEY]] } as const;
const asOther = { headers: [['x-app-key', 'other']] } as const;
const callers = {
  consumers: [consumer(), consumer({ id: 'other' })],
  credentials: [credential(), credential({ id: 'other-key', consumerId: 'other', appKey: 'other' })],
};

const limitHeaderNames = [
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
];

/** The limit headers of an answer, by name, those that are there. */
function limitHeadersOf(headers: Headers): Record<string, string> {
  const found = limitHeaderNames.map((name) => [name, headerOf(headers, name)] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function gatewayWith(limits: readonly Limit[], parts: GatewayParts = {}) {
  return testGateway({ ...callers, endpoints: [keyEndpoint({ limits })], ...parts });
}

/** A limit that this request used up. */
function readingOf(asked: CountedLimit): LimitReading {
  const windowSeconds = unitSeconds[asked.unit];
  return { limit: asked, remaining: 0, resetSeconds: 1, windowSeconds, isExceeded: false };
}

/** A limiter that answers what it is told to, and keeps what it was asked. */
function scriptedLimiter(answer: (question: LimitQuestion) => readonly Partial<LimitReading>[]) {
  const questions: LimitQuestion[] = [];
  const limiter: Limiter = {
    take: (question) => {
      questions.push(question);
      return answer(question).map((reading, index) => {
        const asked = question.limits[index];
        assert.ok(asked);
        return { ...readingOf(asked), ...reading };
      });
    },
  };
  return { limiter, questions };
}

describe('traffic control', () => {
  it('tells callers where they stand, on allowed answers and on refused ones', async () => {
    const clock = fixedClock(NOON + 17);
    const gateway = gatewayWith([limit('2/minute/consumer')], { clock });
    for (const remaining of ['1', '0']) {
      const answer = await gateway.send(asAcme);
      assert.ok(answer.kind === 'allowed');
      assert.deepEqual(limitHeadersOf(answer.responseHeaders), {
        ratelimit: `"default";r=${remaining};t=43`,
        'ratelimit-policy': '"default";q=2;w=60',
        'x-ratelimit-limit': '2',
        'x-ratelimit-remaining': remaining,
        'x-ratelimit-reset': '43',
      });
    }
    clock.advance(2.5);
    const refused = await gateway.send(asAcme);
    assert.ok(refused.kind === 'refused');
    assert.equal(refused.status, 429);
    assert.equal(refused.body.code, 'RATE_LIMITED');
    assert.equal(refused.body.message, 'The limit of requests is reached.');
    assert.deepEqual(limitHeadersOf(refused.headers), {
      'retry-after': '41',
      ratelimit: '"default";r=0;t=41',
      'ratelimit-policy': '"default";q=2;w=60',
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '41',
    });
    assert.equal(headerOf(refused.headers, 'content-type'), 'application/json');
    assert.equal(headerOf(refused.headers, 'cache-control'), 'no-store');
    assert.equal(refused.metadata['consumer'], 'acme');
    clock.advance(41);
    assert.equal((await gateway.send(asAcme)).kind, 'allowed');
  });

  it('tells nothing where there are no limits, and asks nobody', async () => {
    const { limiter, questions } = scriptedLimiter(() => []);
    const gateway = gatewayWith([], { limiter });
    const answer = await gateway.send(asAcme);
    assert.ok(answer.kind === 'allowed');
    assert.deepEqual(answer.responseHeaders, []);
    assert.deepEqual(questions, []);
  });

  it('answers in the same turn when the limiter does', () => {
    const { limiter } = scriptedLimiter(() => [{ remaining: 1 }]);
    const { ports } = gatewayWith([limit('2/minute/consumer'), limit('2/minute/endpoint')], { limiter });
    const observer = { decided: () => undefined, unreadable: () => undefined, defect: () => undefined };
    const handle = createCheckHandler({ ...ports, observer });
    assert.ok(!isPromise(handle(checkRequest(asAcme))));
  });

  it('asks for the limits per consumer first, then for those of all callers', async () => {
    const { limiter, questions } = scriptedLimiter(({ limits }) => limits.map(() => ({ remaining: 1 })));
    const limits = [limit('9/day/endpoint'), limit('2/minute/consumer'), limit('3/hour/consumer')];
    await gatewayWith(limits, { limiter }).send(asAcme);
    assert.deepEqual(questions, [
      { endpointId: 'orders', consumerId: 'acme', limits: [limits[1], limits[2]] },
      { endpointId: 'orders', consumerId: null, limits: [limits[0]] },
    ]);
  });

  it('asks on open endpoints for the limits of all callers only', async () => {
    const { limiter, questions } = scriptedLimiter(() => [{ remaining: 1 }]);
    const endpoints = [openEndpoint({ limits: [limit('9/day/endpoint')] })];
    await testGateway({ limiter, endpoints }).send();
    assert.deepEqual(questions, [{ endpointId: 'orders', consumerId: null, limits: [limit('9/day/endpoint')] }]);
  });

  it('does not let the refused requests of one partner use up the share of others', async () => {
    const gateway = gatewayWith([limit('1/minute/consumer'), limit('3/minute/endpoint')]);
    const kinds = [];
    for (const who of [asAcme, asAcme, asAcme, asAcme, asOther]) kinds.push((await gateway.send(who)).kind);
    assert.deepEqual(kinds, ['allowed', 'refused', 'refused', 'refused', 'allowed']);
  });

  it('keeps the count of a consumer when the limit of all callers refuses', async () => {
    const clock = fixedClock();
    const limits = [limit('2/day/consumer'), limit('1/second/endpoint')];
    const gateway = gatewayWith(limits, { clock });
    const codes = [];
    for (const advance of [0, 0, 1]) {
      clock.advance(advance);
      codes.push((await gateway.send(asAcme)).metadata['code']);
    }
    // The second was refused by the endpoint and still counted for the consumer, so that the third is over its day.
    assert.deepEqual(codes, ['ALLOWED', 'RATE_LIMITED', 'RATE_LIMITED']);
  });

  it('counts neither 401 nor 403', async () => {
    const endpoints = [
      keyEndpoint({
        accessCondition: 'authenticated-and-authorized',
        limits: [limit('1/day/consumer'), limit('1/day/endpoint')],
      }),
    ];
    const gateway = testGateway({ ...callers, endpoints, grants: [grant()] });
    for (const request of [{}, asOther, { headers: [['x-app-key', 'wrong']] as const }]) {
      assert.equal((await gateway.send(request)).kind, 'refused');
    }
    assert.equal((await gateway.send(asAcme)).kind, 'allowed');
  });

  describe('of several limits tells', () => {
    const minute = limit('10/minute/consumer');
    const hour = limit('11/hour/consumer');
    const sharedHour = limit('12/hour/endpoint');
    const sharedDay = limit('13/day/endpoint');

    for (const [name, readings, policy] of [
      [
        'the one with the least remaining',
        {
          '10/60': { remaining: 3 },
          '11/3600': { remaining: 2 },
          '12/3600': { remaining: 4 },
          '13/86400': { remaining: 5 },
        },
        'q=11;w=3600',
      ],
      [
        'of equals the longer window',
        {
          '10/60': { remaining: 2 },
          '11/3600': { remaining: 2 },
          '12/3600': { remaining: 4 },
          '13/86400': { remaining: 2 },
        },
        'q=13;w=86400',
      ],
      [
        'of equal windows the one per consumer',
        {
          '10/60': { remaining: 2 },
          '11/3600': { remaining: 2 },
          '12/3600': { remaining: 2 },
          '13/86400': { remaining: 3 },
        },
        'q=11;w=3600',
      ],
    ] as const) {
      it(name, async () => {
        for (const limits of [
          [minute, hour, sharedHour, sharedDay],
          [sharedDay, sharedHour, hour, minute],
        ]) {
          const { limiter } = scriptedLimiter((question) =>
            question.limits.map(({ requests, unit }) => {
              const key = `${String(requests)}/${String(unitSeconds[unit])}`;
              return (readings as Record<string, Partial<LimitReading>>)[key] ?? {};
            }),
          );
          const answer = await gatewayWith(limits, { limiter }).send(asAcme);
          assert.ok(answer.kind === 'allowed');
          assert.equal(headerOf(answer.responseHeaders, 'ratelimit-policy'), `"default";${policy}`);
        }
      });
    }

    it('the longest wait among those that are exceeded, and no other', async () => {
      const { limiter, questions } = scriptedLimiter(() => [
        { remaining: 0, resetSeconds: 7, isExceeded: true },
        { remaining: 0, resetSeconds: 3000, isExceeded: true },
        { remaining: 4, resetSeconds: 80_000 },
      ]);
      const limits = [minute, hour, limit('14/day/consumer'), sharedDay];
      const answer = await gatewayWith(limits, { limiter }).send(asAcme);
      assert.ok(answer.kind === 'refused');
      assert.equal(headerOf(answer.headers, 'retry-after'), '3000');
      assert.equal(headerOf(answer.headers, 'ratelimit-policy'), '"default";q=11;w=3600');
      assert.equal(questions.length, 1, 'the limits of all callers are not asked');
    });
  });

  describe('when the limiter cannot answer', () => {
    const fault = new LimiterUnavailable('the rate limit service is away');
    const limiters: Readonly<Record<string, Limiter>> = {
      'at once': {
        take: () => {
          throw fault;
        },
      },
      later: { take: () => Promise.reject(fault) },
      'for all callers only': {
        take: ({ consumerId, limits }) => {
          const [first] = limits;
          if (consumerId === null || first === undefined) return Promise.reject(fault);
          return [{ ...readingOf(first), remaining: 1 }];
        },
      },
    };
    const limits = [limit('2/minute/consumer'), limit('2/minute/endpoint')];
    for (const [when, limiter] of Object.entries(limiters)) {
      it(`${when}, lets requests through by default, and tells of it`, async () => {
        const gateway = gatewayWith(limits, { limiter });
        const answer = await gateway.send(asAcme);
        assert.ok(answer.kind === 'allowed');
        assert.deepEqual(answer.responseHeaders, []);
        assert.equal(headerOf(answer.upstream, 'x-consumer-id'), 'acme');
        assert.deepEqual(gateway.limiterFaults, [fault]);
      });

      for (const mode of ['enforce', 'observe'] as const) {
        it(`${when}, refuses with 503 where the endpoint says so, in mode ${mode}, and tells of it`, async () => {
          const endpoints = [keyEndpoint({ limits, options: { onLimiterFailure: 'deny', mode } })];
          const gateway = gatewayWith(limits, { limiter, endpoints });
          const answer = await gateway.send(asAcme);
          assert.ok(answer.kind === 'refused');
          assert.equal(answer.status, 503);
          assert.equal(answer.body.code, 'LIMITER_UNAVAILABLE');
          assert.deepEqual(gateway.limiterFaults, [fault]);
        });
      }
    }

    it('gives all questions of one request the same deadline', async () => {
      const deadlines: (number | undefined)[] = [];
      let started = 0;
      const limiter: Limiter = {
        startDeadline: () => (started += 1000),
        take: async ({ limits }, deadlineAtMs) => {
          deadlines.push(deadlineAtMs);
          return await Promise.resolve(limits.map((each) => ({ ...readingOf(each), remaining: 1 })));
        },
      };
      const gateway = gatewayWith([limit('9/day/endpoint'), limit('9/day/consumer')], { limiter });
      await gateway.send(asAcme);
      await gateway.send(asAcme);
      assert.deepEqual(deadlines, [1000, 1000, 2000, 2000]);
    });

    it('refuses with 429 all the same when the limit per consumer is exceeded', async () => {
      const limiter: Limiter = {
        take: ({ consumerId, limits: asked }) => {
          const [first] = asked;
          if (consumerId === null || first === undefined) return Promise.reject(fault);
          return [{ ...readingOf(first), isExceeded: true }];
        },
      };
      const answer = await gatewayWith(limits, { limiter }).send(asAcme);
      assert.ok(answer.kind === 'refused');
      assert.equal(answer.body.code, 'RATE_LIMITED');
    });
  });
});
