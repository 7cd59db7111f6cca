import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import {
  MAX_CERTIFICATE_CHARACTERS,
  MAX_URI_CHARACTERS,
  normalDnsName,
  normalSha256,
  normalUri,
  readCertificate,
} from '../../../src/model/certificate-identity.ts';
import { PRIVATE_KEY_FAULT } from '../../../src/model/public-key/public-key-fault.ts';
import { derOf, pemOf } from '../../support/certificate/certificate-credential.ts';
import { sampleAuthority, sampleCertificate } from '../../support/certificates/samples.ts';
import { makeCertificate } from '../../support/grpc/certificate.ts';

const faultOf = (text: string): string | null => {
  const read = readCertificate(text);
  return 'fault' in read ? read.fault : null;
};

describe('a certificate as PEM', () => {
  it('has the digests, the end and the kind that openssl prints', () => {
    const read = readCertificate(sampleCertificate.pem);
    assert.ok(!('fault' in read));
    const { pem, sha256, publicKeySha256, notAfter } = sampleCertificate;
    assert.deepEqual(
      { ...read, notBefore: null },
      { pem, sha256, publicKeySha256, notBefore: null, notAfter, isAuthority: false },
    );
    const authority = readCertificate(sampleAuthority.pem);
    assert.ok(!('fault' in authority));
    assert.equal(authority.isAuthority, true);
  });

  it('is one text, however it was laid out', () => {
    const base64 = derOf({ cert: sampleCertificate.pem }).toString('base64');
    for (const text of [
      `\n  ${sampleCertificate.pem}\n`,
      sampleCertificate.pem.replaceAll('\n', '\r\n'),
      `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----`,
    ]) {
      const read = readCertificate(text);
      assert.ok(!('fault' in read), text);
      assert.equal(read.pem, sampleCertificate.pem);
    }
  });

  it('is refused when it is a private key, alone or beside a certificate, whatever the label says', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const disguised = pemOf(privateKey.export({ type: 'pkcs8', format: 'der' }));
    for (const text of [key, `${sampleCertificate.pem}${key}`, disguised]) {
      assert.deepEqual(readCertificate(text), PRIVATE_KEY_FAULT);
    }
  });

  it('is refused, with the reason, when it is anything else', () => {
    const der = derOf({ cert: sampleCertificate.pem });
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const cases: readonly (readonly [text: string, fault: RegExp])[] = [
      ['', /^is empty; give a certificate as PEM$/],
      ['x'.repeat(MAX_CERTIFICATE_CHARACTERS + 1), /^has more than 65536 characters, so it is no certificate$/],
      [sampleCertificate.pem + sampleAuthority.pem, /^holds more than one PEM block; give one certificate alone$/],
      ['hello', /^is no PEM block alone/],
      [`# mine\n${sampleCertificate.pem}`, /^is no PEM block alone/],
      ['-----BEGIN CERTIFICATE-----\nA=A=\n-----END CERTIFICATE-----', /^is a PEM block whose content is not base64$/],
      [publicKey.export({ type: 'spki', format: 'pem' }).toString(), /^is a PEM block of another kind/],
      [pemOf(der.subarray(0, -1)), /^is a PEM block whose content is damaged$/],
      [pemOf(Buffer.concat([der, Buffer.from([0])])), /^is a PEM block whose content is damaged$/],
      [pemOf(Buffer.from([0x30, 0])), /^is a certificate that cannot be read/],
    ];
    for (const [text, fault] of cases) assert.match(faultOf(text) ?? 'none', fault);
  });

  it('is refused when it ends before it begins', () => {
    const [notBefore, notAfter] = [new Date('2031-01-01T00:00:00Z'), new Date('2030-01-01T00:00:00Z')];
    const { cert } = makeCertificate('backwards', undefined, { notBefore, notAfter });
    assert.equal(faultOf(cert), 'is a certificate without a time in which it is valid');
  });

  it('never fails on changed bytes, and repeats nothing of them', () => {
    const der = derOf({ cert: sampleCertificate.pem });
    fc.assert(
      fc.property(fc.nat(der.length - 1), fc.nat(255), (at, byte) => {
        const changed = Buffer.from(der);
        changed[at] = byte;
        const text = pemOf(changed);
        const fault = faultOf(text);
        assert.ok(fault === null || !fault.includes(text.slice(30, 60)));
      }),
      { numRuns: 200 },
    );
  });
});

describe('what identifies a certificate', () => {
  it('is a SHA-256 in any case, with all its colons or none', () => {
    assert.equal(normalSha256(sampleCertificate.fingerprint), sampleCertificate.sha256);
    assert.equal(normalSha256(sampleCertificate.sha256.toUpperCase()), sampleCertificate.sha256);
    for (const text of ['', 'ab'.repeat(31), `${'ab'.repeat(32)}\n`, `ab:${'ab'.repeat(31)}`, 'xy'.repeat(32)]) {
      assert.equal(normalSha256(text), null, text);
    }
  });

  it('is a URI whose scheme and host are in lower case, and nothing else of it', () => {
    assert.equal(normalUri('SPIFFE://Acme.Example/Batch'), 'spiffe://acme.example/Batch');
    assert.equal(normalUri('urn:Acme:Batch'), 'urn:Acme:Batch');
    const long = `spiffe://acme.example/${'x'.repeat(MAX_URI_CHARACTERS)}`;
    for (const text of [
      '',
      '/batch',
      'acme.example',
      'spiffe:',
      'a b:c',
      'x://me@acme',
      'x://acme/#part',
      'x:é',
      long,
    ]) {
      assert.equal(normalUri(text), null, text);
    }
  });

  it('is a DNS name in lower case that stands for one host', () => {
    assert.equal(normalDnsName('Batch.Acme.Example'), 'batch.acme.example');
    assert.equal(normalDnsName('xn--mnchen-3ya.example'), 'xn--mnchen-3ya.example');
    const long = ['', '*.acme.example', 'acme.example.', '-a.example', 'a..b', 'münchen.example', 'a b'];
    for (const text of [...long, `${'a'.repeat(64)}.example`, 'a.'.repeat(127)]) {
      assert.equal(normalDnsName(text), null, text);
    }
  });

  it('is in normal form already when it was brought into it', () => {
    const texts = fc.stringMatching(/^[A-Za-f0-9.:/?-]{0,20}$/);
    fc.assert(
      fc.property(texts, (text) => {
        for (const normal of [normalSha256, normalUri, normalDnsName]) {
          const once = normal(text);
          assert.equal(once === null ? null : normal(once), once);
        }
      }),
    );
  });
});
