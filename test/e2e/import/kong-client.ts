import { createHash, createHmac } from 'node:crypto';
import { type PlainRequest } from '../../support/http/http-client.ts';
import { type Fields } from '../../support/http/http-message.ts';

/** A request as a client of Kong's hmac-auth makes it; everything has a default: `GET /invoices`, now, by acme. */
export interface KongRequest {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: Fields;
  readonly body?: string;
  /** The names in the `headers` list, as written. */
  readonly signed?: readonly string[];
  readonly algorithm?: string;
  readonly version?: string;
  /** The header that carries the time; null for none. */
  readonly dateHeader?: string | null;
  readonly date?: string;
  readonly digest?: boolean;
  readonly username?: string;
  readonly secret?: string;
  readonly carrier?: string;
  /** The parameter that names the caller. */
  readonly nameParameter?: string;
}

/** Signs as Kong's documents show its clients: without any code of the product. */
export function signedForKong(request: KongRequest = {}): PlainRequest & { readonly headers: Fields } {
  const { method = 'GET', target = '/invoices', body = '', version = 'HTTP/1.1', algorithm = 'hmac-sha256' } = request;
  const { username = 'acme', secret = 'acme-example-secret-7TqLx2Kd9w', nameParameter = 'username' } = request;
  const { dateHeader = 'Date', date = new Date().toUTCString(), carrier = 'Authorization' } = request;
  const signed = request.signed ?? ['date', 'request-line', ...(body === '' ? [] : ['digest'])];
  const headers: Fields = [
    ...(request.headers ?? []),
    ...(dateHeader === null ? [] : [[dateHeader, date] as const]),
    ...((request.digest ?? body !== '')
      ? [['Digest', `SHA-256=${createHash('sha256').update(body).digest('base64')}`] as const]
      : []),
  ];
  const lines = signed.map((name) => {
    if (name === 'request-line') return `${method} ${target} ${version}`;
    if (name === '@request-target') return `${name}: ${method.toLowerCase()} ${target}`;
    if (name === 'host') return `${name}: api.example.com`;
    const value = headers.find(([header]) => header.toLowerCase() === name.toLowerCase())?.[1];
    return value === undefined ? `${name}:` : `${name}: ${value}`;
  });
  const signature = createHmac(algorithm.replace('hmac-', ''), secret).update(lines.join('\n')).digest('base64');
  const authorization = `hmac ${nameParameter}="${username}", algorithm="${algorithm}", headers="${signed.join(' ')}", signature="${signature}"`;
  return {
    method,
    target,
    host: 'api.example.com',
    headers: [...headers, [carrier, authorization]],
    body: Buffer.from(body),
  };
}
