import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { defaultEnvoyVersion } from '../../../services/install-services.mjs';
import {
  at,
  backendRoute,
  cluster,
  connectionManager,
  filterSettings,
  httpFilters,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
} from './envoy-config.ts';

/** The committed example of Envoy's own rate limit filter. */
export const filterExample = fileURLToPath(new URL('../../../deploy/envoy-ratelimit-filter/', import.meta.url));

/** Whether the Envoy that tests run can tell how long to wait: from 1.40 on, and attachment.yaml says so. */
export function hasRetryAfter(): boolean {
  const [, minor = ''] = (process.env['ENVOY_VERSION'] ?? defaultEnvoyVersion).split('.');
  return Number(minor) >= 40;
}

/** Puts the four pieces of attachment.yaml where the file says they belong. */
export function attachRateLimitFilter(config: JsonObject): void {
  // Through JSON, so that what YAML shares by an anchor can be changed apart.
  const pieces = JSON.parse(
    JSON.stringify(parse(readFileSync(`${filterExample}attachment.yaml`, 'utf8'))),
  ) as JsonObject;
  const piece = (name: string): Json[] => listAt(pieces, name);
  listAt(connectionManager(config), 'local_reply_config', 'mappers').unshift(...piece('mappers'));
  const filters = httpFilters(config);
  const router = filters.findIndex((filter) => at(filter, 'name') === 'envoy.filters.http.router');
  filters.splice(router, 0, ...piece('http_filters'));
  if (!hasRetryAfter()) delete filterSettings(config, 'envoy.filters.http.ratelimit')['enable_retry_after_header'];
  objectAt(backendRoute(config), 'route')['rate_limits'] = piece('rate_limits');
  listAt(config, 'static_resources', 'clusters').push(...piece('clusters'));
}

/** Says where the rate limit service listens. */
export function useRateLimitPort(config: JsonObject, port: number): void {
  objectAt(
    cluster(config, 'ratelimit'),
    ...['load_assignment', 'endpoints', 0, 'lb_endpoints', 0, 'endpoint', 'address', 'socket_address'],
  )['port_value'] = port;
}
