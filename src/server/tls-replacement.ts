import { createSecureContext } from 'node:tls';
import { hasLostAuthority, readCertificates } from '../tls/certificates.ts';
import { listenerContext } from './tls-listener.ts';
import type { TlsIdentity } from './transport.ts';

/** How long calls of a connection may go on that was told to come anew. */
export const SENT_AWAY_GRACE_MS = 30_000;

/** What a new identity means for the connections that there are. */
export interface TlsReplacement {
  /** An authority is no longer trusted: peers have to show their certificate anew. */
  readonly mustComeAnew: boolean;
}

/**
 * Throws, with what is wrong, unless `next` can take the place of `former` on a running listener. Whether peers must
 * show a certificate is settled when the listener starts: a new identity without the CA would let any publicly
 * signed one pass.
 */
export function checkTlsReplacement(former: TlsIdentity | undefined, next: TlsIdentity): TlsReplacement {
  if (former === undefined) throw new Error('the listener was started without TLS');
  if ((former.ca === undefined) !== (next.ca === undefined)) {
    throw new Error('whether clients need a certificate cannot change while the listener runs');
  }
  readCertificates(Buffer.from(next.cert));
  createSecureContext(listenerContext(next));
  if (former.ca === undefined || next.ca === undefined) return { mustComeAnew: false };
  return { mustComeAnew: hasLostAuthority(Buffer.from(former.ca), Buffer.from(next.ca)) };
}
