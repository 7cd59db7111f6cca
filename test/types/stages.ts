import { authorize, type Permit } from '../../src/check/authorize/authorize.ts';
import { type Granted, limit, type LimitPorts } from '../../src/check/limit/limit.ts';
import { authenticate } from '../../src/check/methods/authenticate.ts';
import { type Authenticated, type AuthenticationPorts, unchanged } from '../../src/check/methods/authenticated.ts';
import type { Pending } from '../../src/base/pending.ts';
import type { HttpRequest } from '../../src/check/receive/http-request.ts';
import { receive, type Received } from '../../src/check/receive/receive.ts';
import { isRefusal, type Refusal } from '../../src/check/refusal.ts';
import { respond } from '../../src/check/respond/respond.ts';
import { route, type Routed } from '../../src/check/route/route.ts';
import type { HeldCredential } from '../../src/check/store/credential-source.ts';
import type { Catalog } from '../../src/check/store/check-store.ts';

// Compiled, never run: each `@ts-expect-error` is a proof that the line below it does not compile.

/** The values that the lines below play with. */
interface Given {
  readonly request: HttpRequest;
  readonly received: Received;
  readonly routed: Routed;
  readonly authenticated: Authenticated;
  readonly permit: Permit;
  readonly granted: Granted;
  readonly refusal: Refusal;
  readonly catalog: Catalog;
  readonly ports: AuthenticationPorts & LimitPorts;
  readonly caller: HeldCredential;
}

/** The stages in their order, with every refusal handled: this compiles. */
export async function inOrder({ request, catalog, ports }: Given): Promise<Uint8Array | Refusal> {
  const received = receive(request);
  if (isRefusal(received)) return received;
  const routed = route(received, catalog);
  if (isRefusal(routed)) return routed;
  const authenticated = await authenticate(routed, ports);
  if (isRefusal(authenticated)) return authenticated;
  const permit = authorize(authenticated, 0);
  if (isRefusal(permit)) return permit;
  const granted = await limit(permit, ports);
  return isRefusal(granted) ? granted : respond(granted, '').bytes;
}

/** A stage cannot be skipped. */
export function skipped({ request, received, routed, authenticated, permit, catalog, ports }: Given): void {
  // @ts-expect-error receiving was skipped
  route(request, catalog);
  // @ts-expect-error routing was skipped
  void authenticate(received, ports);
  // @ts-expect-error authentication was skipped
  authorize(routed, 0);
  // @ts-expect-error authorization was skipped
  void limit(authenticated, ports);
  // @ts-expect-error limits were skipped
  respond(permit, '');
  // @ts-expect-error everything but authentication was skipped
  respond(authenticated, '');
}

/** A refusal must be handled before the next stage, and so must a promise. */
export function unhandled({ request, received, routed, authenticated, permit, catalog, ports }: Given): void {
  // @ts-expect-error receiving may refuse
  route(receive(request), catalog);
  // @ts-expect-error routing may refuse
  void authenticate(route(received, catalog), ports);
  // @ts-expect-error authentication may refuse, or be pending
  authorize(authenticate(routed, ports), 0);
  // @ts-expect-error authorization may refuse
  void limit(authorize(authenticated, 0), ports);
  // @ts-expect-error limits may refuse, or be pending
  respond(limit(permit, ports), '');
}

/** A refusal is no proof of anything. */
export function refusedAll({ refusal, catalog, ports }: Given): void {
  // @ts-expect-error a refusal is not received
  route(refusal, catalog);
  // @ts-expect-error a refusal is not routed
  void authenticate(refusal, ports);
  // @ts-expect-error a refusal is not authenticated
  authorize(refusal, 0);
  // @ts-expect-error a refusal is no permit
  void limit(refusal, ports);
  // @ts-expect-error a refusal is not granted, and says not how far it came
  respond(refusal, '');
}

/** An object made by hand is no proof, though it has every field that can be named. */
export function forged({ request, received, routed, authenticated, permit, catalog, ports, caller }: Given): void {
  const target = received.target;
  // @ts-expect-error received by hand
  route({ request, target, host: 'api.example.com' }, catalog);
  // @ts-expect-error routed by hand
  void authenticate({ received, endpoint: routed.endpoint, catalog }, ports);
  // @ts-expect-error authenticated by hand
  authorize({ routed, caller, upstream: unchanged }, 0);
  // @ts-expect-error permitted by hand
  void limit({ authenticated, limits: [] }, ports);
  // @ts-expect-error granted by hand
  respond({ permit, reading: null }, '');
}

/** The proof of one stage is not that of another. */
export function exchanged({ request, granted, permit, authenticated, catalog, ports }: Given): void {
  // @ts-expect-error an earlier proof is not part of a later one
  route(granted, catalog);
  // @ts-expect-error a permit is not a routed request
  void authenticate(permit, ports);
  // @ts-expect-error a grant is not an authenticated request
  authorize(granted, 0);
  // @ts-expect-error an authenticated request is not a permit
  void limit(authenticated, ports);
  // @ts-expect-error a request is not a decision
  respond(request, '');
}

/** What is pending cannot be used as if it were there. */
export function early(pending: Pending<Granted>): void {
  // @ts-expect-error it may be a promise
  respond(pending, '');
}
