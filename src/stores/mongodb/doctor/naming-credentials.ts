import { type CertificateAuthority, readCertificate } from '../../../model/certificate-identity.ts';
import { connectMongodb } from '../connect.ts';
import { collectionOf } from '../documents.ts';
import { MongodbUnavailable, withFaults } from '../faults.ts';

/** Of more, enough is said. */
const MAX_CREDENTIALS = 10_000;

/**
 * Finds the credentials that are known by names in certificates, without revoked ones, with the authorities that they
 * name; null when the database cannot be read. What is wrong in them is a finding of another check.
 */
export async function findNamingCredentials(
  uri: string,
): Promise<readonly { readonly id: string; readonly authorities: readonly CertificateAuthority[] }[] | null> {
  try {
    await using client = connectMongodb(uri, 'checks');
    const ofNames = { 'certificate.by': { $in: ['uri', 'dns'] }, state: { $ne: 'revoked' } };
    // An index has the end of certificates.
    const filter = { 'certificate.notAfter': { $gte: new Date(0) }, ...ofNames } as const;
    const options = { limit: MAX_CREDENTIALS, projection: { certificate: 1 } };
    const documents = await withFaults(
      async () => await collectionOf(client.db(), 'credentials').find(filter, options).toArray(),
    );
    const all = documents.map(({ _id: id, certificate }) => ({
      id,
      authorities: (certificate?.authorities ?? []).flatMap(({ pem }) => readAuthority(pem)),
    }));
    return all.filter(({ authorities }) => authorities.length > 0);
  } catch (error) {
    if (error instanceof MongodbUnavailable) return null;
    throw error;
  }
}

function readAuthority(pem: unknown): readonly CertificateAuthority[] {
  const read = typeof pem === 'string' ? readCertificate(pem) : null;
  if (read === null || 'fault' in read) return [];
  const { sha256, notAfter } = read;
  return [{ pem: read.pem, sha256, notAfter }];
}
