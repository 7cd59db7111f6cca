import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type KnownBy,
  MAX_PEER_CERTIFICATE_CHARACTERS,
  MAX_PEER_CERTIFICATE_NAMES,
  readPeerCertificate,
} from '../../../../../src/check/methods/certificate/peer-certificate.ts';
import { PeerCertificates } from '../../../../../src/check/methods/certificate/peer-certificates.ts';
import { hashAppKey } from '../../../../../src/model/app-key.ts';
import { certificateAppKey, type CertificateIdentifier } from '../../../../../src/model/derived-app-key.ts';
import { derOf, pemOf, read } from '../../../../support/certificate/certificate-credential.ts';
import { makeCertificate } from '../../../../support/grpc/certificate.ts';
import { percentEncoded } from '../../../../support/pipeline/check-request.ts';

const names = ['spiffe://partner.example/batch', 'api.partner.example'];
const leaf = makeCertificate('leaf', undefined, { names });
const sent = percentEncoded(leaf.cert);

function known(by: CertificateIdentifier, value: string): KnownBy {
  const appKey = certificateAppKey(by, value);
  return { by, appKey, appKeyHash: hashAppKey(appKey) };
}

describe('reading the certificate of a client', () => {
  it('gives what it may be known by, the narrowest first, as credentials name it', () => {
    const { sha256, publicKeySha256, notBefore, notAfter } = read(leaf);
    const certificate = readPeerCertificate(sent);
    assert.deepEqual(certificate?.knownBy, [
      known('certificate', sha256),
      known('public-key', publicKeySha256),
      known('uri', 'spiffe://partner.example/batch'),
      known('dns', 'api.partner.example'),
    ]);
    assert.deepEqual([certificate.notBefore, certificate.notAfter], [notBefore, notAfter]);
  });

  it('gives nothing for another text', () => {
    const other = makeCertificate('other');
    for (const [what, text] of Object.entries({
      nothing: '',
      'no PEM': 'certificate',
      'two certificates': percentEncoded(leaf.cert + other.cert),
      'a key': percentEncoded(leaf.key),
      'text before it': ` ${sent}`,
      'text behind it': `${sent}x`,
      'other line ends': percentEncoded(leaf.cert.replaceAll('\n', '\r\n')),
      'a header in it': sent.replace('CERTIFICATE-----%0A', 'CERTIFICATE-----%0AName: x%0A%0A'),
      'an end that is cut off': sent.slice(0, -20),
      'bytes behind it': percentEncoded(pemOf(Buffer.concat([derOf(leaf), Buffer.from([0])]))),
      'encoded twice': encodeURIComponent(sent),
      'a text that is too long': percentEncoded(leaf.cert).padEnd(MAX_PEER_CERTIFICATE_CHARACTERS + 1, '%0A'),
    })) {
      assert.equal(readPeerCertificate(text), null, what);
    }
  });

  it('knows one with too many names by itself and its key alone', () => {
    const named = (count: number): number | undefined => {
      const all = Array.from({ length: count }, (_, index) => `n${String(index)}.partner.example`);
      return readPeerCertificate(percentEncoded(makeCertificate('x', undefined, { names: all }).cert))?.knownBy.length;
    };
    assert.equal(named(MAX_PEER_CERTIFICATE_NAMES), 2 + MAX_PEER_CERTIFICATE_NAMES);
    assert.equal(named(MAX_PEER_CERTIFICATE_NAMES + 1), 2);
  });

  it('never fails, whatever comes', () => {
    fc.assert(fc.property(fc.string(), (text) => readPeerCertificate(text) === null));
    const der = derOf(leaf);
    const change = fc.tuple(fc.nat(der.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
        const changed = Buffer.from(der);
        for (const [at, byte] of changes) changed[at] = byte;
        readPeerCertificate(percentEncoded(pemOf(changed)));
      }),
      { numRuns: 3000 },
    );
  });

  it('reads each once, and forgets those that were used long ago', () => {
    const certificates = new PeerCertificates(2);
    const first = certificates.read(Buffer.from(sent));
    assert.ok(first);
    assert.equal(certificates.read(Buffer.from(sent)), first);
    for (let count = 0; count < 4; count += 1)
      certificates.read(Buffer.from(percentEncoded(makeCertificate('another').cert)));
    assert.notEqual(certificates.read(Buffer.from(sent)), first);
    assert.equal(certificates.read(Buffer.from('no certificate')), null);
    assert.equal(certificates.read(Buffer.alloc(MAX_PEER_CERTIFICATE_CHARACTERS + 1, '-')), null);
  });
});
