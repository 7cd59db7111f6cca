import { type CertificateIdentity, MAX_AUTHORITIES, normalDnsName, normalUri } from '../model/certificate-identity.ts';
import {
  choiceField,
  dateField,
  dateOf,
  nestedList,
  nestedMapping,
  textField,
  textThat,
} from '../model/document/fields.ts';
import { placeIn, type Place, type ProblemLog } from '../model/document/problem-log.ts';
import { readList, readMapping } from '../model/document/read-mapping.ts';
import { certificateMaterial, type CertificateMaterial } from '../model/material.ts';
import { takeAuthority, takeCertificate } from './certificate-text.ts';

const hexField = textThat((text) => /^[0-9a-f]{64}$/.test(text), 'must be a SHA-256 of 64 characters 0-9 and a-f');

const storedAuthorityKind = { what: 'an authority', fields: { pem: textField }, required: ['pem'] } as const;

const storedKind = {
  what: '"certificate"',
  fields: {
    by: choiceField(['certificate', 'public-key', 'uri', 'dns']),
    sha256: hexField,
    notAfter: dateField,
    name: textField,
    authorities: nestedList(storedAuthorityKind),
  },
  required: ['by'],
} as const;

/** `certificate` of a database. */
export const storedCertificateField = nestedMapping(storedKind);

/** What a database keeps of a certificate. */
export interface StoredCertificate {
  readonly certificate: {
    readonly by: CertificateIdentity['by'];
    readonly sha256?: string;
    /** Of the certificate, or of the first authority that ends; an index has it. */
    readonly notAfter?: Date;
    readonly name?: string;
    readonly authorities?: readonly { readonly pem: string }[];
  };
}

/** Reads `certificate` of a database; null when a problem was reported. */
export function readStoredCertificate(raw: unknown, parent: Place, problems: ProblemLog): CertificateMaterial | null {
  if (raw === undefined) return null;
  const place = placeIn(parent, 'certificate');
  const before = problems.count;
  const values = readMapping(raw, place, storedKind, problems);
  if (values === null || problems.count > before) return null;
  const { by } = values;
  const identity = by === undefined ? null : storedIdentity({ ...values, by }, place, problems);
  if (problems.count > before) return null;
  if (identity !== null) return certificateMaterial(identity);
  problems.report(
    place,
    '"certificate" lacks what its "by" needs, has a name that is not in normal form, or another end than its authorities',
  );
  return null;
}

function storedIdentity(
  values: {
    readonly by: CertificateIdentity['by'];
    readonly sha256?: string;
    readonly notAfter?: number;
    readonly name?: string;
    readonly authorities?: unknown;
  },
  place: Place,
  problems: ProblemLog,
): CertificateIdentity | null {
  const { by, sha256, notAfter = null, name } = values;
  switch (by) {
    case 'certificate':
      return sha256 === undefined ? null : { by, sha256, notAfter };
    case 'public-key':
      return sha256 === undefined ? null : { by, sha256 };
    case 'uri':
    case 'dns': {
      const at = placeIn(place, 'authorities');
      const authorities = (readList(values.authorities, at, problems) ?? []).flatMap((item, index) => {
        const stored = readMapping(item, placeIn(at, index), storedAuthorityKind, problems);
        const read = stored?.pem === undefined ? null : takeCertificate(stored.pem, placeIn(at, index), problems);
        return takeAuthority(read, placeIn(at, index), problems) ?? [];
      });
      const isNormal = name !== undefined && name === (by === 'uri' ? normalUri(name) : normalDnsName(name));
      const first = Math.min(...authorities.map((authority) => authority.notAfter));
      if (!isNormal || notAfter !== first || authorities.length === 0 || authorities.length > MAX_AUTHORITIES)
        return null;
      return { by, name, authorities };
    }
  }
}

/** A certificate as a database keeps it. */
export function storeCertificate({ identity }: CertificateMaterial): StoredCertificate {
  switch (identity.by) {
    case 'certificate': {
      const { by, sha256, notAfter } = identity;
      return { certificate: notAfter === null ? { by, sha256 } : { by, sha256, notAfter: dateOf(notAfter) } };
    }
    case 'public-key':
      return { certificate: { by: identity.by, sha256: identity.sha256 } };
    case 'uri':
    case 'dns': {
      const { by, name, authorities } = identity;
      const notAfter = dateOf(Math.min(...authorities.map((authority) => authority.notAfter)));
      return { certificate: { by, name, notAfter, authorities: authorities.map(({ pem }) => ({ pem })) } };
    }
  }
}
