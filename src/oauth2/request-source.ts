import { isIPv4, isIPv6 } from 'node:net';
import type { OAuth2Request } from './oauth2-request.ts';

const GROUPS_OF_NETWORK = 4;
const GROUPS = 8;

/**
 * Who is counted for a request (spec §3.4): `x-envoy-external-address`, which Envoy sets and overwrites, or the TCP peer
 * where it is absent. Of an IPv6 address only the network of 64 bits counts, because whoever has one address has them all.
 */
export function sourceOf({ headerValues, peerAddress }: Pick<OAuth2Request, 'headerValues' | 'peerAddress'>): string {
  const [external = '', ...more] = headerValues('x-envoy-external-address');
  return (more.length === 0 ? networkOf(external) : null) ?? networkOf(peerAddress ?? '') ?? 'local';
}

function networkOf(address: string): string | null {
  if (isIPv4(address)) return address;
  const [plain = ''] = address.split('%', 1);
  if (!isIPv6(plain)) return null;
  const mapped = /^::ffff:([\d.]+)$/i.exec(plain)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  const [head = '', tail] = plain.split('::');
  const before = groupsOf(head);
  const missing = tail === undefined ? 0 : GROUPS - before.length - groupsOf(tail).length;
  return `${[...before, ...Array<string>(missing).fill('0'), ...groupsOf(tail ?? '')].slice(0, GROUPS_OF_NETWORK).join(':')}::/64`;
}

/** Groups as numbers, so that every spelling of one is the same. An IPv4 address at the end stands for two. */
function groupsOf(text: string): readonly string[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [parseInt(group, 16).toString(16)]));
}
