import type { HmacOptions } from '../../../model/endpoint.ts';
import type { Routed } from '../../route/route.ts';
import { takeTurns } from '../../../base/text/work.ts';
import type { SignatureStrategy } from '../authenticate-signer.ts';
import { unchanged, type UpstreamChanges } from '../authenticated.ts';
import { checkDigest } from './digest.ts';
import { type HmacCredentials, parseHmac, verifyHmac } from './signature.ts';

/** Takes the signature out of the request (spec §3.2). */
export function concealHmac(_routed: Routed, { hideCredentials }: HmacOptions): UpstreamChanges {
  return hideCredentials ? { ...unchanged, headersToRemove: ['authorization'] } : unchanged;
}

/** An HMAC over headers and request line, with the body bound in by its digest (spec §3.2). */
export const hmacStrategy: SignatureStrategy<HmacCredentials, HmacOptions> = {
  method: 'hmac',
  read: parseHmac,
  verify: verifyHmac,
  checkBody: ({ digest }, { body }) => (digest === null ? null : takeTurns(checkDigest(digest, body))),
  hintOf: ({ texts: [text] }) => (text === undefined ? undefined : Buffer.from(text, 'latin1')),
  conceal: concealHmac,
};
