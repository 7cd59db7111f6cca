import type { CheckEdit } from './edit-check.ts';

/** The request of a partner that every other one is a variant of: an App Key in the query, and what HTTP libraries send. */
export const partnerRequest = {
  method: 'GET',
  target: '/orders/2026-1042?appKey=00000000000000000000000000000000&page=2&fields=id%2Cstatus',
  host: 'api.example.com',
  headers: [
    ['User-Agent', 'partner-client/3.2 (linux; x64)'],
    ['Accept', 'application/json'],
    ['Accept-Encoding', 'gzip, deflate, br'],
    ['Accept-Language', 'en'],
    ['Cache-Control', 'no-cache'],
    ['Traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    ['X-Client-Version', '3.2.0'],
  ],
} as const;

/** Writes a variant of it as it goes over the wire, in HTTP/1.1: what Envoy makes the same variant of the recorded Check of. */
export function writeHttpRequest({ method, path, headers = {}, body }: CheckEdit): Buffer {
  const kept = partnerRequest.headers.filter(([name]) => !(name.toLowerCase() in headers));
  const lines = [
    `${method ?? partnerRequest.method} ${path ?? partnerRequest.target} HTTP/1.1`,
    `Host: ${partnerRequest.host}`,
    ...[...kept, ...Object.entries(headers)].map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`Content-Length: ${String(body.length)}`]),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return body === undefined ? head : Buffer.concat([head, body]);
}
