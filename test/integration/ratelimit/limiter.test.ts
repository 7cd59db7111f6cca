import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../src/base/clock.ts';
import type { Limiter, LimitQuestion } from '../../../src/check/limit/limiter.ts';
import type { FailureReason } from '../../../src/stores/rate-limit-service/service-failure.ts';
import { keyEndpoint, limit } from '../../support/pipeline/resources.ts';
import { testGateway } from '../../support/pipeline/gateway.ts';
import { headerOf } from '../../support/pipeline/answer.ts';
import { callers, asAcme, asOther, codesOf } from './callers.ts';
import { useRateLimitService } from '../../support/ratelimit/use-rate-limit-service.ts';

describe('limits over the rate limit service', () => {
  const running = useRateLimitService();

  function newId(): string {
    return `e-${randomUUID()}`;
  }

  async function countPassed(limiters: readonly Limiter[], question: LimitQuestion, count: number): Promise<number> {
    const answers = await Promise.all(
      Array.from({ length: count }, async (_, index) => await limiters[index % limiters.length]?.take(question)),
    );
    return answers.filter((readings) => readings?.every(({ isExceeded }) => !isExceeded)).length;
  }

  it('let exactly as many of 200 parallel requests at two replicas pass as they say', async () => {
    const replicas = [running.limiter(), running.limiter()];
    const limits = [limit('37/day/consumer')];
    const question = { endpointId: newId(), consumerId: 'acme', limits };
    assert.equal(await countPassed(replicas, question, 200), 37);
    assert.equal(await countPassed(replicas, question, 20), 0);
  });

  it('let refused requests of one consumer use up nothing of what all share, 200 in parallel at two replicas', async () => {
    const id = newId();
    const endpoints = [keyEndpoint({ id, limits: [limit('10/day/consumer'), limit('15/day/endpoint')] })];
    const replicas = [running.limiter(), running.limiter()].map((limiter) =>
      testGateway({ ...callers, endpoints, limiter }),
    );
    const codes = await codesOf(replicas, asAcme, 200);
    assert.deepEqual(codes, { ALLOWED: 10, RATE_LIMITED: 190 });
    // Of fifteen for all, ten are used.
    assert.deepEqual(await codesOf(replicas, asOther, 10), { ALLOWED: 5, RATE_LIMITED: 5 });
  });

  it('are not used up by 401 and 403', async () => {
    const endpoints = [
      keyEndpoint({
        id: newId(),
        limits: [limit('1/day/endpoint')],
        accessCondition: 'authenticated-and-authorized',
      }),
    ];
    const gateway = testGateway({ ...callers, endpoints, limiter: running.limiter() });
    assert.deepEqual(await codesOf([gateway], asOther, 20), { NOT_AUTHORIZED: 20 });
    assert.deepEqual(await codesOf([gateway], {}, 20), { CREDENTIALS_MISSING: 20 });
    assert.equal((await running.limiter().take({ ...only(endpoints), consumerId: null }))[0]?.isExceeded, false);
  });

  function only([endpoint]: readonly { id: string; limits: LimitQuestion['limits'] }[]) {
    assert.ok(endpoint);
    return { endpointId: endpoint.id, limits: endpoint.limits };
  }

  it('that are raised let a consumer who is over them through at once', async () => {
    const limiter = running.limiter();
    const question = { endpointId: newId(), consumerId: 'acme', limits: [limit('2/day/consumer')] };
    assert.equal(await countPassed([limiter], question, 3), 2);
    const [raised] = await limiter.take({ ...question, limits: [limit('50/day/consumer')] });
    assert.deepEqual([raised?.isExceeded, raised?.limit.requests], [false, 50]);
  });

  it('of several units are each counted once for a request', async () => {
    const limiter = running.limiter();
    const limits = [limit('9/minute/consumer'), limit('8/hour/consumer'), limit('7/day/consumer')];
    const readings = await limiter.take({ endpointId: newId(), consumerId: 'acme', limits });
    assert.deepEqual(
      readings.map(({ remaining }) => remaining),
      [8, 7, 6],
    );
  });

  it('of a month are used up until the month of the calendar ends, which callers are told', async () => {
    const endpoints = [keyEndpoint({ id: newId(), limits: [limit('3/month/consumer')] })];
    const gateway = testGateway({ ...callers, endpoints, limiter: running.limiter() });
    const now = new Date();
    const ends = [now.getUTCMonth() + 1, now.getUTCMonth() + 2].map((month) => Date.UTC(now.getUTCFullYear(), month));
    const answer = await gateway.send(asAcme);
    assert.equal(answer.kind, 'allowed');
    const [, left, seconds] =
      /^"default";r=(\d+);t=(\d+)$/.exec(headerOf(answer.responseHeaders, 'ratelimit') ?? '') ?? [];
    assert.equal(left, '2');
    const endsMs = Date.now() + Number(seconds) * 1000;
    // A month may end during the test; the service's own one, of 30 days, would end at another time.
    assert.ok(
      ends.some((end) => Math.abs(endsMs - end) < 5000),
      `${String(seconds)} seconds left`,
    );
    assert.deepEqual(await codesOf([gateway], asAcme, 9), { ALLOWED: 2, RATE_LIMITED: 7 });
  });

  it('are not asked for any more when the time of the request is over', async () => {
    const limiter = running.limiter();
    const question = { endpointId: newId(), consumerId: 'acme', limits: [limit('1/day/consumer')] };
    await assert.rejects(limiter.take(question, systemClock.nowMs()), { name: 'ServiceFailure', reason: 'deadline' });
    assert.equal((await limiter.take(question))[0]?.isExceeded, false, 'the first one was counted');
  });

  it('are a failure where the configuration of the service lacks the domain', async () => {
    const asked: string[] = [];
    let reason: FailureReason | undefined;
    const limiter = running.limiter({
      domain: 'elsewhere',
      observer: { asked: (outcome) => asked.push(outcome), down: (failure) => (reason = failure?.reason) },
    });
    const question = { endpointId: newId(), consumerId: 'acme', limits: [limit('1/day/consumer')] };
    for (let count = 0; count < 5; count += 1) {
      await assert.rejects(limiter.take(question), {
        name: 'ServiceFailure',
        reason: 'wrong-answer',
        message: 'the rate limit service did not apply the limit that was sent; its configuration lacks the domain',
      });
    }
    await assert.rejects(limiter.take(question), { reason: 'given-up' });
    assert.equal(reason, 'wrong-answer');
    assert.deepEqual(asked, [...Array.from({ length: 5 }, () => 'wrong-answer'), 'given-up']);
  });
});
