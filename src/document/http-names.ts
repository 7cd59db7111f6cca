/** RFC 9110 §5.6.2, what methods and header names are made of. */
export const TOKEN_PATTERN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Headers of one connection (RFC 9110 §7.6.1) or of the message's own frame: proxies read, change or drop them. */
const CONNECTION_HEADERS: readonly string[] = [
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Names that Postern or Envoy write themselves (spec §4.3). */
const OWN_PREFIXES: readonly string[] = [
  'x-consumer-',
  'x-credential-',
  'x-authenticated-',
  'x-anonymous-consumer',
  'x-envoy-',
  'x-forwarded-',
  'x-request-id',
];

/** Why a request header cannot carry an App Key, in words; null when it can. `_` counts as `-`, as many back ends read it. */
export function findCarrierFault(header: string): string | null {
  if (header.startsWith(':')) return 'is a pseudo header, which cannot carry an App Key';
  if (!TOKEN_PATTERN.test(header)) return 'is not a header name (RFC 9110 §5.6.2)';
  const name = header.toLowerCase().replaceAll('_', '-');
  if (CONNECTION_HEADERS.includes(name)) return 'is used by the connection or the body, and cannot carry an App Key';
  if (OWN_PREFIXES.some((prefix) => name.startsWith(prefix))) {
    return 'is written by the gateway itself, and cannot carry an App Key';
  }
  return null;
}
