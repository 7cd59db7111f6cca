import { isIP } from 'node:net';

/** Linux takes 107 bytes and a final NUL (`sun_path`, unix(7)). */
const MAX_UNIX_PATH_BYTES = 107;
const MAX_PORT = 65535;
const EXPECTED = 'expected host:port, [::1]:port or unix:/path';

/** Where a listener listens. Port 0 takes a free one. */
export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** A text that names no address to listen on; `fault` completes the sentence "<setting>: …". */
export interface AddressFault {
  readonly fault: string;
}

/** Reads `host:port`, `[IPv6]:port` or `unix:/absolute/path`. Port 0 takes a free one. */
export function parseListenAddress(text: string): ListenAddress | AddressFault {
  if (text.startsWith('unix:')) return parseUnixPath(text.slice('unix:'.length));
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/.exec(text);
  if (match === null) return { fault: `"${text}" is no address; ${EXPECTED}` };
  const [, ipv6, name, digits] = match;
  const port = Number(digits);
  if (port > MAX_PORT) return { fault: `"${text}": the port must be 0 to ${String(MAX_PORT)}` };
  if (ipv6 !== undefined) {
    return isIP(ipv6) === 6 ? { kind: 'tcp', host: ipv6, port } : { fault: `"${text}": ${ipv6} is no IPv6 address` };
  }
  return { kind: 'tcp', host: name ?? '', port };
}

function parseUnixPath(path: string): ListenAddress | AddressFault {
  // Abstract sockets have no permissions: every process in the network namespace could connect.
  if (path.startsWith('@') || path.startsWith('\0')) {
    return { fault: 'an abstract socket has no permissions; give a path, as in unix:/run/postern.sock' };
  }
  if (!path.startsWith('/'))
    return { fault: `"unix:${path}": the path must be absolute, as in unix:/run/postern.sock` };
  if (path.includes('\0')) return { fault: 'a unix socket path cannot hold a NUL' };
  if (Buffer.byteLength(path) > MAX_UNIX_PATH_BYTES) {
    return { fault: `"unix:${path}": the path is longer than ${String(MAX_UNIX_PATH_BYTES)} bytes` };
  }
  return { kind: 'unix', path };
}

/** The text that {@link parseListenAddress} reads back. */
export function formatListenAddress(address: ListenAddress): string {
  if (address.kind === 'unix') return `unix:${address.path}`;
  return isIP(address.host) === 6
    ? `[${address.host}]:${String(address.port)}`
    : `${address.host}:${String(address.port)}`;
}
