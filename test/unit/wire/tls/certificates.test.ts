import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hasLostAuthority, readCertificates, TlsProblem } from '../../../../src/wire/tls/certificates.ts';
import { makeCertificate } from '../../../support/grpc/certificate.ts';

const [first, second, third] = ['first', 'second', 'third'].map((name) => makeCertificate(name).cert) as [
  string,
  string,
  string,
];
const pem = (...parts: readonly string[]): Buffer => Buffer.from(parts.join(''));

describe('certificates of a PEM text', () => {
  it('are all read, in their order, whatever is between them', () => {
    const noise = fc.string().map((text) => `${text.replaceAll('-', '')}\n`);
    const anyOrder = fc.shuffledSubarray([first, second, third], { minLength: 1 });
    fc.assert(
      fc.property(anyOrder, noise, (certificates, between) => {
        const read = readCertificates(pem(between, ...certificates.flatMap((text) => [text, between])));
        assert.deepEqual(
          read.map((certificate) => certificate.toString().replaceAll(/\s/g, '')),
          certificates.map((text) => text.replaceAll(/\s/g, '')),
        );
      }),
    );
  });

  it('are refused as a whole when the text ends anywhere in the middle', () => {
    const bundle = first + second;
    const middle = fc.integer({ min: first.length + 12, max: bundle.length - 8 });
    fc.assert(
      fc.property(middle, (length) => {
        assert.throws(() => readCertificates(pem(bundle.slice(0, length))), TlsProblem);
      }),
    );
  });

  it('are refused, and nothing else happens, whatever the bytes are', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
      fc.string().map((text) => pem('-----BEGIN CERTIFICATE-----\n', text, '\n-----END CERTIFICATE-----\n')),
      fc.string().map((text) => pem('-----BEGIN ', text, '-----\nAAAA\n-----END ', text, '-----\n')),
    );
    fc.assert(
      fc.property(bytes, (buffer) => {
        assert.throws(() => readCertificates(buffer), TlsProblem);
      }),
    );
  });

  it('show whether one of the former is missing, in any order', () => {
    assert.equal(hasLostAuthority(pem(first, second), pem(second, third, first)), false);
    assert.equal(hasLostAuthority(pem(first, second), pem(second, third)), true);
    assert.equal(hasLostAuthority(pem(first), pem(second)), true);
  });
});
