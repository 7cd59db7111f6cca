import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { inspect } from 'node:util';
import { readPrivateKey } from '../../../../src/check/signing/private-key.ts';

const pairs = {
  ed25519: generateKeyPairSync('ed25519').privateKey,
  'p-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  'p-384': generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
};

const pem = (key: KeyObject, type: 'pkcs8' | 'sec1' | 'pkcs1' = 'pkcs8'): string =>
  key.export({ format: 'pem', type } as { format: 'pem'; type: 'pkcs8' }).toString();
const faultOf = (text: string): string => {
  const read = readPrivateKey(text);
  return 'fault' in read ? read.fault : `read as ${read.publicKey.kind}`;
};

describe('a private key to sign with', () => {
  it('is read as PEM of every form and as JWK', () => {
    const texts: readonly (readonly [kind: string, text: string])[] = [
      ...Object.entries(pairs).map(([kind, key]) => [kind, pem(key)] as const),
      ...Object.entries(pairs).map(([kind, key]) => [kind, JSON.stringify(key.export({ format: 'jwk' }))] as const),
      ['p-256', pem(pairs['p-256'], 'sec1')],
      // As "openssl ecparam -genkey" writes it.
      [
        'p-256',
        `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${pem(pairs['p-256'], 'sec1')}`,
      ],
      ['rsa', pem(pairs.rsa, 'pkcs1')],
      ['ed25519', `\n${pem(pairs.ed25519).replaceAll('\n', '\r\n')}\n`],
    ];
    for (const [kind, text] of texts) {
      const read = readPrivateKey(text);
      assert.ok(!('fault' in read), `${kind}: ${'fault' in read ? read.fault : ''}`);
      assert.equal(read.publicKey.kind, kind);
    }
  });

  it('is refused with the reason, of which no part is repeated', () => {
    const encrypted = pairs.ed25519.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' });
    const publicJwk = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    const koblitz = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
    const cases: readonly (readonly [text: string, fault: RegExp])[] = [
      ['', /^is empty/],
      ['nothing of the kind', /^is neither PEM nor JWK/],
      ['{', /^begins like JSON, but is none/],
      [JSON.stringify({ keys: [pairs.ed25519.export({ format: 'jwk' })] }), /^is a set of keys; give one/],
      [JSON.stringify(publicJwk), /^is no private key/],
      [
        generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }).toString(),
        /^is no private key/,
      ],
      [pem(pairs.ed25519) + pem(pairs.rsa), /^has more than one private key/],
      [encrypted.toString(), /^is encrypted; "openssl pkey/],
      [
        '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----',
        /^is a key in the form of OpenSSH/,
      ],
      ['-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', /^cannot be read as a private key/],
      [pem(koblitz), /curve/],
      [pem(small), /2048/],
      [pem(generateKeyPairSync('x25519').privateKey), /./],
    ];
    for (const [text, fault] of cases) {
      assert.match(faultOf(text), fault);
      assert.ok(!faultOf(text).includes('AAAA'));
    }
  });

  it('shows nothing of itself when it is printed', () => {
    const read = readPrivateKey(pem(pairs.ed25519));
    const { d = '' } = pairs.ed25519.export({ format: 'jwk' });
    assert.ok(!`${inspect(read, { depth: 9, showHidden: true })}${JSON.stringify(read)}`.includes(d));
  });
});
