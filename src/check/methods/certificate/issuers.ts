import { type KeyObject, X509Certificate } from 'node:crypto';
import type { CertificateAuthority } from '../../../model/certificate-identity.ts';
import { findTimeFault, type PeerCertificate, type Times, timesOf } from './peer-certificate.ts';
import { verifyForNobody } from './verify-for-nobody.ts';

/** What a certificate may be used for, where it says so: for clients, or for anything (RFC 5280 §4.2.1.12). */
const CLIENT_USES: readonly string[] = ['1.3.6.1.5.5.7.3.2', '2.5.29.37.0'];
/** Stands for all authorities that no credential names. */
const NOBODY = '';

/** An authority as it was read. */
interface ReadAuthority extends Times {
  readonly x509: X509Certificate;
  readonly publicKey: KeyObject;
}

/**
 * Judges who issued certificates. A signature is verified once for each certificate and authority; the times of
 * authorities are compared at each request.
 */
export class Issuers {
  /** Read once, and given up with the credential that names them; null for one that cannot be read. */
  readonly #authorities = new WeakMap<CertificateAuthority, ReadAuthority | null>();

  /** Whether one of these authorities issued a certificate, and is valid itself now. */
  isOneIssuerOf(
    certificate: PeerCertificate,
    authorities: readonly CertificateAuthority[],
    nowSeconds: number,
  ): boolean {
    return authorities.some((authority) => this.#isIssuerOf(certificate, authority, nowSeconds));
  }

  /** Verifies, once for each certificate, a signature for which no authority was asked: see {@link verifyForNobody}. */
  askNobody({ der, verdicts }: PeerCertificate): void {
    if (verdicts.size > 0) return;
    verdicts.set(NOBODY, false);
    verifyForNobody(der);
  }

  #isIssuerOf({ der, verdicts }: PeerCertificate, authority: CertificateAuthority, nowSeconds: number): boolean {
    const read = this.#read(authority);
    if (read === null || findTimeFault(read, nowSeconds) !== null) return false;
    const known = verdicts.get(authority.sha256);
    if (known !== undefined) return known;
    const verdict = isIssued(new X509Certificate(der), read);
    verdicts.set(authority.sha256, verdict);
    return verdict;
  }

  #read(authority: CertificateAuthority): ReadAuthority | null {
    const known = this.#authorities.get(authority);
    if (known !== undefined) return known;
    const read = readAuthority(authority);
    this.#authorities.set(authority, read);
    return read;
  }
}

function readAuthority({ pem }: CertificateAuthority): ReadAuthority | null {
  try {
    const x509 = new X509Certificate(pem);
    return { x509, publicKey: x509.publicKey, ...timesOf(x509) };
  } catch {
    // It was right when it was stored. Nothing that it issued counts.
    return null;
  }
}

/**
 * Whether an authority issued a certificate that clients may use: names, key identifiers and the uses of the
 * authority's key fit (RFC 5280 §6.1), the signature is right, and the certificate is not an authority's own.
 */
function isIssued(x509: X509Certificate, { x509: authority, publicKey }: ReadAuthority): boolean {
  if (x509.ca || !authority.ca || !isForClients(x509)) return false;
  try {
    return x509.checkIssued(authority) && x509.verify(publicKey);
  } catch {
    // OpenSSL could not even try: keys of another kind than the signature.
    return false;
  }
}

/** Node calls the extended uses of the key so; a certificate without them is not limited. */
function isForClients({ keyUsage }: X509Certificate): boolean {
  const uses = keyUsage as readonly string[] | undefined;
  return uses === undefined || uses.some((use) => CLIENT_USES.includes(use));
}
