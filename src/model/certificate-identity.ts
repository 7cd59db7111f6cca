import { hash, X509Certificate } from 'node:crypto';
import { hasFormOfPrivateKey, isOneSequence } from './public-key/der.ts';
import { PRIVATE_KEY_FAULT, type PublicKeyFault } from './public-key/public-key-fault.ts';

/** A certificate that issues those of partners. */
export interface CertificateAuthority {
  /** In the one form that {@link readCertificate} gives every certificate. */
  readonly pem: string;
  /** Of its DER, lower-case hex. */
  readonly sha256: string;
  /** Seconds since the epoch. */
  readonly notAfter: number;
}

/** The authorities that a credential may name. */
export const MAX_AUTHORITIES = 4;

/** What identifies the certificate of a consumer (spec §1). */
export type CertificateIdentity =
  | {
      readonly by: 'certificate';
      /** Of its DER, lower-case hex. */
      readonly sha256: string;
      /** Seconds since the epoch; null where only the SHA-256 was given. */
      readonly notAfter: number | null;
    }
  | {
      readonly by: 'public-key';
      /** Of its SubjectPublicKeyInfo in DER, lower-case hex. */
      readonly sha256: string;
    }
  | {
      readonly by: 'uri' | 'dns';
      /** In normal form: {@link normalUri}, {@link normalDnsName}. */
      readonly name: string;
      /** One of them issued the certificate: 1 to {@link MAX_AUTHORITIES}, each once. */
      readonly authorities: readonly CertificateAuthority[];
    };

/** What of a certificate counts. */
export interface ReadCertificate {
  /** One PEM block in lines of 64 characters. */
  readonly pem: string;
  /** Of its DER, lower-case hex. */
  readonly sha256: string;
  /** Of its SubjectPublicKeyInfo in DER, lower-case hex. */
  readonly publicKeySha256: string;
  /** The first and the last second since the epoch at which it is valid. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Whether it may issue others (RFC 5280 §4.2.1.9). */
  readonly isAuthority: boolean;
}

/** Characters of a text with a certificate at most. */
export const MAX_CERTIFICATE_CHARACTERS = 64 * 1024;

const PEM_BLOCK = /^-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----$/;

/**
 * Reads one certificate as PEM. Never throws, and no fault repeats anything of the text. Who signed it, and whether it
 * is valid now, are not looked at.
 */
export function readCertificate(text: string): ReadCertificate | PublicKeyFault {
  if (text.length > MAX_CERTIFICATE_CHARACTERS) {
    return { fault: `has more than ${String(MAX_CERTIFICATE_CHARACTERS)} characters, so it is no certificate` };
  }
  if (/PRIVATE KEY/i.test(text)) return PRIVATE_KEY_FAULT;
  const trimmed = text.trim();
  if (trimmed === '') return { fault: 'is empty; give a certificate as PEM' };
  if (trimmed.split('-----BEGIN ').length > 2) {
    return { fault: 'holds more than one PEM block; give one certificate alone' };
  }
  const [, label, content = ''] = PEM_BLOCK.exec(trimmed) ?? [];
  if (label === undefined) return { fault: 'is no PEM block alone; one begins with "-----BEGIN CERTIFICATE-----"' };
  const base64 = content.replace(/\s+/g, '');
  const der = Buffer.from(base64, 'base64');
  if (der.toString('base64') !== base64) return { fault: 'is a PEM block whose content is not base64' };
  if (hasFormOfPrivateKey(der)) return PRIVATE_KEY_FAULT;
  if (label !== 'CERTIFICATE') return { fault: 'is a PEM block of another kind; give a CERTIFICATE block' };
  return isOneSequence(der) ? readDer(der) : { fault: 'is a PEM block whose content is damaged' };
}

function readDer(der: Buffer): ReadCertificate | PublicKeyFault {
  let certificate: X509Certificate;
  let spki: Buffer;
  try {
    certificate = new X509Certificate(der);
    spki = certificate.publicKey.export({ format: 'der', type: 'spki' });
  } catch {
    // OpenSSL's reasons repeat nothing that helps, and no caller could act on them.
    return { fault: 'is a certificate that cannot be read, or has a key of a kind that is not known' };
  }
  // What OpenSSL made of it, so that a second encoding of one certificate is not another certificate.
  if (!certificate.raw.equals(der)) return { fault: 'is a certificate with something behind it' };
  const [notBefore, notAfter] = [certificate.validFrom, certificate.validTo].map((text) => Date.parse(text) / 1000);
  if (notBefore === undefined || notAfter === undefined || !(notBefore < notAfter)) {
    return { fault: 'is a certificate without a time in which it is valid' };
  }
  return {
    pem: pemOf(der),
    sha256: hash('sha256', der, 'hex'),
    publicKeySha256: hash('sha256', spki, 'hex'),
    notBefore,
    notAfter,
    isAuthority: certificate.ca,
  };
}

function pemOf(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** A SHA-256 as people have it, hex of any case with or without colons, in lower case; null for anything else. */
export function normalSha256(text: string): string | null {
  const isPlain = /^[0-9A-Fa-f]{64}$/.test(text) || /^[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){31}$/.test(text);
  return isPlain ? text.replaceAll(':', '').toLowerCase() : null;
}

/** Characters of a URI that identifies a certificate, at most, as SPIFFE has it. */
export const MAX_URI_CHARACTERS = 2048;

/** What RFC 3986 §2 has in a URI. */
const URI_TEXT = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/;
const URI_PARTS = /^([A-Za-z][A-Za-z0-9+.-]*):(\/\/[^/?#]*)?([^#]+)?$/;

/**
 * A URI of a certificate in normal form: scheme and host in lower case (RFC 3986 §6.2.2.1), everything else as it is.
 * Null for one that is relative, has a user or a fragment, or is longer than {@link MAX_URI_CHARACTERS}.
 */
export function normalUri(text: string): string | null {
  if (text.length > MAX_URI_CHARACTERS || !URI_TEXT.test(text)) return null;
  const [, scheme, authority = '', rest = ''] = URI_PARTS.exec(text) ?? [];
  if (scheme === undefined || authority.includes('@') || authority + rest === '') return null;
  return `${scheme.toLowerCase()}:${authority.toLowerCase()}${rest}`;
}

const DNS_LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * A DNS name of a certificate in normal form: lower case, an internationalised one as A-labels. Null for anything else;
 * also for a name with `*`, which stands for many.
 */
export function normalDnsName(text: string): string | null {
  const name = text.toLowerCase();
  return name.length <= 253 && name.split('.').every((label) => DNS_LABEL.test(label)) ? name : null;
}
