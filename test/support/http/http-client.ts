import { http1, type Http1Request } from './http1-client.ts';
import { http2 } from './http2-client.ts';
import { type HttpAnswer } from './http-message.ts';

/** What callers speak to Envoy. */
export const protocols = ['HTTP/1.1', 'HTTP/2'] as const;
export type Protocol = (typeof protocols)[number];

/** A request that both protocols can express. */
export type PlainRequest = Pick<Http1Request, 'method' | 'target' | 'headers' | 'body'> & { readonly host?: string };

/** Makes a request on a connection of its own, over either protocol. */
export function send(protocol: Protocol, port: number, request: PlainRequest = {}): Promise<HttpAnswer> {
  if (protocol === 'HTTP/1.1') return http1(port, request);
  const { host, body, ...rest } = request;
  return http2(port, {
    ...rest,
    ...(host === undefined ? {} : { authority: host }),
    ...(body === undefined ? {} : { frames: [body] }),
  });
}
