import { flagField, wholeNumberField } from '../document/fields.ts';
import { MAX_CLOCK_SKEW_SECONDS, type SignatureOptions } from '../model/endpoint.ts';
import { type Pending, whenReady } from '../pending.ts';
import type { HttpRequest } from '../receive/http-request.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { ReplayGuard, Reservation, UsedSignature } from '../replay/replay-guard.ts';
import type { Routed } from '../route/route.ts';

/** How the options that both signature methods have are read. */
export const signatureFields = {
  clockSkewSeconds: wholeNumberField(1, MAX_CLOCK_SKEW_SECONDS),
  replayProtection: flagField,
  signatureHints: flagField,
};

/** The defaults of {@link signatureFields}. */
export const signatureDefaults = { clockSkewSeconds: 300, replayProtection: false, signatureHints: false };

/**
 * For the methods that verify bodies: refuses (`BODY_TOO_LARGE`) a request whose body may reach the back end without
 * having been seen here (spec §3 "Truncated"). Envoy delivers none when buffering is off on the route, and the bytes
 * after an upgrade are never checked.
 */
export function refuseUndeliveredBody(request: HttpRequest): Refusal | null {
  if (request.headers.find('upgrade') !== null) {
    return refuse('BODY_TOO_LARGE', 'the request asks for an upgrade, after which nothing can be verified');
  }
  const contentLength = request.headers.find('content-length');
  if (request.bodyLength > 0 || contentLength === null || /^0+$/.test(contentLength)) return null;
  return refuse('BODY_TOO_LARGE', 'the request has a body, and Envoy did not deliver it');
}

/**
 * Refuses a signature that was used before, with `REQUEST_REPLAYED`, where `replayProtection` is on (spec §4.4); null for
 * one that is used for the first time. To be asked last: it counts as used from then on, whatever else becomes of the
 * request. A credential that has used up its share of what can be remembered is refused with `RATE_LIMITED`. Throws, or
 * rejects with, `StoreUnavailable` when it cannot know.
 */
export function refuseReplay(
  { catalog }: Routed,
  { replayProtection }: Pick<SignatureOptions, 'replayProtection'>,
  signature: UsedSignature,
  replayGuard: ReplayGuard,
): Pending<Refusal | null> {
  if (!replayProtection) return null;
  const longestSkewSeconds = catalog.endpoints.longestSkewSeconds[signature.method];
  return whenReady(replayGuard.reserve(signature, longestSkewSeconds), refusalOf);
}

function refusalOf(reservation: Reservation): Refusal | null {
  switch (reservation) {
    case 'first':
      return null;
    case 'repeated':
      return refuse('REQUEST_REPLAYED', 'the signature was used before');
    case 'outdated':
      return refuse('REQUEST_EXPIRED', 'the signature is of a time of which used ones are no longer remembered');
    default:
      return {
        ...refuse('RATE_LIMITED', 'the credential has used up its share of the signatures that can be remembered'),
        exceeded: { reading: null, retryAfterSeconds: reservation.retryAfterSeconds },
      };
  }
}
