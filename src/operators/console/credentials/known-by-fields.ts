import { MAX_CERTIFICATE_CHARACTERS, readCertificate } from '../../../model/certificate-identity.ts';
import type { Html } from '../frame/html.ts';
import type { Form } from '../frame/page.ts';
import { fileFor, type Refused, textArea, textField } from '../parts/form.ts';
import { textsOfLines } from '../parts/text-lines.ts';

/** What a credential without an App Key is known by, as it is typed. */
export interface TypedKnownBy {
  readonly issuer: string;
  /** A claim on each line. */
  readonly claims: string;
  /** A certificate as PEM, its SHA-256, or a URI or DNS name in it. */
  readonly certificate: string;
  /** The certificate of the authority, as PEM; beside a name only. */
  readonly authority: string;
}

/** Before anything was typed. */
export const noKnownBy: TypedKnownBy = { issuer: '', claims: '', certificate: '', authority: '' };

/** What was typed. */
export function typedKnownBy({ text }: Pick<Form, 'text'>): TypedKnownBy {
  return {
    issuer: text('issuer'),
    claims: text('claims'),
    certificate: text('certificate'),
    authority: text('authority'),
  };
}

/** The fields. A text that may be a private key is not shown again. */
export function knownByFields(typed: TypedKnownBy, refused: Refused): readonly Html[] {
  const { issuer, claims, certificate, authority } = typed;
  const shown = (text: string): string => (text.includes('-----') && 'fault' in readCertificate(text) ? '' : text);
  return [
    textField({ name: 'issuer', label: 'Issuer', hint: ISSUER_HINT, value: issuer }, refused),
    textArea({ name: 'claims', label: 'Claims', hint: CLAIMS_HINT, value: claims }, refused),
    textArea(
      { name: 'certificate', label: 'Certificate', hint: CERTIFICATE_HINT, value: shown(certificate), rows: 5 },
      refused,
    ),
    fileFor('certificate', 'Take the certificate from a file', MAX_CERTIFICATE_CHARACTERS),
    textArea(
      { name: 'authority', label: 'Authority', hint: AUTHORITY_HINT, value: shown(authority), rows: 5 },
      refused,
    ),
    fileFor('authority', 'Take the authority from a file', MAX_CERTIFICATE_CHARACTERS),
  ];
}

const ISSUER_HINT = 'For jwt: the id of the issuer whose tokens the consumer sends.';
const CLAIMS_HINT = 'For jwt: the claims that these tokens have, one on each line, such as azp=acme-batch.';
const CERTIFICATE_HINT =
  'For certificate: the one of the consumer as PEM, its SHA-256, or a URI or DNS name in it. Never a private key.';
const AUTHORITY_HINT = 'Beside a URI or DNS name: the certificate of who issues certificates with it, as PEM.';

/** The part of a body. */
export function knownByInBody({ issuer, claims, certificate, authority }: TypedKnownBy): object {
  return {
    ...(issuer === '' ? {} : { issuer }),
    ...(claims.trim() === '' ? {} : { claims: claimsIn(claims) }),
    ...(certificate.trim() === '' && authority.trim() === ''
      ? {}
      : {
          certificate: {
            ...certificateIn(certificate.trim()),
            ...(authority.trim() === '' ? {} : { authority: { pem: authority } }),
          },
        }),
  };
}

/** The last of equal names is not silently taken: a value with both is none that a token has. */
function claimsIn(lines: string): Readonly<Record<string, string>> {
  const claims = new Map<string, string>();
  for (const line of textsOfLines(lines)) {
    const at = line.indexOf('=');
    const [name, value] = at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
    claims.set(name, claims.has(name) ? '' : value);
  }
  return Object.fromEntries(claims);
}

function certificateIn(text: string): object {
  if (text === '') return {};
  if (text.includes('-----')) return { pem: text };
  if (/^[0-9A-Fa-f:]{64,95}$/.test(text)) return { sha256: text };
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) ? { uri: text } : { dns: text };
}
