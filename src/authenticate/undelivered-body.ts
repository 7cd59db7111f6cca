import type { HttpRequest } from '../receive/http-request.ts';
import { refuse, type Refusal } from '../refusal.ts';

/**
 * For the methods that verify bodies: refuses (`BODY_TOO_LARGE`) a request whose body may reach the back end without
 * having been seen here (spec §3 "Truncated"). Envoy delivers none when buffering is off on the route, and the bytes
 * after an upgrade are never checked.
 */
export function refuseUndeliveredBody(request: HttpRequest): Refusal | null {
  if (request.findHeader('upgrade') !== null) {
    return refuse('BODY_TOO_LARGE', 'the request asks for an upgrade, after which nothing can be verified');
  }
  const contentLength = request.findHeader('content-length');
  if (request.bodyLength > 0 || contentLength === null || /^0+$/.test(contentLength)) return null;
  return refuse('BODY_TOO_LARGE', 'the request has a body, and Envoy did not deliver it');
}
