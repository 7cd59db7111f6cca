import type { HmacOptions } from '../../model/endpoint.ts';
import type { Pending } from '../../pending.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import { takeTurns } from '../../signing/work.ts';
import { authenticateSigner, type SignatureStrategy } from '../authenticate-signer.ts';
import { type Authenticated, type AuthenticationPorts, unchanged, type UpstreamChanges } from '../authenticated.ts';
import { refuseUndeliveredBody } from '../signed-request.ts';
import { checkDigest } from './digest.ts';
import { type HmacCredentials, parseHmac, verifyHmac } from './signature.ts';

/** Authenticates by an HMAC over headers and request line, with the body bound in by its digest (spec §3.2). */
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
  return authenticateSigner(strategy, routed, options, { credentials }, ports);
}

/** Takes the signature out of the request (spec §3.2). */
export function concealHmac(_routed: Routed, { hideCredentials }: HmacOptions): UpstreamChanges {
  return hideCredentials ? { ...unchanged, headersToRemove: ['authorization'] } : unchanged;
}

const strategy: SignatureStrategy<{ readonly credentials: HmacCredentials }, HmacOptions> = {
  method: 'hmac',
  verify: ({ credentials }, secrets) => verifyHmac(credentials, secrets),
  signedAtSeconds: ({ credentials }) => credentials.dateSeconds,
  checkBody: ({ received }, { credentials: { digest } }) =>
    digest === null ? null : takeTurns(checkDigest(digest, received.request.body)),
  hintOf: ({ credentials: { texts } }) => texts[0],
  conceal: concealHmac,
};
