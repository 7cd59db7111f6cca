import type { EndpointMatch } from '../../model/endpoint.ts';
import type { OperatorBounds } from '../../model/operator-bounds.ts';
import { normalizeHost } from '../receive/host.ts';
import { parsePathRule } from '../receive/path.ts';

/**
 * Whether every request that a match can take is one of the bounds. A match for any host is within no list of hosts.
 */
export function isWithinBounds(match: Pick<EndpointMatch, 'hosts' | 'paths'>, bounds: OperatorBounds): boolean {
  const hosts = match.hosts.map(normalizeHost);
  const isOnHosts =
    bounds.hosts.length === 0 ||
    (hosts.length > 0 && hosts.every((host) => bounds.hosts.some((bound) => coversHost(bound, host))));
  if (!isOnHosts || bounds.pathPrefixes.length === 0) return isOnHosts;
  const prefixes = bounds.pathPrefixes.flatMap((prefix) => comparableOf({ prefix }) ?? []);
  return match.paths.every((path) => {
    const comparable = comparableOf(path);
    return comparable !== null && prefixes.some((prefix) => isBelow(comparable, prefix));
  });
}

/** `*.example.com` covers all below, and itself; not `example.com`. */
function coversHost(bound: string, host: string): boolean {
  return bound === host || (bound.startsWith('*.') && host.endsWith(bound.slice(1)));
}

function comparableOf(path: Parameters<typeof parsePathRule>[0]): string | null {
  const rule = parsePathRule(path);
  return 'reason' in rule ? null : rule.comparable;
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
