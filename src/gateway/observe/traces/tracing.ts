import type { Clock } from '../../../base/clock.ts';
import type { Environment } from '../../../base/environment.ts';
import type { StartCheckTrace } from '../../serving/check-handler.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import { hideSecrets } from './hide-secrets.ts';

/** Traces of checks, sent to a collector. Disposing of it sends what waits, for two seconds at most. */
export interface Tracing extends AsyncDisposable {
  readonly startTrace: StartCheckTrace;
}

/** What starting OpenTelemetry takes. */
export interface TracingPorts {
  /** Where the standard `OTEL_*` variables are looked for. */
  readonly environment: Environment;
  readonly version: string;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'registry'>;
  readonly clock: Clock;
}

/**
 * Whether traces are wanted: there is an address to send them to (OpenTelemetry, "OTLP Exporter Configuration"), and
 * they are not switched off by `OTEL_SDK_DISABLED=true` or `OTEL_TRACES_EXPORTER=none`.
 */
export function isTracingWanted(environment: Environment): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = environment;
  if ((all ?? '') === '' && (traces ?? '') === '') return false;
  return environment['OTEL_SDK_DISABLED']?.toLowerCase() !== 'true' && environment['OTEL_TRACES_EXPORTER'] !== 'none';
}

/**
 * Starts tracing; null when it is not asked for, and then nothing of OpenTelemetry is loaded. Nor does it keep the
 * gateway from serving: what is wrong with its variables is logged, and there are no traces.
 */
export async function openTracing(ports: TracingPorts): Promise<Tracing | null> {
  if (!isTracingWanted(ports.environment)) return null;
  try {
    const { startOtlpTracing } = await import('./otlp-tracing.ts');
    return await startOtlpTracing(ports);
  } catch (error) {
    const reason = hideSecrets(error instanceof Error ? error.message : String(error), ports.environment);
    ports.logger.error('traces cannot be made; the gateway serves without them', { reason });
    return null;
  }
}
