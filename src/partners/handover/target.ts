import type { EndpointMatch } from '../../model/endpoint.ts';
import { normalizeHost, parseAuthority } from '../../check/receive/host.ts';
import type { Target } from '../../check/methods/presentation/guide.ts';

/** Where partners reach the gateway. */
export interface GatewayAddress {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  /** `:8443`; empty for the scheme's own. */
  readonly port: string;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

const hex = '[0-9A-Fa-f]{1,4}';
const ipv6 = [
  `(?:${hex}:){7}${hex}`,
  ...[1, 2, 3, 4, 5, 6].map((before) => `(?:${hex}:){${String(before)}}(?::${hex}){1,${String(7 - before)}}`),
  `(?:${hex}:){1,7}:`,
  `:(?::${hex}){1,7}`,
  '::',
].join('|');
const port = '6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[0-5][0-9]{4}|[0-9]{1,4}';

/**
 * What {@link readGatewayAddress} takes, as JSON Schema says it, without flags: a host name or an IPv6 address in
 * hexadecimal.
 */
export const GATEWAY_ADDRESS_PATTERN = new RegExp(
  `^[Hh][Tt][Tt][Pp][Ss]?://(?:[0-9A-Za-z_-][0-9A-Za-z._-]{0,253}|\\[(?:${ipv6})\\])(?::(?:${port}))?/?$`,
);

/** Reads scheme and host, with a port where it needs one, and nothing behind it but a slash; null for another text. */
export function readGatewayAddress(text: string): GatewayAddress | null {
  const [, scheme, authority = ''] = /^(https?):\/\/([^/?#@\s]+)\/?$/i.exec(text) ?? [];
  const host = parseAuthority(authority);
  if (scheme === undefined || host === null) return null;
  const known = scheme.toLowerCase() === 'http' ? 'http' : 'https';
  const [port = ''] = /:\d+$/.exec(authority) ?? [];
  return { scheme: known, host, port: port === DEFAULT_PORTS[known] ? '' : port };
}

/** `https://api.example.com` */
export function originOf({ scheme, host, port }: GatewayAddress, endpointHost = host): string {
  return `${scheme}://${endpointHost}${port}`;
}

/** Hosts at which an endpoint is reached, as a partner would write them. Without a rule for hosts, the gateway's. */
export function hostsOf({ hosts }: EndpointMatch, address: GatewayAddress): readonly string[] {
  if (hosts.length === 0 || hosts.some((pattern) => matchesHost(pattern, address.host))) return [address.host];
  return hosts.map((pattern) => normalizeHost(pattern));
}

/** A place of an endpoint that can be called, for samples and examples. */
export function targetOf(match: EndpointMatch, address: GatewayAddress): Target {
  const [first = address.host] = hostsOf(match, address);
  const host = first.startsWith('*.') ? `api${first.slice(1)}` : first;
  const [rule] = match.paths;
  const takes = (method: string): boolean => match.methods.length === 0 || match.methods.includes(method);
  return {
    origin: originOf(address, host),
    authority: `${host}${address.port}`,
    path: rule === undefined ? '/' : 'prefix' in rule ? rule.prefix : rule.exact,
    reading: takes('GET') ? 'GET' : (match.methods[0] ?? 'GET'),
    writing: ['POST', 'PUT', 'PATCH'].find(takes) ?? null,
  };
}

/** As the gateway compares hosts (spec §2.3). */
function matchesHost(pattern: string, host: string): boolean {
  const normal = normalizeHost(pattern);
  return normal.startsWith('*.') ? host.endsWith(normal.slice(1)) && host.length > normal.length - 1 : host === normal;
}
