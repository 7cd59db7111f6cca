import type { Clock } from '../../clock.ts';
import type { Environment } from '../../config.ts';
import type { StartCheckTrace } from '../../server/check-handler.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';

/** Traces of checks, sent to a collector. Disposing of it sends what waits, for two seconds at most. */
export interface Tracing extends AsyncDisposable {
  readonly startTrace: StartCheckTrace;
}

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

const HEADERS = /^OTEL_EXPORTER_OTLP_(TRACES_)?HEADERS$/;
/** Shorter values are no secrets, and would be hidden in every word. */
const LEAST_SECRET_LENGTH = 4;
const ENDPOINT = /^OTEL_EXPORTER_OTLP_(TRACES_)?ENDPOINT$/;

/**
 * What OpenTelemetry says of its variables, without what may be secret in them: the values of headers for the collector
 * (its messages repeat them), and addresses that hold more than a host and a path.
 */
export function hideSecrets(text: string, environment: Environment): string {
  let hidden = text;
  // The longest first, so that none leaves a part of another.
  for (const secret of secretsOf(environment).sort((a, b) => b.length - a.length)) {
    hidden = hidden.replaceAll(secret, '***');
  }
  return hidden;
}

function secretsOf(environment: Environment): string[] {
  const secrets: string[] = [];
  for (const [name, value = ''] of Object.entries(environment)) {
    if (ENDPOINT.test(name) && /[@?]/.test(value)) secrets.push(value, value.trim());
    if (!HEADERS.test(name)) continue;
    for (const pair of [value, ...value.split(',')]) {
      const given = pair.slice(pair.indexOf('=') + 1);
      secrets.push(given, given.trim(), decoded(given), decoded(given.trim()), decoded(given).trim());
    }
  }
  return secrets.filter((secret) => secret.length >= LEAST_SECRET_LENGTH);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
