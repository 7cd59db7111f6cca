import type { HmacOptions } from '../model/endpoint.ts';
import { type Pending, whenReady } from '../pending.ts';
import { isRefusal, refuse, type Refusal } from '../refusal.ts';
import type { Routed } from '../route/route.ts';
import { checkDigest } from '../signature/digest.ts';
import { type HmacCredentials, parseHmac, verifyHmac } from '../signature/hmac.ts';
import { checkTime } from '../signature/time-window.ts';
import type { HeldCredential } from '../store/credential-source.ts';
import { type Authenticated, type AuthenticationPorts, vouchFor } from './authenticated.ts';
import { refuseReplay } from './replay.ts';
import { findSigner, secretOf } from './signer.ts';
import { takeTurns } from './take-turns.ts';
import { refuseUndeliveredBody } from './undelivered-body.ts';
import { type UpstreamChanges, unchanged } from './upstream-changes.ts';

/**
 * Authenticates by an HMAC over headers and request line, with the body bound in by its digest (spec §3.2).
 * What is wrong with time or digest, or that the signature was used before, is told only after the signature was right.
 */
export function authenticateByHmac(
  routed: Routed,
  options: HmacOptions,
  ports: AuthenticationPorts,
): Pending<Authenticated | Refusal> {
  const { request } = routed.received;
  const undelivered = refuseUndeliveredBody(request);
  if (undelivered !== null) return undelivered;
  const credentials = parseHmac(request, options);
  if (isRefusal(credentials)) return credentials;
  return whenReady(routed.snapshot.credentials.findByAppKey(credentials.appKey), (held) =>
    judge(routed, options, credentials, held, ports),
  );
}

/** Takes the signature out of the request (spec §3.2). */
export function concealHmac({ hideCredentials }: HmacOptions): UpstreamChanges {
  return hideCredentials ? { ...unchanged, headersToRemove: ['authorization'] } : unchanged;
}

function judge(
  routed: Routed,
  options: HmacOptions,
  credentials: HmacCredentials,
  held: HeldCredential | null,
  ports: AuthenticationPorts,
): Pending<Authenticated | Refusal> {
  const nowSeconds = ports.clock.nowSeconds();
  const signer = findSigner(held, 'hmac', nowSeconds);
  const verified = verifyHmac(credentials, signer.secrets);
  if (signer.fault !== null) return withHint(refuse('AUTHENTICATION_FAILED', signer.fault), options, credentials);
  if (isRefusal(verified)) return withHint(verified, options, credentials);
  const late = checkTime(credentials.dateSeconds, nowSeconds, options.clockSkewSeconds);
  if (late !== null) return late;
  const { appKey, mac, digest: claimed } = credentials;
  const accept = (): Pending<Authenticated | Refusal> =>
    whenReady(
      refuseReplay(options, { method: 'hmac', appKey, mac }, ports),
      (replayed) => replayed ?? vouchFor(routed, held, concealHmac(options), secretOf(verified)),
    );
  if (claimed === null) return accept();
  return whenReady(takeTurns(checkDigest(claimed, routed.received.request.body)), (altered) => altered ?? accept());
}

function withHint(refusal: Refusal, { signatureHints }: HmacOptions, { texts: [text] }: HmacCredentials): Refusal {
  return signatureHints && text !== undefined ? { ...refusal, stringToSign: text } : refusal;
}
