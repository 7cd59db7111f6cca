import { X509Certificate } from 'node:crypto';

/** TLS files that cannot be used. The message names setting and file, and holds nothing of a key. */
export class TlsProblem extends Error {
  override readonly name = 'TlsProblem';
}

/** From here on an expiry is a warning: automatic issuers have renewed long before. */
export const EXPIRY_WARNING_DAYS = 14;

/** A day in milliseconds. */
export const DAY_MS = 86_400_000;

/** The labels under which OpenSSL takes certificates (RFC 7468 §5.1, and older forms). */
const CERTIFICATE_LABEL = /^(X509 |TRUSTED )?CERTIFICATE$/;

/**
 * The certificates of a PEM text (RFC 7468), in their order. Throws {@link TlsProblem} when there is none, or when one
 * is cut off or broken: OpenSSL would silently take those before it, as of a file that is half written.
 */
export function readCertificates(pem: Buffer): readonly X509Certificate[] {
  const text = pem.toString('latin1');
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]{1,40})-----[^-]*-----END \1-----/g)];
  const begun = text.match(/-----BEGIN /g)?.length ?? 0;
  if (begun > blocks.length) throw new TlsProblem('is cut off or damaged: a PEM block begins and does not end');
  const certificates = blocks.filter(([, label = '']) => CERTIFICATE_LABEL.test(label)).map(([block]) => parse(block));
  if (certificates.length === 0) throw new TlsProblem('holds no certificate in PEM');
  return certificates;
}

function parse(block: string): X509Certificate {
  try {
    return new X509Certificate(block);
  } catch (error) {
    throw new TlsProblem('holds a certificate that cannot be read', { cause: error });
  }
}

/**
 * When the last of some certificates begins to be valid, and the first one expires, in milliseconds since the epoch.
 */
export function validityOf(certificates: readonly X509Certificate[]): {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
} {
  return {
    notBeforeMs: Math.max(...certificates.map(({ validFrom }) => Date.parse(validFrom))),
    notAfterMs: Math.min(...certificates.map(({ validTo }) => Date.parse(validTo))),
  };
}

/** Whether an authority of the former PEM text is missing in the next one. Throws like {@link readCertificates}. */
export function hasLostAuthority(former: Buffer, next: Buffer): boolean {
  const kept = new Set(readCertificates(next).map(({ fingerprint256 }) => fingerprint256));
  return readCertificates(former).some(({ fingerprint256 }) => !kept.has(fingerprint256));
}
