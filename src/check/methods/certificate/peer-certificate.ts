import { hash, type KeyObject, X509Certificate } from 'node:crypto';
import { hashAppKey } from '../../../model/app-key.ts';
import { type CertificateIdentifier, certificateAppKey } from '../../../model/derived-app-key.ts';
import { namesInCertificate } from './names-in-certificate.ts';

/** Characters of a certificate at most, as Envoy writes it: BoringSSL takes 16 KiB of certificates in a handshake. */
export const MAX_PEER_CERTIFICATE_CHARACTERS = 32 * 1024;

/** Names in a certificate by which its holder is looked up at most. */
export const MAX_PEER_CERTIFICATE_NAMES = 14;

const PEM = /^-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/\n]+={0,2})\n-----END CERTIFICATE-----\n?$/;
const ENCODED = /%([0-9A-Fa-f]{2})/g;

/** One of the things that a certificate may be known by, and the App Key of the credential that names it. */
export interface KnownBy {
  readonly by: CertificateIdentifier;
  readonly appKey: string;
  /** Its `hashAppKey`. */
  readonly appKeyHash: string;
}

/** When a certificate is valid, in seconds since the epoch: both ends belong to it (RFC 5280 §4.1.2.5). */
export interface Times {
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * The certificate of a client: TLS has proved that the client has its private key. Read once and then kept, so that
 * nothing of it is read again for a request.
 */
export interface PeerCertificate extends Times {
  readonly der: Buffer;
  /** Its SHA-256 in base64url, as tokens that are bound to it name it (RFC 8705 §3.1). */
  readonly thumbprint: string;
  /** The narrowest first: the certificate, its key, its URIs, its DNS names. */
  readonly knownBy: readonly KnownBy[];
  /** Whether an authority issued it, by the SHA-256 of those that were asked. */
  readonly verdicts: Map<string, boolean>;
}

/**
 * Reads a certificate as Envoy writes it: one PEM block, percent-encoded. Null for every other text, and for a
 * certificate whose names cannot be told without doubt. Never throws. Of a certificate with more than
 * {@link MAX_PEER_CERTIFICATE_NAMES} names none counts, so that what is looked up for a request is bounded.
 */
export function readPeerCertificate(text: string): PeerCertificate | null {
  const der = text.length > MAX_PEER_CERTIFICATE_CHARACTERS ? null : derOf(text);
  const names = der === null ? null : namesInCertificate(der);
  const x509 = der === null || names === null ? null : importCertificate(der);
  const spki = x509 === null ? null : exportKey(x509);
  if (der === null || names === null || x509 === null || spki === null) return null;
  const { uris, dnsNames } = names;
  const isTooMany = uris.length + dnsNames.length > MAX_PEER_CERTIFICATE_NAMES;
  return {
    der,
    thumbprint: hash('sha256', der, 'base64url'),
    ...timesOf(x509),
    knownBy: [
      knownBy('certificate', hash('sha256', der, 'hex')),
      knownBy('public-key', hash('sha256', spki, 'hex')),
      ...(isTooMany ? [] : uris.map((uri) => knownBy('uri', uri))),
      ...(isTooMany ? [] : dnsNames.map((name) => knownBy('dns', name))),
    ],
    verdicts: new Map(),
  };
}

/** Times that cannot be read are NaN: no moment lies within them. */
export function timesOf({ validFrom, validTo }: X509Certificate): Times {
  return { notBefore: Date.parse(validFrom) / 1000, notAfter: Date.parse(validTo) / 1000 };
}

/** Why a certificate cannot be used now, in words that follow "the certificate"; null when it can. */
export function findTimeFault({ notBefore, notAfter }: Times, nowSeconds: number): string | null {
  if (nowSeconds >= notBefore && nowSeconds <= notAfter) return null;
  return nowSeconds > notAfter ? 'has expired' : 'is not valid yet';
}

function knownBy(by: CertificateIdentifier, value: string): KnownBy {
  const appKey = certificateAppKey(by, value);
  return { by, appKey, appKeyHash: hashAppKey(appKey) };
}

function derOf(text: string): Buffer | null {
  const pem = text.replace(ENCODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const base64 = PEM.exec(pem)?.[1]?.replaceAll('\n', '');
  if (base64 === undefined) return null;
  const der = Buffer.from(base64, 'base64');
  return der.toString('base64') === base64 ? der : null;
}

/** OpenSSL's reasons are of no use to anybody: what is no certificate is refused. */
function importCertificate(der: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(der);
  } catch {
    return null;
  }
}

/** Null for a key of a kind that OpenSSL does not know. */
function exportKey(x509: X509Certificate): Buffer | null {
  try {
    const { publicKey }: { publicKey: KeyObject } = x509;
    return publicKey.export({ type: 'spki', format: 'der' });
  } catch {
    return null;
  }
}
