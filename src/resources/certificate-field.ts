import {
  type CertificateAuthority,
  type CertificateIdentity,
  MAX_AUTHORITIES,
  MAX_URI_CHARACTERS,
  normalDnsName,
  normalSha256,
  normalUri,
  readCertificate,
  type ReadCertificate,
} from '../model/certificate-identity.ts';
import {
  choiceField,
  isMapping,
  nestedList,
  nestedMapping,
  textField,
  textThat,
  timeField,
} from '../model/document/fields.ts';
import { placeIn, type Place } from '../model/document/problem-log.ts';
import { hasKey, readList, readMapping, subjectOf } from '../model/document/read-mapping.ts';
import { certificateMaterial, type CertificateMaterial } from '../model/material.ts';
import type { CredentialContext } from './app-secret.ts';
import { takeAuthority, takeCertificate } from './certificate-text.ts';
import { type Declared, declareTime } from './declared.ts';

const SHA256_RULE = 'must be a SHA-256: 64 hexadecimal digits, with or without colons between each two';
const URI_RULE = `must be an absolute URI of at most ${String(MAX_URI_CHARACTERS)} characters, without a user and a fragment, such as spiffe://partner.example/batch`;
const DNS_RULE = 'must be one DNS name, such as batch.partner.example; a name with * stands for many';

const authorityKind = { what: 'an authority', fields: { pem: textField, file: textField }, required: [] } as const;

/** What a certificate can be identified by, of which a mapping has exactly one. */
const identifiers = ['pem', 'file', 'sha256', 'publicKeySha256', 'uri', 'dns'] as const;

/** What of a PEM counts: the certificate, or its public key, which may outlive it. */
export const certificateMatches = ['certificate', 'public-key'] as const;

const certificateKind = {
  what: '"certificate"',
  fields: {
    pem: textField,
    file: textField,
    match: choiceField(certificateMatches),
    sha256: textThat((text) => normalSha256(text) !== null, SHA256_RULE),
    notAfter: timeField,
    publicKeySha256: textThat((text) => normalSha256(text) !== null, SHA256_RULE),
    uri: textThat((text) => normalUri(text) !== null, URI_RULE),
    dns: textThat((text) => normalDnsName(text) !== null, DNS_RULE),
    authority: nestedMapping(authorityKind),
    authorities: nestedList(authorityKind),
  },
  required: [],
} as const;

/** `certificate` of a declarative file. */
export const certificateField = nestedMapping(certificateKind);

/** Where another key of the mapping belongs to. */
const companions = {
  match: ['pem', 'file'],
  notAfter: ['sha256'],
  authority: ['uri', 'dns'],
  authorities: ['uri', 'dns'],
} as const;

const FORMS =
  '{ pem: TEXT }, { file: PATH }, { sha256: HEX }, { publicKeySha256: HEX }, { uri: URI, authority: … } or { dns: NAME, authority: … }';

/** Reads `certificate` of a document; null when a problem was reported. */
export function readDeclaredCertificate(
  credential: unknown,
  raw: unknown,
  parent: Place,
  context: CredentialContext,
): CertificateMaterial | null {
  const { problems } = context;
  if (!hasKey(credential, 'certificate')) {
    problems.reportMissing(parent, `"certificate" is missing; write ${FORMS}`);
    return null;
  }
  if (raw === undefined) return null;
  const place = placeIn(parent, 'certificate');
  const before = problems.count;
  const values = readMapping(raw, place, certificateKind, problems);
  if (values === null || problems.count > before) return null;
  const given = identifiers.filter((key) => hasKey(raw, key));
  const [identifier] = given;
  if (identifier === undefined || given.length > 1) {
    problems.report(place, `"certificate" must be ${FORMS}, one of these`);
    return null;
  }
  for (const [key, taken] of Object.entries(companions)) {
    const isRight = (taken as readonly string[]).includes(identifier);
    if (hasKey(raw, key) && !isRight) problems.reportKey(place, key, `"${key}" is only for ${taken.join(' and ')}`);
  }
  const read = readCertificateAt(values, place, context);
  const authorities = identifier === 'uri' || identifier === 'dns' ? readAuthorities(raw, values, place, context) : [];
  if (problems.count > before) return null;
  const identity = identityOf(values, read, authorities);
  return identity === null ? null : certificateMaterial(identity);
}

interface CertificateValues {
  readonly match?: (typeof certificateMatches)[number];
  readonly sha256?: string;
  readonly notAfter?: number | null;
  readonly publicKeySha256?: string;
  readonly uri?: string;
  readonly dns?: string;
}

function identityOf(
  { match, sha256, notAfter, publicKeySha256, uri, dns }: CertificateValues,
  read: ReadCertificate | null,
  authorities: readonly CertificateAuthority[],
): CertificateIdentity | null {
  if (read !== null) {
    if (match === 'public-key') return { by: 'public-key', sha256: read.publicKeySha256 };
    return { by: 'certificate', sha256: read.sha256, notAfter: read.notAfter };
  }
  const [whole, key] = [sha256, publicKeySha256].map((text) => (text === undefined ? null : normalSha256(text)));
  if (typeof whole === 'string') return { by: 'certificate', sha256: whole, notAfter: notAfter ?? null };
  if (typeof key === 'string') return { by: 'public-key', sha256: key };
  const [uriName, dnsName] = [uri === undefined ? null : normalUri(uri), dns === undefined ? null : normalDnsName(dns)];
  if (uriName !== null) return { by: 'uri', name: uriName, authorities };
  return dnsName === null ? null : { by: 'dns', name: dnsName, authorities };
}

/** The certificate in `pem` or in the file of `file`; null for neither, or when a problem was reported. */
function readCertificateAt(
  { pem, file }: { readonly pem?: string; readonly file?: string },
  place: Place,
  { problems, readKeyFile }: CredentialContext,
): ReadCertificate | null {
  const at = placeIn(place, pem === undefined ? 'file' : 'pem');
  if (pem !== undefined) return takeCertificate(pem, at, problems);
  if (file === undefined) return null;
  const isPath = file !== '' && !file.includes('\0');
  const answer = isPath ? readKeyFile(file, place.tree.file) : { fault: 'names no file' };
  if ('text' in answer) return takeCertificate(answer.text, at, problems);
  problems.report(at, `${subjectOf(place.path)} ${answer.fault}`);
  return null;
}

function readAuthorities(
  raw: unknown,
  { authority, authorities }: { readonly authority?: unknown; readonly authorities?: unknown },
  place: Place,
  context: CredentialContext,
): readonly CertificateAuthority[] {
  const { problems } = context;
  if (hasKey(raw, 'authority') && hasKey(raw, 'authorities')) {
    problems.reportKey(place, 'authorities', '"authority" and "authorities" exclude each other; keep one');
    return [];
  }
  if (hasKey(raw, 'authority')) {
    const read = readAuthority(authority, placeIn(place, 'authority'), context);
    return read === null ? [] : [read];
  }
  const at = placeIn(place, 'authorities');
  const list = readList(authorities, at, problems) ?? [];
  if (list.length === 0 || list.length > MAX_AUTHORITIES) {
    const message = `"authority" is missing; a name needs the certificate of who issues certificates with it, or "authorities" with 1 to ${String(MAX_AUTHORITIES)} of them`;
    if (hasKey(raw, 'authorities')) problems.report(at, `"authorities" must be 1 to ${String(MAX_AUTHORITIES)}`);
    else problems.reportMissing(place, message);
    return [];
  }
  const found = new Map<string, CertificateAuthority>();
  for (const [index, item] of list.entries()) {
    const read = readAuthority(item, placeIn(at, index), context);
    if (read === null) continue;
    if (found.has(read.sha256)) problems.report(placeIn(at, index), 'an authority appears twice in this list');
    found.set(read.sha256, read);
  }
  return [...found.values()];
}

function readAuthority(raw: unknown, place: Place, context: CredentialContext): CertificateAuthority | null {
  const { problems } = context;
  const values = readMapping(raw, place, authorityKind, problems);
  if (values === null) return null;
  if (Object.keys(values).length !== 1) {
    problems.report(place, `${subjectOf(place.path)} must be { pem: TEXT } or { file: PATH }, one of the two`);
    return null;
  }
  return takeAuthority(readCertificateAt(values, place, context), place, problems);
}

/** `certificate` as a document has it. */
export function declareCertificate({ identity }: CertificateMaterial): Declared {
  return { certificate: declareIdentity(identity) };
}

function declareIdentity(identity: CertificateIdentity): Declared {
  switch (identity.by) {
    case 'certificate': {
      const { sha256, notAfter } = identity;
      return notAfter === null ? { sha256 } : { sha256, notAfter: declareTime(notAfter) };
    }
    case 'public-key':
      return { publicKeySha256: identity.sha256 };
    case 'uri':
    case 'dns': {
      const { by, name, authorities } = identity;
      const [first, ...others] = authorities.map(({ pem }) => ({ pem }));
      return others.length === 0 ? { [by]: name, authority: first } : { [by]: name, authorities: [first, ...others] };
    }
  }
}

/**
 * `certificate` as changes are described: each certificate of an authority is a text with its SHA-256. Anything that is
 * no certificate stays as it is.
 */
export function shortenCertificate(declared: Declared): Declared {
  const { authority, authorities } = declared;
  return {
    ...declared,
    ...(authority === undefined ? {} : { authority: shortAuthority(authority) }),
    ...(Array.isArray(authorities) ? { authorities: authorities.map(shortAuthority) } : {}),
  };
}

function shortAuthority(declared: unknown): unknown {
  const pem = isMapping(declared) ? declared['pem'] : null;
  const read = typeof pem === 'string' ? readCertificate(pem) : null;
  return read === null || 'fault' in read ? declared : `SHA-256 ${read.sha256}, ends ${declareTime(read.notAfter)}`;
}
