import type { HttpRequest } from '../receive/http-request.ts';
import { type Refusal, refuse } from '../refusal.ts';

/**
 * For the methods that verify bodies: refuses (`BODY_TOO_LARGE`) a request whose body may reach the back end without
 * having been seen here (spec §3 "Truncated"). Envoy delivers none when buffering is off on the route, and the bytes
 * after an upgrade are never checked.
 *
 * A body without a length (chunked, or over HTTP/2) leaves no trace in what Envoy sends: it removes
 * `transfer-encoding`, and marks only bodies that it holds. A request with one on a route that streams looks like a
 * request without a body on any other route, so that only the route can tell: see `HttpRequest.isStreamed`.
 */
export function refuseUndeliveredBody(request: HttpRequest): Refusal | null {
  if (request.headers.has('upgrade')) {
    return refuse('BODY_TOO_LARGE', 'the request asks for an upgrade, after which nothing can be verified');
  }
  const contentLength = request.headers.find('content-length');
  if (request.bodyLength > 0) return null;
  if (contentLength === null) return request.isStreamed ? refuse('BODY_TOO_LARGE', STREAMED) : null;
  if (/^0+$/.test(contentLength)) return null;
  return refuse('BODY_TOO_LARGE', 'the request has a body, and Envoy did not deliver it');
}

const STREAMED =
  'configuration fault: the Envoy route streams bodies, and this endpoint verifies them; the request may have one';
