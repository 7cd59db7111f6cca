import type { CertificateOptions } from '../../../model/endpoint.ts';
import { type Pending, whenReady } from '../../../base/pending.ts';
import { isRefusal, type Refusal, refuse } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import type { HeldCredential } from '../../store/credential-source.ts';
import { type Authenticated, type AuthenticationPorts, unchanged, vouchFor } from '../authenticated.ts';
import { type CredentialFault, findCredentialFault, nameCaller, refuseCaller } from '../caller.ts';
import { findHolders, type Holders } from './find-holders.ts';
import { findTimeFault, type PeerCertificate } from './peer-certificate.ts';

const MISSING =
  'Envoy sent no client certificate: the connection has none, or include_peer_certificate of ext_authz is off';

/** No credential of the store names the certificate. */
export const unknownCertificate: CredentialFault = {
  refused: 'AUTHENTICATION_FAILED',
  name: 'certificate-unknown',
  detail: 'no credential names the certificate',
  fix: 'Issue a credential that names the certificate, its public key, or a name in it with its authority',
};

/**
 * Authenticates by the certificate of the connection (spec §3.7), which Envoy ended: TLS has proved that the caller has
 * its private key. No header counts.
 */
export function authenticateByCertificate(
  routed: Routed,
  _options: CertificateOptions,
  { clock, peerCertificates }: AuthenticationPorts,
): Pending<Authenticated | Refusal> {
  const sent = routed.received.request.peerCertificate;
  if (sent === null || sent.length === 0) return refuse('CREDENTIALS_MISSING', MISSING);
  const certificate = peerCertificates.read(sent);
  if (certificate === null) return refuseCaller(routed, failed('the client certificate cannot be read'), null);
  return whenReady(findHolders(routed.catalog.credentials, certificate.knownBy), (holders) => {
    const caller = judgeHolders(certificate, holders, peerCertificates, clock.nowSeconds());
    if (isRefusal(caller)) return refuseCaller(routed, caller, caller.about ?? null);
    return vouchFor(routed, caller, unchanged);
  });
}

/**
 * The one credential that a certificate stands for now. A revoked one that names it refuses it, whatever else names it,
 * and so does a second consumer: whose certificate it is would be a guess. Throws the outage that keeps it from
 * knowing.
 */
function judgeHolders(
  certificate: PeerCertificate,
  { found, outage }: Holders,
  { issuers }: AuthenticationPorts['peerCertificates'],
  nowSeconds: number,
): HeldCredential | Refusal {
  const proved = found.filter(({ credential: { material } }) => {
    if (material.kind !== 'certificate') return false;
    const { identity } = material;
    return 'sha256' in identity || issuers.isOneIssuerOf(certificate, identity.authorities, nowSeconds);
  });
  const [first] = proved;
  if (first === undefined) {
    issuers.askNobody(certificate);
    if (outage !== null) throw outage;
    return found[0] === undefined ? unknownCertificate : nameCaller(otherAuthority(found[0]), found[0]);
  }
  const revoked = proved.find(({ credential }) => credential.state === 'revoked');
  const usable = proved.filter((held) => findCredentialFault(held, 'certificate', nowSeconds) === null);
  const caller = revoked ?? usable[0] ?? first;
  if (outage !== null && usable.length === 0) throw outage;
  const timeFault = findTimeFault(certificate, nowSeconds);
  const fault =
    findCredentialFault(caller, 'certificate', nowSeconds) ??
    (timeFault === null ? findAmbiguity(usable) : failed(`the client certificate ${timeFault}`));
  return fault === null ? caller : nameCaller(fault, caller);
}

function findAmbiguity(usable: readonly HeldCredential[]): Refusal | null {
  const [first, ...others] = usable;
  const other = others.find(({ consumer }) => consumer.id !== first?.consumer.id);
  if (first === undefined || other === undefined) return null;
  return failed(`two consumers have the client certificate: ${first.consumer.id} and ${other.consumer.id}`);
}

function otherAuthority({ credential }: HeldCredential): Refusal {
  return failed(`the credential ${credential.id} names no authority that issued the certificate and is valid now`);
}

function failed(detail: string): Refusal {
  return refuse('AUTHENTICATION_FAILED', detail);
}
