import { isRefusal, refuse, type Refusal } from '../refusal.ts';
import { parseAuthority } from './host.ts';
import { parseTarget, type Target } from './path.ts';
import { findForgedHeaders } from './forged-headers.ts';
import type { HttpRequest } from './http-request.ts';

declare const received: unique symbol;

/** Proof that a request is whole and that its target and authority are in normal form. */
export interface Received {
  readonly request: HttpRequest;
  readonly target: Target;
  /** Lower case, without port. */
  readonly host: string;
  /** The names, as received, of headers that could pass for identity headers at the back end. */
  readonly forgedHeaders: readonly string[];
  readonly [received]: true;
}

const PARTIAL_BODY_MARK = 'x-envoy-auth-partial-body';

/**
 * The first stage: refuses a cut body (`BODY_TOO_LARGE`), then a target that is not in normal form
 * (`PATH_NOT_NORMAL`), then an authority that is not a host, or an identity header
 * whose name is not a token (`MALFORMED_REQUEST`)
 * (spec §2.1, §3 "Order of checks").
 */
export function receive(request: HttpRequest): Received | Refusal {
  if (isCut(request)) return refuse('BODY_TOO_LARGE', 'Envoy did not deliver the whole body');
  if (request.method === 'CONNECT') return refuse('PATH_NOT_NORMAL', 'the target of CONNECT is not a path');
  const target = parseTarget(request.path);
  if ('reason' in target) return refuse('PATH_NOT_NORMAL', target.reason);
  const host = parseAuthority(request.authority);
  if (host === null) return refuse('MALFORMED_REQUEST', 'the authority is not host[:port]');
  const forgedHeaders = findForgedHeaders(request);
  if (isRefusal(forgedHeaders)) return forgedHeaders;
  return { request, target, host, forgedHeaders } as Received;
}

function isCut(request: HttpRequest): boolean {
  if (request.declaredSize !== request.bodyLength) return true;
  // Every one of them, also when joined to one value: a caller's own mark must not hide Envoy's.
  return request.headers.valuesOf(PARTIAL_BODY_MARK).some((mark) => /\btrue\b/i.test(mark));
}
