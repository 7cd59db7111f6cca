import { CheckRequest } from '../../../gen/envoy/service/auth/v3/external_auth.ts';
import { HttpRequest } from '../../receive/http-request.ts';
import { EXTERNAL_ADDRESS } from '../../receive/source-address.ts';
import { type ClientRequest, SENT_PROTOCOL } from '../../signing/client-request.ts';

/**
 * The request as Envoy would hand it on: `Host` as authority, header names in lower case, and the address that it came
 * `from` where that is known, which takes the place of what the caller says of it.
 */
export function gatewayRequest(
  { method, path, authority, headers, body }: ClientRequest,
  from: string | null = null,
): HttpRequest {
  const lines = [
    [':authority', authority],
    [':path', path],
    [':method', method],
    ...(from === null ? [] : [[EXTERNAL_ADDRESS, from] as const]),
    ...headers
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => name !== 'host' && name !== EXTERNAL_ADDRESS),
  ] as const;
  const message = CheckRequest.fromPartial({
    attributes: {
      request: {
        http: {
          method,
          protocol: SENT_PROTOCOL,
          size: body.length,
          rawBody: body,
          headerMap: { headers: lines.map(([key, value]) => ({ key, rawValue: Buffer.from(value, 'latin1') })) },
        },
      },
    },
  });
  const request = HttpRequest.parse(CheckRequest.encode(message).finish());
  if (request === null) throw new Error('a message that was written here cannot be read');
  return request;
}
