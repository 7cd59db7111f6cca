import type { IncomingMessage } from 'node:http';

/** `uri-host [":" port]` (RFC 9110 §7.2) of hosts as they are in use: a name, an IPv4 or an IPv6 address. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const ABSOLUTE = /^https?:\/\//;

/**
 * Why a request has no address that every reader takes for the same one; null where it has. Such a request is answered
 * with 400 before anything reads its address: an address that the URL Standard does not take has no path to look at.
 */
export function findRequestFault({
  url = '',
  headersDistinct,
}: Pick<IncomingMessage, 'url' | 'headersDistinct'>): string | null {
  const [host, ...more] = headersDistinct['host'] ?? [];
  if (host === undefined || more.length > 0) return 'the request must have one header Host';
  if (!HOST.test(host) || !URL.canParse(`http://${host}/`)) return 'the header Host is no host with a port or without';
  return findTargetFault(url, host);
}

function findTargetFault(target: string, host: string): string | null {
  if (/[\\#]/.test(target.split('?', 1)[0] ?? '')) return 'the address has a character that no path has';
  if (target.startsWith('/')) return URL.canParse(`http://${host}${target}`) ? null : NO_ADDRESS;
  if (!ABSOLUTE.test(target) || !URL.canParse(target)) return NO_ADDRESS;
  const { username, password } = new URL(target);
  return username === '' && password === '' ? null : 'the address must not have a user name or a password';
}

const NO_ADDRESS = 'the address of the request is none';
