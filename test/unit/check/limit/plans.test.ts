import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InProcessLimiter } from '../../../../src/check/limit/in-process.ts';
import { type Limiter, LimiterUnavailable, type LimitQuestion } from '../../../../src/check/limit/limiter.ts';
import { limitUnits, windowAt } from '../../../../src/model/limit.ts';
import { headerOf } from '../../../support/pipeline/answer.ts';
import { fixedClock, NOON } from '../../../support/time/fixed-clock.ts';
import { type GatewayParts, testGateway } from '../../../support/pipeline/gateway.ts';
import {
  APP_KEY,
  consumer,
  credential,
  keyEndpoint,
  limit,
  openEndpoint,
  plan,
} from '../../../support/pipeline/resources.ts';

const asAcme = [['x-app-key', APP_KEY]] as const;
const toOrders = { path: '/orders', headers: asAcme } as const;
const toStock = { path: '/stock', headers: asAcme } as const;
const orders = keyEndpoint();
const stock = keyEndpoint({ id: 'stock', paths: [{ prefix: '/stock' }] });

function gatewayWith(parts: GatewayParts = {}) {
  return testGateway({
    endpoints: [orders, stock],
    consumers: [consumer({ labels: { tier: 'gold' } }), consumer({ id: 'other', labels: { tier: 'gold' } })],
    credentials: [credential(), credential({ id: 'other-key', consumerId: 'other', appKey: 'other' })],
    plans: [plan()],
    ...parts,
  });
}

/** Of the last refusal. */
function detailOf({ decided }: ReturnType<typeof gatewayWith>): string | null {
  const decision = decided.at(-1)?.decision;
  return decision !== undefined && 'refusal' in decision ? decision.refusal.detail : null;
}

async function codesOf(gateway: ReturnType<typeof gatewayWith>, requests: readonly object[]): Promise<string[]> {
  const codes = [];
  for (const request of requests) {
    const answer = await gateway.send(request);
    codes.push(answer.kind === 'refused' ? answer.body.code : 'ALLOWED');
  }
  return codes;
}

describe('the limits of a plan', () => {
  it('hold over all of its endpoints together, for each consumer alone', async () => {
    const asOther = { path: '/stock', headers: [['x-app-key', 'other']] };
    assert.deepEqual(await codesOf(gatewayWith(), [toOrders, toStock, toStock, toOrders, asOther]), [
      'ALLOWED',
      'ALLOWED',
      'RATE_LIMITED',
      'RATE_LIMITED',
      'ALLOWED',
    ]);
  });

  it('are told in the headers where they leave least, and in the log by the name of the plan', async () => {
    const clock = fixedClock(NOON);
    const endpoints = [keyEndpoint({ limits: [limit('9/day/consumer'), limit('5/day/endpoint')] }), stock];
    const gateway = gatewayWith({ clock, endpoints });
    const allowed = await gateway.send(toOrders);
    assert.ok(allowed.kind === 'allowed');
    assert.equal(headerOf(allowed.responseHeaders, 'ratelimit-policy'), '"default";q=2;w=86400');
    assert.equal(headerOf(allowed.responseHeaders, 'x-ratelimit-remaining'), '1');
    await gateway.send(toStock);
    const refused = await gateway.send(toOrders);
    assert.ok(refused.kind === 'refused');
    assert.equal(refused.status, 429);
    assert.equal(headerOf(refused.headers, 'retry-after'), String(86_400 / 2));
    assert.equal(headerOf(refused.headers, 'x-ratelimit-limit'), '2');
    assert.equal(detailOf(gateway), 'over 2/day/plan (gold)');
  });

  it('give back in process what a refused question counted', async () => {
    const endpoints = [keyEndpoint({ limits: [limit('1/day/consumer')] }), stock];
    assert.deepEqual(await codesOf(gatewayWith({ endpoints }), [toOrders, toOrders, toOrders, toStock, toStock]), [
      'ALLOWED',
      'RATE_LIMITED',
      'RATE_LIMITED',
      'ALLOWED',
      'RATE_LIMITED',
    ]);
  });

  it('are not used up by requests that are not authenticated or not authorised', async () => {
    const closed = keyEndpoint({ id: 'closed', paths: [{ prefix: '/closed' }] });
    const endpoints = [orders, { ...closed, accessCondition: 'authenticated-and-authorized' as const }];
    const requests = [{ path: '/orders' }, { path: '/closed', headers: asAcme }, toOrders, toOrders, toOrders];
    assert.deepEqual(await codesOf(gatewayWith({ endpoints }), requests), [
      'CREDENTIALS_MISSING',
      'NOT_AUTHORIZED',
      'ALLOWED',
      'ALLOWED',
      'RATE_LIMITED',
    ]);
  });

  it('do not hold on open endpoints, nor for consumers without the labels', async () => {
    const gateway = gatewayWith({ endpoints: [openEndpoint()], plans: [plan({ consumerSelector: {} })] });
    assert.deepEqual(await codesOf(gateway, [{}, {}, {}]), ['ALLOWED', 'ALLOWED', 'ALLOWED']);
    const plain = gatewayWith({ consumers: [consumer()], credentials: [credential()] });
    assert.deepEqual(await codesOf(plain, [toOrders, toStock, toOrders]), ['ALLOWED', 'ALLOWED', 'ALLOWED']);
  });

  it('are counted and let through on endpoints that observe', async () => {
    const observing = keyEndpoint({ options: { mode: 'observe' } });
    const gateway = gatewayWith({ endpoints: [observing, stock] });
    await codesOf(gateway, [toOrders, toOrders]);
    const answer = await gateway.send(toOrders);
    assert.ok(answer.kind === 'allowed');
    assert.equal(answer.metadata['code'], 'RATE_LIMITED');
    assert.deepEqual(await codesOf(gateway, [toStock]), ['RATE_LIMITED']);
  });

  it('fail as the endpoint says', async () => {
    const limiter: Limiter = { take: () => Promise.reject(new LimiterUnavailable('away')) };
    const endpoints = [keyEndpoint({ options: { onLimiterFailure: 'deny' } }), stock];
    assert.deepEqual(await codesOf(gatewayWith({ limiter, endpoints }), [toOrders, toStock]), [
      'LIMITER_UNAVAILABLE',
      'ALLOWED',
    ]);
  });

  it('are asked for in one question with those of the consumer, before those that all callers share', async () => {
    const questions: LimitQuestion[] = [];
    const limiter: Limiter = {
      take: (question) => {
        questions.push(question);
        return question.limits.map((each) => ({
          limit: each,
          remaining: 1,
          resetSeconds: 1,
          windowSeconds: 60,
          isExceeded: false,
        }));
      },
    };
    const limits = [limit('9/day/endpoint'), limit('3/hour/consumer')];
    await gatewayWith({ limiter, endpoints: [keyEndpoint({ limits })] }).send(toOrders);
    assert.deepEqual(questions, [
      {
        endpointId: 'orders',
        consumerId: 'acme',
        limits: [limits[1], { requests: 2, unit: 'day', per: 'plan' }],
        planId: 'gold',
      },
      { endpointId: 'orders', consumerId: null, limits: [limits[0]] },
    ]);
  });

  it('do not meet the counters of an endpoint with the same id', () => {
    const limiter = new InProcessLimiter(fixedClock());
    const question = { endpointId: 'orders', consumerId: 'acme', planId: 'orders' };
    const ofPlan = { requests: 1, unit: 'day', per: 'plan' } as const;
    const exceeded = [[limit('1/day/consumer')], [ofPlan], [ofPlan]].map((limits) =>
      limiter.take({ ...question, limits }).map(({ isExceeded }) => isExceeded),
    );
    assert.deepEqual(exceeded, [[false], [false], [true]]);
  });

  it('are never exceeded over the endpoints in a window, and reached exactly', () => {
    const request = fc.record({ path: fc.constantFrom(0, 1, 2), advance: fc.constantFrom(0, 0, 0, 1, 30) });
    const requests = fc.array(request, { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(fc.constantFrom(...limitUnits), fc.integer({ min: 1, max: 9 }), requests, (unit, most, steps) => {
        const clock = fixedClock(NOON);
        const limiter = new InProcessLimiter(clock);
        const passed = new Map<number, number>();
        for (const { path, advance } of steps) {
          clock.advance(advance);
          const window = windowAt(unit, clock.nowSeconds()).startSeconds;
          const endpointId = `endpoint-${String(path)}`;
          const limits = [{ requests: most, unit, per: 'plan' } as const];
          const [reading] = limiter.take({ endpointId, consumerId: 'acme', planId: 'gold', limits });
          const before = passed.get(window) ?? 0;
          assert.ok(reading);
          assert.equal(reading.isExceeded, before >= most);
          assert.equal(reading.remaining, Math.max(0, most - before - 1));
          if (!reading.isExceeded) passed.set(window, before + 1);
        }
        for (const count of passed.values()) assert.ok(count <= most);
      }),
    );
  });

  it('are told of from 80 % on', async () => {
    const told: string[] = [];
    const gateway = gatewayWith({
      plans: [plan({ limits: [{ requests: 10, unit: 'month' }] })],
      onPlanNearLimit: (planId, consumerId, { remaining }) => told.push(`${planId} ${consumerId} ${String(remaining)}`),
    });
    for (let sent = 0; sent < 11; sent += 1) await gateway.send(sent % 2 === 0 ? toOrders : toStock);
    assert.deepEqual(told, ['gold acme 2', 'gold acme 1', 'gold acme 0', 'gold acme 0']);
  });
});
