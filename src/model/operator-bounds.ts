import { type Field, FieldFault } from '../document/fields.ts';
import { normalizeHost, parseHostRule } from '../receive/host.ts';
import { parsePathRule } from '../receive/path.ts';
import type { EndpointMatch } from './endpoint.ts';

/** Which requests the endpoints may take that an operator changes. An empty list binds nothing. */
export interface OperatorBounds {
  /** As `match.hosts` has them. */
  readonly hosts: readonly string[];
  readonly pathPrefixes: readonly string[];
}

/** Hosts, and path prefixes, of one operator at most. */
const MAX_BOUNDS = 50;

function boundsField(read: (text: string) => string | null, rule: string): Field<readonly string[]> {
  const fault = new FieldFault(`must be a list of at most ${String(MAX_BOUNDS)} different ${rule}`);
  const field = (raw: unknown): readonly string[] | FieldFault => {
    if (!Array.isArray(raw) || raw.length > MAX_BOUNDS) return fault;
    const texts = raw.flatMap((each: unknown) => (typeof each === 'string' ? (read(each) ?? []) : []));
    return texts.length === raw.length && new Set(texts).size === raw.length ? texts : fault;
  };
  return Object.assign(field, {
    schema: { bsonType: 'array', maxItems: MAX_BOUNDS, items: { bsonType: 'string' } },
  });
}

/** Hosts that endpoints may be for: as those of an endpoint. */
export const boundHostsField = boundsField(
  parseHostRule,
  'hosts such as api.example.com or *.example.com, without scheme, port or path',
);

/** Prefixes of paths, in normal form. */
export const boundPrefixesField = boundsField(
  (prefix) => ('reason' in parsePathRule({ prefix }) ? null : prefix),
  'paths in normal form, such as /payments',
);

/** Whether an operator is bound to some hosts or paths. */
export function isBound({ hosts, pathPrefixes }: OperatorBounds): boolean {
  return hosts.length > 0 || pathPrefixes.length > 0;
}

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

/** Bounds on one line: `hosts *.example.com; paths /payments`. Empty for none. */
export function describeBounds({ hosts, pathPrefixes }: OperatorBounds): string {
  return [
    ...(hosts.length === 0 ? [] : [`hosts ${hosts.join(' ')}`]),
    ...(pathPrefixes.length === 0 ? [] : [`paths ${pathPrefixes.join(' ')}`]),
  ].join('; ');
}
