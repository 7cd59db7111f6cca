import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { describeKeyFault, type PublicKeyFault } from '../../../../src/model/public-key/public-key-fault.ts';
import { PublicKey } from '../../../../src/model/public-key/public-key.ts';
import { readJwk } from '../../../../src/model/public-key/read-jwk.ts';
import { readPublicKey } from '../../../../src/model/public-key/read-public-key.ts';
import { makeCertificate } from '../../../support/grpc/certificate.ts';
import { badKeys, samplePair, spki } from '../../../support/keys/bad-keys.ts';

/** Any text of a key or a certificate that is longer than a word: what no message may repeat. */
const MATERIAL = /[A-Za-z0-9+/_-]{24,}/;

function keyOf(read: PublicKey | PublicKeyFault): PublicKey {
  if ('fault' in read) throw new Error(read.fault);
  return read;
}

function jwkOf(key: KeyObject): Record<string, unknown> {
  return { ...key.export({ format: 'jwk' }) };
}

describe('reading a public key', () => {
  const takenPairs = {
    ed25519: samplePair,
    'p-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    'p-384': generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  };

  it('refuses JSON that names a member twice, of which programs take one or the other', () => {
    const [one, other] = [jwkOf(samplePair.publicKey), jwkOf(generateKeyPairSync('ed25519').publicKey)];
    const twice = JSON.stringify(one).replace('{', `{"x":${JSON.stringify(other['x'])},`);
    const escaped = JSON.stringify(one).replace('{', `{"\\u0078":${JSON.stringify(other['x'])},`);
    for (const text of [twice, escaped, `{"keys":[${twice}]}`, `{"keys":[],"keys":[${JSON.stringify(one)}]}`]) {
      assert.deepEqual(readPublicKey(text), {
        fault: 'is JSON that names something twice; programs differ in which of the two counts',
      });
    }
  });

  for (const [kind, { publicKey }] of Object.entries(takenPairs)) {
    it(`takes ${kind} as PEM and as JWK, and keeps the required members alone`, () => {
      const jwk = jwkOf(publicKey);
      const ofPem = keyOf(readPublicKey(`\r\n${spki(publicKey).replaceAll('\n', '\r\n')}\r\n`));
      const ofJwk = keyOf(readPublicKey(JSON.stringify({ ...jwk, kid: 'of-acme', use: 'sig', key_ops: ['verify'] })));
      assert.deepEqual(ofPem.jwk, jwk);
      assert.deepEqual(ofJwk.jwk, jwk);
      assert.equal(ofPem.kind, kind);
      assert.ok(ofPem.equals(ofJwk));
      assert.ok(ofPem.object.equals(publicKey));
    });
  }

  it('says algorithm and size', () => {
    const said = Object.values(takenPairs).map(({ publicKey }) => keyOf(readPublicKey(spki(publicKey))).description);
    assert.deepEqual(said, ['Ed25519, 256 bits', 'ECDSA P-256, 256 bits', 'ECDSA P-384, 384 bits', 'RSA, 2048 bits']);
  });

  it('takes the key of a certificate, also of one that has ended', () => {
    const { cert, privateKey } = makeCertificate('partner', undefined, { notAfter: new Date('2021-01-01T00:00:00Z') });
    const { crv, kty, x, y } = privateKey.export({ format: 'jwk' });
    assert.deepEqual(keyOf(readPublicKey(cert)).jwk, { crv, kty, x, y });
  });

  it('has the thumbprint of RFC 8037 for its key', () => {
    const example = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
    assert.equal(keyOf(readJwk(example)).thumbprint, 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });

  it('has the thumbprint of RFC 7638 for its key', () => {
    const n =
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw';
    assert.equal(
      keyOf(readJwk({ kty: 'RSA', n, e: 'AQAB' })).thumbprint,
      'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
    );
  });

  it('takes one key of a set by its id, and the only one without', () => {
    const [first, second] = [jwkOf(takenPairs['p-256'].publicKey), jwkOf(takenPairs.ed25519.publicKey)];
    const set = JSON.stringify({ keys: [{ ...first, kid: 'a' }, 'no key', { ...second, kid: 'b' }] });
    assert.deepEqual(keyOf(readPublicKey(set, 'b')).jwk, second);
    assert.deepEqual(keyOf(readPublicKey(JSON.stringify({ keys: [first] }))).jwk, first);
    assert.deepEqual(readPublicKey(set, 'c'), { fault: 'is a JWK set that has no key with this key id' });
    const twice = JSON.stringify({ keys: [first, second].map((key) => ({ ...key, kid: 'a' })) });
    assert.deepEqual(readPublicKey(twice, 'a'), { fault: 'is a JWK set that has more than one key with this key id' });
    assert.deepEqual(readPublicKey(JSON.stringify({ ...first, kid: 'a' }), 'b'), {
      fault: 'is one JWK, and has another key id',
    });
    assert.deepEqual(readPublicKey(spki(samplePair.publicKey), 'a'), {
      fault: 'is PEM, which names no keys; leave out the key id',
    });
  });

  describe('that is none', () => {
    const table = badKeys();

    it('has 40 kinds and more', () => {
      assert.ok(table.length >= 40, String(table.length));
    });

    for (const { name, text, fault } of table) {
      it(`refuses ${name}, and says why without a piece of it`, () => {
        const read = readPublicKey(text);
        assert.deepEqual(read, { fault });
        assert.doesNotMatch(describeKeyFault('--public-key', { fault }), MATERIAL);
      });
    }
  });

  it('never throws, whatever the text', () => {
    const lines = fc.constantFrom(
      '-----BEGIN PUBLIC KEY-----',
      '-----END PUBLIC KEY-----',
      '\n',
      'MCow',
      '{"keys":[',
      '}',
    );
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.array(fc.oneof(lines, fc.base64String())).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, fc.option(fc.string()), (given, kid) => {
        const read = readPublicKey(given, kid);
        assert.ok(read instanceof PublicKey || typeof read.fault === 'string');
      }),
    );
  });

  it('never throws, whatever the JWK, and takes no private one', () => {
    const member = fc.constantFrom('kty', 'crv', 'x', 'y', 'n', 'e', 'd', 'p', 'keys', 'use', 'key_ops');
    const value = fc.oneof(
      fc.constantFrom('OKP', 'EC', 'RSA', 'Ed25519', 'P-256', 'AQAB'),
      fc.base64String(),
      fc.anything(),
    );
    fc.assert(
      fc.property(fc.dictionary(member, value), (jwk) => {
        const read = readJwk({ ...jwk });
        assert.ok(read instanceof PublicKey || typeof read.fault === 'string');
        if (jwk['d'] !== undefined) assert.ok('fault' in read);
      }),
    );
  });

  it('reads damaged bytes of keys without throwing', () => {
    const der = samplePair.publicKey.export({ type: 'spki', format: 'der' });
    const { cert } = makeCertificate('partner');
    const ofCert = Buffer.from(cert.split('\n').slice(1, -1).join(''), 'base64');
    fc.assert(
      fc.property(fc.constantFrom(der, ofCert), fc.nat(), fc.nat(255), (bytes, at, byte) => {
        const damaged = Buffer.from(bytes);
        damaged[at % damaged.length] = byte;
        const label = bytes === der ? 'PUBLIC KEY' : 'CERTIFICATE';
        const text = `-----BEGIN ${label}-----\n${damaged.toString('base64')}\n-----END ${label}-----`;
        const read = readPublicKey(text);
        assert.ok(read instanceof PublicKey || typeof read.fault === 'string');
      }),
    );
  });
});
