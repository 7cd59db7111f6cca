import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { PlanWarnings } from '../../../../src/gateway/observe/plan-metrics.ts';
import type { LimitUnit } from '../../../../src/model/limit.ts';
import { fixedClock, NOON } from '../../../support/time/fixed-clock.ts';

function reading(unit: LimitUnit, resetSeconds: number) {
  const limit = { requests: 10, unit, per: 'plan' } as const;
  return { limit, remaining: 1, resetSeconds, windowSeconds: 3600, isExceeded: false };
}

describe('plans that are nearly used up', () => {
  it('are counted by consumers, until their windows end', async () => {
    const clock = fixedClock(NOON);
    const registry = new Registry();
    const warnings = new PlanWarnings(clock, registry);
    const counted = async () => {
      const { values } = (await registry.getSingleMetric('postern_plan_consumers_near_limit')?.get()) ?? { values: [] };
      return values.map(({ labels, value }) => [labels['plan'], value]);
    };
    assert.deepEqual(await counted(), []);
    warnings.note('gold', 'acme', reading('hour', 60));
    warnings.note('gold', 'acme', reading('month', 600));
    warnings.note('gold', 'other', reading('day', 60));
    warnings.note('gold', 'third', reading('second', 1));
    warnings.note('silver', 'acme', reading('minute', 30));
    assert.deepEqual(await counted(), [['gold', 2]]);
    clock.advance(60);
    assert.deepEqual(await counted(), [['gold', 1]]);
    clock.advance(600);
    assert.deepEqual(await counted(), [['gold', 0]]);
  });
});
