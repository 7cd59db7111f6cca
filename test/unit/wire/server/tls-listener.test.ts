import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { isForOneOf } from '../../../../src/wire/server/tls-listener.ts';
import { makeCertificate } from '../../../support/grpc/certificate.ts';

const certificateFor = (names: readonly string[]): X509Certificate =>
  new X509Certificate(makeCertificate('client', undefined, { names }).cert);

describe('the names of client certificates', () => {
  it('are compared as a whole', () => {
    const certificate = certificateFor(['a.example.com', 'spiffe://b.example.com/sa/envoy']);
    assert.equal(isForOneOf(certificate, ['a.example.com']), true);
    assert.equal(isForOneOf(certificate, ['x', 'spiffe://b.example.com/sa/envoy']), true);
    for (const other of [
      'example.com',
      'a.example.co',
      'a.example.com.',
      'b.example.com',
      'spiffe://b.example.com/sa',
      'client',
    ]) {
      assert.equal(isForOneOf(certificate, [other]), false, other);
    }
    assert.equal(isForOneOf(certificate, []), false);
    assert.equal(isForOneOf(undefined, ['a.example.com']), false);
  });

  it('cannot be had by what else stands in a certificate', () => {
    const wanted = ['envoy.internal', 'spiffe://cluster.local/envoy'];
    const smuggled = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.constantFrom(
        ...wanted.flatMap((name) => [`x, DNS:${name}`, `x, URI:${name}`, `", DNS:${name}`, `${name}\0.evil`]),
      ),
      fc.constantFrom(...wanted).chain((name) => fc.string({ minLength: 1 }).map((text) => `${name}${text}`)),
    );
    fc.assert(
      fc.property(fc.array(smuggled, { maxLength: 3 }), (names) => {
        const plain = names.filter((name) => !wanted.includes(name.toLowerCase()) && /^[\0-\x7f]*$/.test(name));
        assert.equal(isForOneOf(certificateFor(plain), wanted), false, JSON.stringify(plain));
      }),
      { numRuns: 60 },
    );
  });
});
