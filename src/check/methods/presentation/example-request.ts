import type { ClientRequest } from '../../signing/client-request.ts';
import type { Target } from './guide.ts';

/** A request before it is signed. */
export interface UnsignedRequest {
  readonly method: string;
  /** What follows the path: `?…`, or nothing. */
  readonly query?: string;
  readonly type?: string;
  /** UTF-8 text. */
  readonly body?: string;
}

/** The request as a client would hand it to the signing function. */
export function requestTo(target: Target, { method, query = '', type, body = '' }: UnsignedRequest): ClientRequest {
  return {
    method,
    path: `${target.path}${query}`,
    authority: target.authority,
    headers: type === undefined ? [] : [['Content-Type', type]],
    body: Buffer.from(body, 'utf8'),
  };
}

/** A request before it is signed, for people: method and address, then type and body where there is one. */
export function describeUnsigned(target: Target, request: UnsignedRequest): string {
  const { method, query = '', type, body = '' } = request;
  const line = `${method} ${target.origin}${target.path}${query}`;
  return body === '' ? line : `${line}\nContent-Type: ${String(type)}\n\n${body}`;
}

/** A request as it is sent, in the form of HTTP/1.1. */
export function describeSent({ method, path, authority, headers, body }: ClientRequest): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${authority}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return body.length === 0 ? lines.join('\n') : `${lines.join('\n')}\n\n${body.toString('utf8')}`;
}
