import { isIPv4, isIPv6 } from 'node:net';
import type { OAuth2Request } from './oauth2-request.ts';

/**
 * Who is counted for a request (spec §3.4): `x-envoy-external-address`, which Envoy sets and overwrites, or the TCP peer
 * where it is absent. Every spelling of an address is the same one.
 */
export function sourceOf({ headerValues, peerAddress }: Pick<OAuth2Request, 'headerValues' | 'peerAddress'>): string {
  const [external = '', ...more] = headerValues('x-envoy-external-address');
  return (more.length === 0 ? addressOf(external) : null) ?? addressOf(peerAddress ?? '') ?? 'local';
}

function addressOf(text: string): string | null {
  if (isIPv4(text)) return text;
  const [plain = ''] = text.split('%', 1);
  if (!isIPv6(plain)) return null;
  const mapped = /^::ffff:([\d.]+)$/i.exec(plain)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  return new URL(`http://[${plain}]/`).hostname.slice(1, -1);
}
