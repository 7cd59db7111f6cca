import type { Context } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, Span, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Counter, Registry } from 'prom-client';
import { announcedCounter } from '../metric-table.ts';

/** Notified of deliveries: once when they fail, once when they work, also for the first time. */
export interface DeliveryObserver {
  failed(reason: string): void;
  delivered(): void;
}

/** What keeping spans within bounds takes. */
export interface BoundedSpansPorts {
  readonly exporter: SpanExporter;
  /**
   * The most spans that wait or are being sent, about 1 KiB each; more are dropped. At most what the processor keeps.
   */
  readonly maxPending: number;
  /** Makes what collects spans and hands them to an exporter. */
  readonly createProcessor: (exporter: SpanExporter) => SpanProcessor;
  readonly registry: Registry;
  readonly observer: DeliveryObserver;
}

/**
 * Stands on both sides of a span processor: in front of it so that a collector that is down or slow costs bounded
 * memory, behind it so that deliveries are counted (`postern_trace_spans_total`) and their failures reported once.
 */
export class BoundedSpans implements SpanProcessor {
  readonly #processor: SpanProcessor;
  readonly #spans: Counter<'outcome'>;
  readonly #observer: DeliveryObserver;
  readonly #maxPending: number;
  #pending = 0;
  #isDelivering: boolean | null = null;

  constructor({ exporter, maxPending, createProcessor, registry, observer }: BoundedSpansPorts) {
    this.#maxPending = maxPending;
    this.#observer = observer;
    this.#spans = announcedCounter(registry, {
      name: 'postern_trace_spans_total',
      help: 'Spans of traces by outcome: exported, failed (the collector did not take them) or dropped (too many waited).',
      labels: { outcome: ['exported', 'failed', 'dropped'] },
    });
    this.#processor = createProcessor({
      export: (spans, done) => {
        exporter.export(spans, (result) => {
          this.#delivered(spans.length, result);
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
      forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    });
  }

  onStart(span: Span, parentContext: Context): void {
    this.#processor.onStart(span, parentContext);
  }

  onEnd(span: ReadableSpan): void {
    if (this.#pending >= this.#maxPending) {
      this.#spans.inc({ outcome: 'dropped' });
      return;
    }
    this.#pending += 1;
    this.#processor.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.#processor.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#processor.shutdown();
  }

  #delivered(count: number, { code, error }: ExportResult): void {
    const isDelivered = code === ExportResultCode.SUCCESS;
    this.#pending -= count;
    this.#spans.inc({ outcome: isDelivered ? 'exported' : 'failed' }, count);
    if (isDelivered === this.#isDelivering) return;
    this.#isDelivering = isDelivered;
    if (isDelivered) this.#observer.delivered();
    else this.#observer.failed(error?.message ?? 'unknown');
  }
}
