import type { HmacOptions } from '../../../model/endpoint.ts';
import type { Secret } from '../../../model/secret.ts';
import type { Routed } from '../../route/route.ts';
import { takeTurns } from '../../../base/text/work.ts';
import { checkTime, timeWindow } from '../../signing/signed-time.ts';
import type { SignatureStrategy } from '../authenticate-signer.ts';
import { unchanged, type UpstreamChanges } from '../authenticated.ts';
import { appSecrets } from '../caller.ts';
import { checkDigest } from './digest.ts';
import { type HmacCredentials, parseHmac, verifyHmac } from './signature.ts';

/** Takes the signature out of the request (spec §3.2). */
export function concealHmac(_routed: Routed, { hideCredentials }: HmacOptions): UpstreamChanges {
  return hideCredentials ? { ...unchanged, headersToRemove: ['authorization'] } : unchanged;
}

/** An HMAC over headers and request line, with the body bound in by its digest (spec §3.2). */
export const hmacStrategy: SignatureStrategy<HmacCredentials, HmacOptions, Secret> = {
  method: 'hmac',
  read: ({ received: { request } }, options) => parseHmac(request, options),
  keys: appSecrets,
  verify: verifyHmac,
  checkTime: (signedAt, now, { clockSkewSeconds }) => checkTime(signedAt, now, clockSkewSeconds),
  checkBody: ({ digest }, { body }) => (digest === null ? null : takeTurns(checkDigest(digest, body))),
  hintOf: ({ texts: [text] }) => (text === undefined ? undefined : Buffer.from(text, 'latin1')),
  markOf: ({ mac }) => mac,
  windowSeconds: timeWindow,
  conceal: concealHmac,
};
