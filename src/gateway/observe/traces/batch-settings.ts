import type { Environment } from '../../../base/environment.ts';

/** How spans are sent in batches: the `OTEL_BSP_*` variables. Times in milliseconds. */
export interface BatchSettings {
  readonly maxQueueSize: number;
  readonly maxExportBatchSize: number;
  readonly scheduledDelayMillis: number;
  readonly exportTimeoutMillis: number;
}

/** The defaults of the standard (OpenTelemetry, "Batch Span Processor"), and what they may be instead. */
const rows: Readonly<Record<keyof BatchSettings, readonly [name: string, byDefault: number, most: number]>> = {
  maxQueueSize: ['OTEL_BSP_MAX_QUEUE_SIZE', 2048, 1_000_000],
  maxExportBatchSize: ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, 1_000_000],
  scheduledDelayMillis: ['OTEL_BSP_SCHEDULE_DELAY', 5000, 3_600_000],
  exportTimeoutMillis: ['OTEL_BSP_EXPORT_TIMEOUT', 30_000, 3_600_000],
};

/**
 * Reads the variables; a value that is not a whole number within its bounds is logged and replaced by the default. The
 * SDK takes any number: a batch of none or less is sent without end, also at the stop, and a time that Node's timers do
 * not take is 1 ms.
 */
export function readBatchSettings(environment: Environment, warn: (message: string) => void): BatchSettings {
  const read = (key: keyof BatchSettings): number => {
    const [name, byDefault, most] = rows[key];
    const text = environment[name]?.trim() ?? '';
    if (text === '') return byDefault;
    if (/^[0-9]{1,16}$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
    warn(`${name} must be a whole number from 1 to ${String(most)}; it is ${String(byDefault)} now`);
    return byDefault;
  };
  const maxQueueSize = read('maxQueueSize');
  return {
    maxQueueSize,
    maxExportBatchSize: Math.min(read('maxExportBatchSize'), maxQueueSize),
    scheduledDelayMillis: read('scheduledDelayMillis'),
    exportTimeoutMillis: read('exportTimeoutMillis'),
  };
}
