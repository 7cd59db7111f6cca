import { isIPv6 } from 'node:net';

/** RFC 1035 §2.3.4, with room for the trailing dot; longer names cannot be configured, so they match nothing. */
const MAX_HOST_LENGTH = 254;
const MAX_PORT = 65535;

/**
 * Takes the host from an authority: lower case, without port and without one trailing dot (spec §2.3).
 * Null when the authority is not `host[:port]` of letters, digits and `-._`, or `[IPv6]` (spec §2.1).
 */
export function parseAuthority(authority: string): string | null {
  const isBracketed = authority.startsWith('[');
  const colon = isBracketed ? authority.indexOf(':', authority.indexOf(']')) : authority.indexOf(':');
  const host = colon === -1 ? authority : authority.slice(0, colon);
  if (colon !== -1 && !isPort(authority, colon + 1)) return null;
  if (isBracketed) {
    return host.endsWith(']') && isIPv6(host.slice(1, -1)) && !host.includes('%') ? host.toLowerCase() : null;
  }
  return isHostName(host) && host !== '.' ? normalizeHost(host) : null;
}

/** Lower case and without one trailing dot, the form in which hosts are compared. */
export function normalizeHost(host: string): string {
  const lower = host.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/** The host of a rule, `api.example.com` or `*.example.com`, in the form in which hosts are compared; null for none. */
export function parseHostRule(text: string): string | null {
  const isWildcard = text.startsWith('*.');
  const name = isWildcard ? text.slice(2) : text;
  const isAddress = name.startsWith('[') && name.endsWith(']') && !isWildcard;
  if (name.includes(':') && !isAddress) return null;
  const host = parseAuthority(name);
  if (host === null || host === '') return null;
  return isWildcard ? `*.${host}` : host;
}

function isHostName(host: string): boolean {
  if (host.length === 0 || host.length > MAX_HOST_LENGTH) return false;
  for (let at = 0; at < host.length; at += 1) {
    const code = host.charCodeAt(at);
    const isDigit = code >= 0x30 && code <= 0x39;
    const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
    if (!isDigit && !isLetter && code !== 0x2d && code !== 0x2e && code !== 0x5f) return false;
  }
  return true;
}

function isPort(authority: string, start: number): boolean {
  const length = authority.length - start;
  if (length < 1 || length > 5) return false;
  let port = 0;
  for (let at = start; at < authority.length; at += 1) {
    const digit = authority.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return false;
    port = port * 10 + digit;
  }
  return port <= MAX_PORT;
}
