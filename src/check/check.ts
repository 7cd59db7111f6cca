import { authenticate } from './methods/authenticate.ts';
import type { AuthenticationPorts } from './methods/authenticated.ts';
import { authorize } from './authorize/authorize.ts';
import { limit, type LimitPorts } from './limit/limit.ts';
import { type Pending, whenReady } from '../base/pending.ts';
import type { HttpRequest } from './receive/http-request.ts';
import { receive } from './receive/receive.ts';
import { isRefusal } from './refusal.ts';
import type { Decision } from './respond/respond.ts';
import { route } from './route/route.ts';
import type { CheckStore } from './store/check-store.ts';

/** What the stages of a check need besides the request. */
export interface CheckPorts extends AuthenticationPorts, LimitPorts {
  readonly store: Pick<CheckStore, 'current'>;
}

/** Decides one request. Each stage takes only the proof of the one before (docs/adr/0002-stages-as-typed-proof.md). */
export function check(request: HttpRequest, ports: CheckPorts): Pending<Decision> {
  const received = receive(request);
  if (isRefusal(received)) return { refusal: received, routed: null, authenticated: null };
  const routed = route(received, ports.store.current());
  if (isRefusal(routed)) return { refusal: routed, routed: null, authenticated: null };
  return whenReady(authenticate(routed, ports), (authenticated) => {
    if (isRefusal(authenticated)) return { refusal: authenticated, routed, authenticated: null };
    const permit = authorize(authenticated, ports.clock.nowSeconds());
    if (isRefusal(permit)) return { refusal: permit, routed, authenticated };
    return whenReady(limit(permit, ports), (granted) =>
      isRefusal(granted) ? { refusal: granted, routed, authenticated } : granted,
    );
  });
}
