import type { HttpSignatureOptions } from '../../../model/endpoint.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import { unchanged, type UpstreamChanges } from '../authenticated.ts';

/** Takes the signatures out of the request (spec §3.5). */
export function concealHttpSignature(_routed: Routed, { hideCredentials }: HttpSignatureOptions): UpstreamChanges {
  return hideCredentials ? { ...unchanged, headersToRemove: ['signature', 'signature-input'] } : unchanged;
}

/** Refuses every caller. */
export function authenticateByHttpSignature({ received: { request } }: Routed): Refusal {
  if (!request.headers.has('signature-input') || !request.headers.has('signature')) {
    return refuse('CREDENTIALS_MISSING', 'the request has no Signature-Input, or no Signature');
  }
  return refuse('AUTHENTICATION_FAILED', 'HTTP message signatures are not verified yet');
}
