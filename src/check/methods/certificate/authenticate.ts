import { type Refusal, refuse } from '../../refusal.ts';

/** Authenticates by the certificate of the connection (spec §3.7). So far none is taken: every request is refused. */
export function authenticateByCertificate(): Refusal {
  return refuse('AUTHENTICATION_FAILED', 'certificates of connections are not verified yet');
}
