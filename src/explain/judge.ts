import { authenticate } from '../methods/authenticate.ts';
import type { Authenticated, AuthenticationPorts } from '../methods/authenticated.ts';
import { authorize } from '../authorize/authorize.ts';
import type { Clock } from '../clock.ts';
import type { Endpoint } from '../model/endpoint.ts';
import { type Pending, whenReady } from '../pending.ts';
import { receive } from '../receive/receive.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { route } from '../route/route.ts';
import type { ClientRequest } from '../signing/client-request.ts';
import type { Snapshot } from '../store/snapshot.ts';
import { gatewayRequest } from './gateway-request.ts';
import { type KnownTokens, tokenPorts } from './known-tokens.ts';

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
 * which are no property of the request, are left out. Without a key ring an access token counts as issued by the gateway.
 */
export function judge(
  request: ClientRequest,
  snapshot: Snapshot,
  at: JudgedAt,
  tokens: KnownTokens,
): Pending<Judgement> {
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
  return whenReady(authenticate(routed, portsAt(nowSeconds, tokens)), (authenticated) => {
    const refusal = decide(authenticated);
    if (refusal?.refused !== 'REQUEST_EXPIRED' || signedSeconds === null) {
      return { refusal, refusalWhenMade: null, endpoint };
    }
    return whenReady(authenticate(routed, portsAt(signedSeconds, tokens)), (former) => ({
      refusal,
      refusalWhenMade: decide(former),
      endpoint,
    }));
  });
}

function portsAt(seconds: number, tokens: KnownTokens): AuthenticationPorts {
  const clock: Clock = { nowSeconds: () => seconds, nowMs: () => seconds * 1000 };
  return { clock, ...tokenPorts(tokens, clock), replayGuard: { reserve: () => 'first' } };
}
