import assert from 'node:assert/strict';
import { Histogram, Registry } from 'prom-client';
import { FastHistogram } from '../../../../src/gateway/observe/check-metrics.ts';

const options = { name: 'a_seconds', help: 'What it measures.', buckets: [0.1, 0.5, 1] };

describe('a histogram of the check path', () => {
  it("is scraped as prom-client's own is", async () => {
    const [own, other] = [new Registry(), new Registry()];
    const fast = new FastHistogram({ ...options, registry: own });
    const known = new Histogram({ ...options, registers: [other] });
    for (const seconds of [0.05, 0.1, 0.7, 1, 5]) {
      fast.add(seconds);
      known.observe(seconds);
    }
    assert.match(await own.metrics(), /^a_seconds_bucket\{le="1"\} 4$/m);
    assert.equal(await own.metrics(), await other.metrics());
  });
});
