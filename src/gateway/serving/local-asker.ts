import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Exactly these: a mesh's sidecar hands on requests of other machines from 127.0.0.6. */
const OWN_ADDRESSES = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];
/** A proxy adds one of the first, a browser one of the others. */
const FOREIGN_HEADERS = ['x-forwarded-for', 'forwarded', 'via', 'x-envoy-internal', 'origin', 'sec-fetch-site'];

/**
 * Why a request gets no data about partners; null when a program of this machine sent it. The admin listener does not
 * authenticate callers, so the peer must be this machine itself, over loopback or a Unix socket, and neither a browser
 * nor a proxy.
 *
 * @param what would be shown, in the plural
 */
export function findStranger({ socket, headers }: IncomingMessage, what: string): string | null {
  const { remoteAddress } = socket;
  if (remoteAddress !== undefined && !OWN_ADDRESSES.includes(remoteAddress)) {
    return `${what} are shown to programs of this machine only: ask from there`;
  }
  if (FOREIGN_HEADERS.some((name) => headers[name] !== undefined)) {
    return `${what} are shown neither through a proxy nor to a browser`;
  }
  // A page of a browser can give a name of its own this machine's address.
  const host = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return host === 'localhost' || isIP(host) !== 0 ? null : 'ask by an address or by "localhost"';
}
