import type { HmacOptions } from '../../model/endpoint.ts';
import { type Pending, whenReady } from '../../pending.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import { checkTime } from '../../signing/signed-time.ts';
import { takeTurns } from '../../signing/work.ts';
import type { HeldCredential } from '../../store/credential-source.ts';
import {
  type Authenticated,
  type AuthenticationPorts,
  unchanged,
  type UpstreamChanges,
  vouchFor,
} from '../authenticated.ts';
import { findSigner, judgeProof, nameCaller, refuseCaller, secretOf } from '../caller.ts';
import { refuseReplay, refuseUndeliveredBody } from '../signed-request.ts';
import { checkDigest } from './digest.ts';
import { type HmacCredentials, parseHmac, verifyHmac } from './signature.ts';

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
  return whenReady(routed.catalog.credentials.findByAppKey(credentials.appKey), (held) =>
    judge(routed, options, credentials, held, ports),
  );
}

/** Takes the signature out of the request (spec §3.2). */
export function concealHmac(_routed: Routed, { hideCredentials }: HmacOptions): UpstreamChanges {
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
  const verified = judgeProof(signer, verifyHmac(credentials, signer.secrets));
  const refuseWith = (refusal: Refusal): Refusal => refuseCaller(routed, withHint(refusal, options, credentials), held);
  if (isRefusal(verified)) return refuseWith(verified);
  const late = checkTime(credentials.dateSeconds, nowSeconds, options.clockSkewSeconds);
  if (late !== null) return nameCaller(late, held);
  const { appKey, mac, digest: claimed, dateSeconds: signedAtSeconds } = credentials;
  const { credentialId } = signer;
  const accept = (): Pending<Authenticated | Refusal> =>
    whenReady(
      refuseReplay(routed, options, { method: 'hmac', appKey, mac, credentialId, signedAtSeconds }, ports.replayGuard),
      (replayed) =>
        replayed === null
          ? vouchFor(routed, held, concealHmac(routed, options), secretOf(verified))
          : nameCaller(replayed, held),
    );
  if (claimed === null) return accept();
  return whenReady(takeTurns(checkDigest(claimed, routed.received.request.body)), (altered) =>
    altered === null ? accept() : nameCaller(altered, held),
  );
}

function withHint(refusal: Refusal, { signatureHints }: HmacOptions, { texts: [text] }: HmacCredentials): Refusal {
  return signatureHints && text !== undefined ? { ...refusal, stringToSign: text } : refusal;
}
