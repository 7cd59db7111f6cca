import assert from 'node:assert/strict';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { BasicTracerProvider, BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { Registry } from 'prom-client';
import { BoundedSpans } from '../../../../../src/gateway/observe/traces/bounded-spans.ts';

const MAX_PENDING = 20;

/** Spans into an exporter that answers when a test says so. */
function start() {
  const told: string[] = [];
  const batches: { spans: ReadableSpan[]; done: (result: ExportResult) => void }[] = [];
  const registry = new Registry();
  const spans = new BoundedSpans({
    maxPending: MAX_PENDING,
    exporter: {
      export: (each, done) => batches.push({ spans: each, done }),
      shutdown: () => Promise.resolve(),
    },
    createProcessor: (exporter) =>
      new BatchSpanProcessor(exporter, {
        maxQueueSize: MAX_PENDING,
        maxExportBatchSize: 10,
        scheduledDelayMillis: 1e6,
      }),
    registry,
    observer: { failed: (reason) => told.push(`failed: ${reason}`), delivered: () => told.push('delivered') },
  });
  const tracer = new BasicTracerProvider({ spanProcessors: [spans] }).getTracer('test');
  return {
    ...{ told, batches, spans },
    make: (count: number) => {
      for (let at = 0; at < count; at += 1) tracer.startSpan('span').end();
    },
    counts: async () =>
      (await registry.metrics())
        .split('\n')
        .flatMap((line) => /outcome="(.*)"\} (.*)/.exec(line)?.slice(1).join(' ') ?? []),
  };
}

describe('spans that wait for a collector', () => {
  it('are dropped and counted when there are too many', async () => {
    const { make, batches, counts } = start();
    make(10_000);
    assert.equal(batches.length, 1);
    assert.deepEqual(await counts(), ['exported 0', 'failed 0', `dropped ${String(10_000 - MAX_PENDING)}`]);
    batches[0]?.done({ code: ExportResultCode.SUCCESS });
    assert.deepEqual(await counts(), ['exported 10', 'failed 0', `dropped ${String(10_000 - MAX_PENDING)}`]);
  });

  it('have room again when some were delivered, or could not be', async () => {
    const { make, batches, counts } = start();
    make(10);
    batches[0]?.done({ code: ExportResultCode.FAILED, error: new Error('refused') });
    make(MAX_PENDING);
    assert.deepEqual(await counts(), ['exported 0', 'failed 10', 'dropped 0']);
  });

  it('are reported once when they cannot be delivered, and once when they can', async () => {
    const { make, batches, told } = start();
    for (const isGood of [true, true, false, false, false, true]) {
      make(10);
      await new Promise((resolve) => setImmediate(resolve));
      const result = isGood
        ? { code: ExportResultCode.SUCCESS }
        : { code: ExportResultCode.FAILED, error: new Error('connect ECONNREFUSED') };
      batches.splice(0).forEach(({ done }) => {
        done(result);
      });
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(told, ['delivered', 'failed: connect ECONNREFUSED', 'delivered']);
  });

  it('are handed over when the gateway stops', async () => {
    const { make, batches, spans } = start();
    make(3);
    const stopped = spans.shutdown();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(batches[0]?.spans.length, 3);
    batches[0].done({ code: ExportResultCode.SUCCESS });
    await stopped;
  });
});
