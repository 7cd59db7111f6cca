import { diag, DiagLogLevel } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { printable } from '../../../base/text/printable.ts';
import { startSystemTimer } from '../../../base/clock.ts';
import { LineBudget } from '../line-budget.ts';
import { readBatchSettings } from './batch-settings.ts';
import { BoundedSpans } from './bounded-spans.ts';
import { hideSecrets } from './hide-secrets.ts';
import type { Tracing, TracingPorts } from './tracing.ts';
import { createCheckTracer } from './span-tracer.ts';

/** How long stopping waits for a collector, in milliseconds. */
const FLUSH_MS = 2000;

/**
 * Makes spans with OpenTelemetry's SDK and sends them with its OTLP exporter. Both read the standard variables from the
 * environment of the process: sampler, resource, address, headers, timeouts, batches, certificates. Spans are sent in
 * batches beside the checks; what a collector does not take in time is dropped and counted.
 * Throws when the exporter cannot be made from its variables.
 */
export async function startOtlpTracing(ports: TracingPorts): Promise<Tracing> {
  const { environment, version, logger, metrics, clock } = ports;
  const budget = new LineBudget({ clock, startTimer: startSystemTimer, onLeftOut: () => undefined });
  const show = (message: string): string => printable(hideSecrets(message, environment));
  const warn = (message: string): void => {
    if (budget.take('tracing')) logger.warn('OpenTelemetry has something to say', { detail: show(message) });
  };
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  setGlobalErrorHandler(ignore); // failed exports, which BoundedSpans reports
  const batches = readBatchSettings(environment, warn);
  const spans = new BoundedSpans({
    maxPending: batches.maxQueueSize,
    createProcessor: (exporter) => new BatchSpanProcessor(exporter, batches),
    exporter: await createExporter(environment, warn),
    registry: metrics.registry,
    observer: {
      failed: (reason) => {
        logger.warn('traces cannot be delivered; they are dropped until they can', { reason: show(reason) });
      },
      delivered: () => {
        logger.info('traces are delivered');
      },
    },
  });
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'postern', 'service.version': version }))
    .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [spans] });
  return {
    startTrace: createCheckTracer({
      tracer: provider.getTracer('postern', version),
      clock,
      onDefect: (error) => {
        if (budget.take('defect')) logger.error('a check could not be traced, by a defect of this program', {}, error);
      },
    }),
    [Symbol.asyncDispose]: async () => {
      budget[Symbol.dispose]();
      await Promise.race([provider.shutdown().catch(ignore), later(FLUSH_MS)]);
      diag.disable();
    },
  };
}

/** The exporter of the protocol that the variables name; each is loaded only then. */
async function createExporter(
  environment: TracingPorts['environment'],
  warn: (message: string) => void,
): Promise<SpanExporter> {
  const given = environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || environment['OTEL_EXPORTER_OTLP_PROTOCOL'] || '';
  switch (given) {
    case 'grpc':
      return new (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter();
    case 'http/json':
      return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter();
    default:
      if (given !== '' && given !== 'http/protobuf')
        warn(`no OTLP protocol is called "${given}"; http/protobuf is used`);
      return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter();
  }
}

async function later(delayMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    startSystemTimer(delayMs, resolve);
  });
}

function ignore(): void {
  // Nothing to be done or logged.
}
