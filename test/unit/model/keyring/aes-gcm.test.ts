import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { CIPHER_KEY_BYTES, decrypt, encrypt, NONCE_BYTES, TAG_BYTES } from '../../../../src/model/keyring/aes-gcm.ts';

const bytes = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length });
const keys = bytes(CIPHER_KEY_BYTES).map((key) => createSecretKey(key));

describe('AES-256-GCM', () => {
  it('gives what the test vector of its authors gives', () => {
    // McGrew and Viega, "The Galois/Counter Mode of Operation", test case 16.
    const hex = (text: string): Buffer => Buffer.from(text, 'hex');
    const key = createSecretKey(hex('feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308'));
    const nonce = hex('cafebabefacedbaddecaf888');
    const text = hex(
      'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
    );
    const sealed = encrypt(key, nonce, text, hex('feedfacedeadbeeffeedfacedeadbeefabaddad2'));
    assert.equal(
      sealed.toString('hex'),
      '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662' +
        '76fc6ece0f4e1768cddf8853bb2d551b',
    );
  });

  it('opens what it sealed', () => {
    fc.assert(
      fc.property(keys, bytes(NONCE_BYTES), fc.uint8Array(), fc.uint8Array(), (key, nonce, text, associated) => {
        const sealed = encrypt(key, nonce, text, associated);
        assert.equal(sealed.length, text.length + TAG_BYTES);
        assert.deepEqual(decrypt(key, nonce, sealed, associated), Buffer.from(text));
      }),
    );
  });

  it('opens nothing that was altered, cut short or sealed with something else', () => {
    fc.assert(
      fc.property(keys, keys, bytes(NONCE_BYTES), fc.uint8Array(), fc.nat(), (key, other, nonce, text, at) => {
        const associated = Buffer.from('scope');
        const sealed = encrypt(key, nonce, text, associated);
        const altered = Buffer.from(sealed);
        altered.writeUInt8((altered.readUInt8(at % sealed.length) + 1) % 256, at % sealed.length);
        assert.equal(decrypt(key, nonce, altered, associated), null);
        assert.equal(decrypt(key, nonce, sealed.subarray(0, at % sealed.length), associated), null);
        assert.equal(decrypt(key, nonce, sealed, Buffer.from('another')), null);
        assert.equal(decrypt(key, nonce.subarray(1), sealed, associated), null);
        if (!other.equals(key)) assert.equal(decrypt(other, nonce, sealed, associated), null);
      }),
    );
  });
});
