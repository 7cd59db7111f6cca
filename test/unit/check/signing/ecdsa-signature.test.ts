import assert from 'node:assert/strict';
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import fc from 'fast-check';
import { derOf } from '../../../../src/check/signing/ecdsa-signature.ts';

describe('a signature of ECDSA in DER', () => {
  const hexOf = (r: string, s: string): string => derOf(Buffer.from(r + s, 'hex')).toString('hex');

  it('has each number in as few bytes as can be, and none that looks negative', () => {
    assert.equal(hexOf('0001', '7fff'), '3007020101' + '02027fff');
    assert.equal(hexOf('0080', '8000'), '3009' + '02020080' + '0203008000');
    assert.equal(hexOf('0000', '0000'), '3006020100020100');
    assert.equal(hexOf('ff'.repeat(48), 'ff'.repeat(48)), `3066${`023100${'ff'.repeat(48)}`.repeat(2)}`);
  });

  for (const namedCurve of ['P-256', 'P-384']) {
    const hash = namedCurve === 'P-256' ? 'sha256' : 'sha384';
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });

    it(`is verified as r and s are, on ${namedCurve}`, () => {
      for (let at = 0; at < 300; at += 1) {
        const text = Buffer.from(`text ${String(at)}`);
        const signature = sign(hash, text, { key: privateKey, dsaEncoding: 'ieee-p1363' });
        assert.ok(verify(hash, text, publicKey, derOf(signature)));
        assert.ok(!verify(hash, Buffer.from('another'), publicKey, derOf(signature)));
      }
    });

    it(`does not fit, and ends nothing, whatever the bytes are, on ${namedCurve}`, () => {
      const length = namedCurve === 'P-256' ? 64 : 96;
      const byte = fc.constantFrom(0, 0, 0, 1, 0x7f, 0x80, 0xff);
      fc.assert(
        fc.property(fc.array(byte, { minLength: length, maxLength: length }), (bytes) => {
          assert.ok(!verify(hash, Buffer.from('text'), publicKey, derOf(Buffer.from(bytes))));
        }),
      );
    });
  }
});
