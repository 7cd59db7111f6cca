import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** A certificate and its key, as PEM. */
export interface Certified {
  readonly cert: string;
  readonly key: string;
  readonly privateKey: KeyObject;
  readonly name: string;
}

/** How a certificate differs from the usual ones. */
export interface CertificateOptions {
  /** When it begins and ends to be valid, to the second; 2020 to 2049 unless stated otherwise. */
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /**
   * Whom it is for: DNS names, `spiffe://` addresses, e-mail addresses; null for a certificate without subject
   * alternative names.
   */
  readonly names?: readonly string[] | null;
  /** Whether it may sign others; those without an issuer may. */
  readonly isAuthority?: boolean;
  /** What else it says, of {@link extension}. */
  readonly extensions?: readonly Buffer[];
}

/**
 * Makes an X.509 certificate (RFC 5280 §4.1) for a demo or a test: ECDSA P-256, for `localhost` and 127.0.0.1 unless
 * stated otherwise. It writes one form and reads none, which takes no library.
 *
 * @param issuer signs it; none: it signs itself.
 */
export function makeCertificate(name: string, issuer?: Certified, options: CertificateOptions = {}): Certified {
  const { names = ['localhost'], isAuthority = issuer === undefined } = options;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02)); // ecdsa-with-SHA256
  const validity = sequence(
    utcTime(options.notBefore ?? new Date('2020-01-01T00:00:00Z')),
    utcTime(options.notAfter ?? new Date('2049-12-31T23:59:59Z')),
  );
  const generalNames = (names ?? []).map((each) =>
    der(each.includes('://') ? 0x86 : each.includes('@') ? 0x81 : 0x82, Buffer.from(each)),
  );
  const subjectAltName = sequence(...generalNames, der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = sequence(
    ...(names === null ? [] : [extension(0x11, subjectAltName)]),
    sequence(
      oid(0x55, 0x1d, 0x13), // basicConstraints
      der(0x01, Buffer.from([0xff])),
      der(0x04, sequence(...(isAuthority ? [der(0x01, Buffer.from([0xff]))] : []))),
    ),
    ...(options.extensions ?? []),
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    distinguishedName(issuer?.name ?? name),
    validity,
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = createSign('sha256')
    .update(body)
    .sign(issuer?.privateKey ?? privateKey);
  const whole = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    privateKey,
    name,
  };
}

/** An extension that is not critical; its id is 2.5.29 and this number. */
export function extension(id: number, value: Buffer): Buffer {
  return sequence(oid(0x55, 0x1d, id), der(0x04, value));
}

/** An object identifier, its octets as DER has them. */
export function oid(...octets: number[]): Buffer {
  return der(0x06, Buffer.from(octets));
}

/** A SEQUENCE. */
export function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

/** Tag, length, value (ITU-T X.690 §8.1), the value shorter than 64 KiB. */
export function der(tag: number, value: Buffer): Buffer {
  const { length } = value;
  const lengthOctets = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthOctets]), value]);
}

/** `YYMMDDHHMMSSZ` (RFC 5280 §4.1.2.5.1), for years before 2050. */
function utcTime(date: Date): Buffer {
  return der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
}

function distinguishedName(commonName: string): Buffer {
  const attribute = sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(commonName)));
  return sequence(der(0x31, attribute));
}
