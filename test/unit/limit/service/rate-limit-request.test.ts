import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createRateLimitRequest } from '../../../../src/limit/service/rate-limit-request.ts';
import { limitUnits, MAX_LIMIT_REQUESTS } from '../../../../src/model/limit.ts';
import { limit } from '../../../support/pipeline/resources.ts';

describe('a request to the rate limit service', () => {
  it('names endpoint, consumer and unit, in this order, with the limit as override', () => {
    const limits = [limit('100/minute/consumer'), limit('9/day/consumer')];
    const entries = [
      { key: 'endpoint', value: 'orders' },
      { key: 'consumer', value: 'acme' },
    ];
    assert.deepEqual(createRateLimitRequest('postern', { endpointId: 'orders', consumerId: 'acme', limits }), {
      domain: 'postern',
      descriptors: [
        { entries: [...entries, { key: 'unit', value: 'minute' }], limit: { requestsPerUnit: 100, unit: 2 } },
        { entries: [...entries, { key: 'unit', value: 'day' }], limit: { requestsPerUnit: 9, unit: 4 } },
      ],
      hitsAddend: 1,
    });
  });

  it('names no consumer where all callers share the limit', () => {
    const limits = [limit('1/second/endpoint')];
    const { descriptors } = createRateLimitRequest('postern', { endpointId: 'orders', consumerId: null, limits });
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
        const { descriptors } = createRateLimitRequest('postern', { endpointId, consumerId, limits: asked });
        assert.equal(descriptors.length, asked.length);
        for (const { entries, limit: override } of descriptors) {
          assert.ok(override !== undefined && override.unit >= 1 && override.unit <= 4);
          assert.ok(entries.length >= 2 && entries.every(({ key, value }) => key !== '' && value !== ''));
          assert.equal(entries[0]?.key, 'endpoint');
        }
      }),
    );
  });
});
