import type { Environment } from '../../../base/environment.ts';

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
