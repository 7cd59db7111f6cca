import { createSecureContext } from 'node:tls';
import type { TlsIdentity } from './transport.ts';

/**
 * Throws, with what is wrong, unless `next` can take the place of `former` on a running listener. Whether peers must
 * show a certificate is settled when the listener starts: a new identity without the CA would let any publicly
 * signed one pass.
 */
export function checkTlsReplacement(former: TlsIdentity | undefined, next: TlsIdentity): void {
  if (former === undefined) throw new Error('the listener was started without TLS');
  if ((former.ca === undefined) !== (next.ca === undefined)) {
    throw new Error('whether clients need a certificate cannot change while the listener runs');
  }
  createSecureContext({ ...next });
}
