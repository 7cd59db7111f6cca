import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { registerUsageMetrics } from '../../../src/observe/usage-metrics.ts';

describe('the metrics of the record of uses', () => {
  it('tell what waits to be written and what was lost, as it is when they are collected', async () => {
    const registry = new Registry();
    const status = { pending: 0, dropped: 0 };
    registerUsageMetrics(registry, status);
    Object.assign(status, { pending: 7, dropped: 3 });
    for (let at = 0; at < 2; at += 1) {
      const text = await registry.metrics();
      assert.match(text, /^postern_store_usage_pending 7$/m);
      assert.match(text, /^postern_store_usage_dropped_total 3$/m);
    }
  });
});
