import { authenticate } from '../authenticate/authenticate.ts';
import type { Authenticated, AuthenticationPorts } from '../authenticate/authenticated.ts';
import { authorize } from '../authorize/authorize.ts';
import type { Clock } from '../clock.ts';
import { CheckRequest } from '../gen/envoy/service/auth/v3/external_auth.ts';
import type { Endpoint } from '../model/endpoint.ts';
import { type Pending, whenReady } from '../pending.ts';
import { HttpRequest } from '../receive/http-request.ts';
import { receive } from '../receive/receive.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { route } from '../route/route.ts';
import { type ClientRequest, SENT_PROTOCOL } from '../signature/client-request.ts';
import type { Snapshot } from '../store/snapshot.ts';

/** What the stages of the gateway make of a request, up to the limits. */
export interface Judgement {
  /** Null when the request passes. */
  readonly refusal: Refusal | null;
  /** For a request that is too old: what it would have been refused with when it was made. */
  readonly refusalWhenMade: Refusal | null;
  /** Where host, path and method lead; null where they lead nowhere. */
  readonly endpoint: Endpoint | null;
}

/** The times that a judgement is made by, in seconds since the epoch. */
export interface JudgedAt {
  readonly nowSeconds: number;
  /** The time that the request was signed with; null for none. */
  readonly signedSeconds: number | null;
}

/**
 * Judges a request by the very stages of `serve`: receive, route, authenticate, authorize. Limits and used signatures,
 * which are no property of the request, are left out. Takes no access tokens.
 */
export function judge(request: ClientRequest, snapshot: Snapshot, at: JudgedAt): Pending<Judgement> {
  const received = receive(gatewayRequest(request));
  if (isRefusal(received)) return { refusal: received, refusalWhenMade: null, endpoint: null };
  const routed = route(received, snapshot);
  if (isRefusal(routed)) return { refusal: routed, refusalWhenMade: null, endpoint: null };
  const { endpoint } = routed;
  const { nowSeconds, signedSeconds } = at;
  const decide = (authenticated: Authenticated | Refusal): Refusal | null => {
    if (isRefusal(authenticated)) return authenticated;
    const permit = authorize(authenticated, nowSeconds);
    return isRefusal(permit) ? permit : null;
  };
  return whenReady(authenticate(routed, portsAt(nowSeconds)), (authenticated) => {
    const refusal = decide(authenticated);
    if (refusal?.refused !== 'REQUEST_EXPIRED' || signedSeconds === null) {
      return { refusal, refusalWhenMade: null, endpoint };
    }
    return whenReady(authenticate(routed, portsAt(signedSeconds)), (former) => ({
      refusal,
      refusalWhenMade: decide(former),
      endpoint,
    }));
  });
}

/** The request as Envoy would hand it on: `Host` as authority, header names in lower case. */
function gatewayRequest({ method, path, authority, headers, body }: ClientRequest): HttpRequest {
  const lines = [
    [':authority', authority],
    [':path', path],
    [':method', method],
    ...headers.map(([name, value]) => [name.toLowerCase(), value] as const).filter(([name]) => name !== 'host'),
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

function portsAt(seconds: number): AuthenticationPorts {
  const clock: Clock = { nowSeconds: () => seconds, nowMs: () => seconds * 1000 };
  return {
    clock,
    tokens: { verify: () => ({ fault: 'access tokens are not looked at here' }) },
    revokedTokens: { isRevoked: () => false },
    replayGuard: { reserve: () => 'first' },
  };
}
