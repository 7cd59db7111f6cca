import { type CertificateAuthority, readCertificate, type ReadCertificate } from '../model/certificate-identity.ts';
import type { Place, ProblemLog } from '../model/document/problem-log.ts';
import { subjectOf } from '../model/document/read-mapping.ts';
import { describeKeyFault } from '../model/public-key/public-key-fault.ts';

/** The certificate in a text of a document or a database; null when a problem was reported. */
export function takeCertificate(text: string, place: Place, problems: ProblemLog): ReadCertificate | null {
  const read = readCertificate(text);
  if (!('fault' in read)) return read;
  problems.report(place, describeKeyFault(subjectOf(place.path), read));
  return null;
}

/**
 * The authority that a certificate is of; null for none, of which nothing more is said, and for a certificate of no
 * authority, which is reported.
 */
export function takeAuthority(
  read: ReadCertificate | null,
  place: Place,
  problems: ProblemLog,
): CertificateAuthority | null {
  if (read === null) return null;
  const { pem, sha256, notAfter, isAuthority } = read;
  if (isAuthority) return { pem, sha256, notAfter };
  problems.report(
    place,
    `${subjectOf(place.path)}: this is the certificate of no authority (CA:TRUE is missing in it)`,
  );
  return null;
}
