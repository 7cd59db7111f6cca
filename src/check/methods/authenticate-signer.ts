import type { SignatureMethod, SignatureOptions } from '../../model/endpoint.ts';
import type { Secret } from '../../model/secret.ts';
import { isPromise, type Pending, whenReady } from '../../base/pending.ts';
import type { HttpRequest } from '../receive/http-request.ts';
import { isRefusal, refuse, type Refusal } from '../refusal.ts';
import type { Reservation } from '../replay/replay-guard.ts';
import type { Routed } from '../route/route.ts';
import { checkTime } from '../signing/signed-time.ts';
import { type Authenticated, type AuthenticationPorts, type UpstreamChanges, vouchFor } from './authenticated.ts';
import { findSigner, judgeProof, nameCaller, refuseCaller, type VerifiedSignature } from './caller.ts';
import { refuseUndeliveredBody } from './signed-request.ts';

/** Well-formed credentials of a request; who signed it is not known yet. */
export interface SignerCredentials {
  readonly appKey: string;
  /** The bytes of the signature. */
  readonly mac: Uint8Array;
  /** In seconds since the epoch; null for none, which an endpoint that remembers signatures does not take. */
  readonly signedAtSeconds: number | null;
}

/** How one signature method proves its callers. `C` is what it reads of a request. */
export interface SignatureStrategy<C extends SignerCredentials, O extends SignatureOptions> {
  readonly method: SignatureMethod;
  readonly read: (request: HttpRequest, options: O) => Pending<C | Refusal>;
  /** Checks the signature with each secret in turn: the current one first, then a retiring one. */
  readonly verify: (credentials: C, secrets: readonly Secret[]) => Pending<VerifiedSignature | Refusal>;
  /** Checks the body by a digest that was signed instead of it; null when it is right, or there is none. */
  readonly checkBody: (credentials: C, request: HttpRequest) => Pending<Refusal | null>;
  /** The string to sign that `signatureHints` shows. */
  readonly hintOf: (credentials: C) => Buffer | undefined;
  readonly conceal: (routed: Routed, options: O, credentials: C) => UpstreamChanges;
}

/**
 * Finds out who signed a request (spec §3). What is wrong with its time or its digest, or that the signature was used
 * before, is reported only after the signature was right. The signature is reserved last: it counts as used from then
 * on, whatever else becomes of the request. Throws, or rejects with, `StoreUnavailable` when it cannot be reserved.
 */
export function authenticateSigner<C extends SignerCredentials, O extends SignatureOptions>(
  strategy: SignatureStrategy<C, O>,
  routed: Routed,
  options: O,
  ports: AuthenticationPorts,
): Pending<Authenticated | Refusal> {
  const { request } = routed.received;
  const undelivered = refuseUndeliveredBody(request);
  if (undelivered !== null) return undelivered;
  const credentials = strategy.read(request, options);
  // No closure where nothing is waited for.
  return isPromise(credentials)
    ? credentials.then((read) => judgeSigner(strategy, routed, options, read, ports))
    : judgeSigner(strategy, routed, options, credentials, ports);
}

function judgeSigner<C extends SignerCredentials, O extends SignatureOptions>(
  strategy: SignatureStrategy<C, O>,
  routed: Routed,
  options: O,
  credentials: C | Refusal,
  ports: AuthenticationPorts,
): Pending<Authenticated | Refusal> {
  if (isRefusal(credentials)) return credentials;
  return whenReady(routed.catalog.credentials.findByAppKey(credentials.appKey), (held) => {
    const nowSeconds = ports.clock.nowSeconds();
    const signer = findSigner(held, strategy.method, nowSeconds);
    return whenReady(strategy.verify(credentials, signer.secrets), (signature) => {
      const verified = judgeProof(signer, signature);
      if (isRefusal(verified)) {
        const stringToSign = options.signatureHints ? strategy.hintOf(credentials) : undefined;
        return refuseCaller(routed, stringToSign === undefined ? verified : { ...verified, stringToSign }, held);
      }
      const { method } = strategy;
      const { appKey, mac } = credentials;
      const signedAtSeconds = credentials.signedAtSeconds ?? nowSeconds;
      const late = checkTime(signedAtSeconds, nowSeconds, options.clockSkewSeconds);
      if (late !== null) return nameCaller(late, held);
      return whenReady(strategy.checkBody(credentials, routed.received.request), (altered) => {
        if (altered !== null) return nameCaller(altered, held);
        const reservation = options.replayProtection
          ? ports.replayGuard.reserve(
              {
                method,
                appKey,
                mac,
                signedAtSeconds,
                credentialId: signer.credentialId,
                consumerId: signer.consumerId,
              },
              routed.catalog.endpoints.longestSkewSeconds[method],
            )
          : 'first';
        return whenReady(reservation, (reserved) =>
          reserved === 'first'
            ? vouchFor(
                routed,
                held,
                strategy.conceal(routed, options, credentials),
                verified.secretIndex === 0 ? 'current' : 'retiring',
              )
            : nameCaller(refusalOf(reserved), held),
        );
      });
    });
  });
}

/** The refusal of a signature that was used before, or for which the memory of used ones has no room (spec §4.4). */
function refusalOf(reservation: Exclude<Reservation, 'first'>): Refusal {
  switch (reservation) {
    case 'repeated':
      return refuse('REQUEST_REPLAYED', 'the signature was used before');
    case 'outdated':
      return refuse('REQUEST_EXPIRED', 'the signature is of a time of which used ones are no longer remembered');
    default:
      return {
        ...refuse('RATE_LIMITED', 'the caller has used up its share of the signatures that can be remembered'),
        exceeded: { reading: null, retryAfterSeconds: reservation.retryAfterSeconds },
      };
  }
}
