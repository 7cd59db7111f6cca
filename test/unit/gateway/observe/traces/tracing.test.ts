import assert from 'node:assert/strict';
import { systemClock } from '../../../../../src/base/clock.ts';
import { isTracingWanted, openTracing } from '../../../../../src/gateway/observe/traces/tracing.ts';

const endpoint = 'http://127.0.0.1:4318';

describe('tracing', () => {
  const cases: readonly (readonly [wanted: boolean, environment: Record<string, string>])[] = [
    [false, {}],
    [false, { OTEL_SERVICE_NAME: 'postern', OTEL_TRACES_SAMPLER: 'always_on' }],
    [false, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    [true, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }],
    [true, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/v1/traces` }],
    [false, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' }],
    [false, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'TRUE' }],
    [true, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'false' }],
    [false, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'none' }],
    [false, { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint }],
  ];
  for (const [wanted, environment] of cases) {
    it(`is ${wanted ? 'wanted' : 'not wanted'} with ${JSON.stringify(environment)}`, () => {
      assert.equal(isTracingWanted(environment), wanted);
    });
  }

  it('is null when it is not wanted', async () => {
    const told: unknown[] = [];
    const tell = (...line: unknown[]): void => {
      told.push(line);
    };
    const logger = { isDebug: false, debug: tell, info: tell, warn: tell, error: tell };
    const opened = await openTracing({
      ...{ environment: {}, version: '1', logger, clock: systemClock },
      get metrics(): never {
        throw new Error('nothing is registered');
      },
    });
    assert.equal(opened, null);
    assert.deepEqual(told, []);
  });
});
