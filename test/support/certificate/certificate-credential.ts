import { X509Certificate } from 'node:crypto';
import {
  type CertificateAuthority,
  type CertificateIdentity,
  readCertificate,
  type ReadCertificate,
} from '../../../src/model/certificate-identity.ts';
import type { Credential } from '../../../src/model/credential.ts';
import { hashAppKey } from '../../../src/model/app-key.ts';
import { certificateMaterial, derivedAppKeyOf } from '../../../src/model/material.ts';
import type { Certified } from '../grpc/certificate.ts';
import { credential } from '../pipeline/resources.ts';

/** A credential of method `certificate`: `acme-certificate` of `acme`, unless stated otherwise. */
export function certificateCredential(identity: CertificateIdentity, parts: Partial<Credential> = {}): Credential {
  const material = certificateMaterial(identity);
  const appKeyHash = hashAppKey(derivedAppKeyOf(material) ?? '');
  return credential({ id: 'acme-certificate', methods: ['certificate'], material, appKeyHash, ...parts });
}

/** A certificate as a credential is made of it. */
export function read({ cert }: Pick<Certified, 'cert'>): ReadCertificate {
  const certificate = readCertificate(cert);
  if ('fault' in certificate) throw new Error(`the certificate of the test ${certificate.fault}`);
  return certificate;
}

/** The certificate alone. */
export function byCertificate(certified: Certified): CertificateIdentity {
  const { sha256, notAfter } = read(certified);
  return { by: 'certificate', sha256, notAfter };
}

/** Every certificate of its key. */
export function byPublicKey(certified: Certified): CertificateIdentity {
  return { by: 'public-key', sha256: read(certified).publicKeySha256 };
}

/** Every certificate with this name that one of these authorities issued. */
export function byName(by: 'uri' | 'dns', name: string, ...authorities: readonly Certified[]): CertificateIdentity {
  return { by, name, authorities: authorities.map(authorityOf) };
}

/** What a credential keeps of an authority. */
export function authorityOf(certified: Certified): CertificateAuthority {
  const { pem, sha256, notAfter } = read(certified);
  return { pem, sha256, notAfter };
}

/** The bytes of a certificate, as PEM. */
export function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** The bytes of a certificate. */
export function derOf({ cert }: Pick<Certified, 'cert'>): Buffer {
  return new X509Certificate(cert).raw;
}
