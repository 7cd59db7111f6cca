import { der, extension, oid, sequence } from '../../../src/cli/demo/make-certificate.ts';

export { type CertificateOptions, type Certified, makeCertificate } from '../../../src/cli/demo/make-certificate.ts';

/** What a certificate may be used for, as its only use (RFC 5280 §4.2.1.12): the last number of the use. */
export function onlyFor(use: 'servers' | 'clients'): Buffer {
  const keyPurpose = oid(0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, use === 'servers' ? 1 : 2);
  return extension(0x25, sequence(keyPurpose));
}

/** Subject alternative names as they are given. */
export function altNames(...names: readonly (readonly [tag: number, text: string])[]): Buffer {
  return extension(0x11, sequence(...names.map(([tag, text]) => der(tag, Buffer.from(text, 'latin1')))));
}
