import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { namesInCertificate } from '../../../../../src/check/methods/certificate/names-in-certificate.ts';
import { altNames, type CertificateOptions, makeCertificate } from '../../../../support/grpc/certificate.ts';

const derOf = (options: CertificateOptions): Buffer =>
  new X509Certificate(makeCertificate('partner', undefined, options).cert).raw;

/** URIs, then DNS names. */
const namesOf = (options: CertificateOptions): readonly string[] | null => {
  const names = namesInCertificate(derOf(options));
  return names === null ? null : [...names.uris, ...names.dnsNames];
};

describe('names in a certificate', () => {
  it('are its URIs and DNS names, each once and in normal form', () => {
    const names = ['API.Partner.example', 'spiffe://Partner.example/Batch', 'api.partner.example', 'a@partner.example'];
    assert.deepEqual(namesOf({ names }), ['spiffe://partner.example/Batch', 'api.partner.example']);
    assert.deepEqual(namesOf({ names: null }), []);
  });

  it('are not made by what a name holds', () => {
    for (const name of [
      'a.example, DNS:b.example',
      'a.example,URI:spiffe://partner.example/batch',
      'a.example\0.partner.example',
      '*.partner.example',
      'partner .example',
      'p\xe4rtner.example',
      '',
    ]) {
      assert.deepEqual(namesOf({ names: null, extensions: [altNames([0x82, name])] }), [], JSON.stringify(name));
    }
    for (const uri of ['spiffe://partner.example/a, URI:spiffe://partner.example/b', 'batch', '//partner.example/a']) {
      assert.deepEqual(namesOf({ names: null, extensions: [altNames([0x86, uri])] }), [], uri);
    }
    // Of other kinds, whatever they look like: an e-mail address, a directory name, an address.
    for (const tag of [0x81, 0xa4, 0x87, 0xa0]) {
      assert.deepEqual(namesOf({ names: null, extensions: [altNames([tag, 'spiffe://partner.example/a'])] }), []);
    }
  });

  it('cannot be told from two lists, nor from bytes that are no certificate', () => {
    const twice = [altNames([0x82, 'a.example']), altNames([0x82, 'b.example'])];
    assert.equal(namesOf({ names: null, extensions: twice }), null);
    const der = derOf({});
    assert.equal(namesInCertificate(Buffer.concat([der, Buffer.from([0])])), null);
    for (let length = 0; length < der.length; length += 1) {
      assert.equal(namesInCertificate(der.subarray(0, length)), null, String(length));
    }
  });

  it('never fail on changed bytes', () => {
    const der = derOf({ names: ['a.example', 'spiffe://partner.example/a'] });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(der.length - 1), fc.nat(255)), { minLength: 1 }), (changes) => {
        const changed = Buffer.from(der);
        for (const [at, byte] of changes) changed[at] = byte;
        namesInCertificate(changed);
      }),
      { numRuns: 2000 },
    );
  });
});
