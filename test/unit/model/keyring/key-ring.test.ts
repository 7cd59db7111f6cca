import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { KeyRing } from '../../../../src/model/keyring/key-ring.ts';
import { CannotOpen, type Sealed, type SealedFor } from '../../../../src/model/keyring/sealed.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { testKeyRing } from '../../../support/keyring/test-key-ring.ts';

interface Vectors {
  readonly keys: readonly { readonly id: string; readonly key: string }[];
  readonly sealed: readonly { readonly secret: string; readonly belongsTo: SealedFor; readonly sealed: Sealed }[];
  readonly derived: readonly {
    readonly keyId: string;
    readonly purpose: string;
    readonly bytes: number;
    readonly key: string;
  }[];
}

/** Made by test/vectors/keyring.py. */
const vectors = JSON.parse(
  readFileSync(new URL('../../../vectors/keyring.json', import.meta.url), 'utf8'),
) as unknown as Vectors;

const acme: SealedFor = { credentialId: 'acme-hmac', what: 'app-secret' };

function textOf(secret: Secret): string {
  return secret.reveal().toString('utf8');
}

/** Asserts that opening is refused for that reason, with an error that holds neither the secret nor its ciphertext. */
function assertCannotOpen(ring: KeyRing, sealed: Sealed, belongsTo: SealedFor, reason: CannotOpen['reason']): void {
  assert.throws(
    () => ring.open(sealed, belongsTo),
    (error) => {
      assert.ok(error instanceof CannotOpen);
      assert.deepEqual([error.reason, error.keyId], [reason, sealed.keyId]);
      const shown = inspect(error, { showHidden: true, depth: 9 });
      assert.ok(!shown.includes('hunter2'), shown);
      assert.ok(sealed.ciphertext.length < 8 || !shown.includes(sealed.ciphertext), shown);
      return true;
    },
  );
}

describe('a key ring', () => {
  const ring = new KeyRing({
    currentKeyId: 'k20260201-bbbbbb',
    stagedKeyId: null,
    keys: vectors.keys.map(({ id, key }) => ({ id, key: createSecretKey(key, 'base64'), createdAt: 0 })),
  });

  it('opens what another implementation sealed', () => {
    for (const { sealed, belongsTo, secret } of vectors.sealed) {
      assert.equal(textOf(ring.open(sealed, belongsTo)), secret);
    }
  });

  it('derives the keys that another implementation derives', () => {
    for (const { keyId, purpose, bytes, key } of vectors.derived) {
      assert.equal(ring.derive(keyId, purpose, bytes).export().toString('base64'), key);
    }
  });

  it('opens what it sealed, whatever the text and the credential', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 300 });
    fc.assert(
      fc.property(texts, fc.string({ minLength: 1 }), fc.constantFrom('app-secret', 'app-key'), (text, id, what) => {
        const sealed = ring.seal(Secret.fromText(text), { credentialId: id, what });
        assert.equal(sealed.keyId, 'k20260201-bbbbbb');
        assert.ok(text === '' || !Buffer.from(sealed.ciphertext, 'base64').includes(text) || text.length < 4);
        assert.equal(textOf(ring.open(sealed, { credentialId: id, what })), text);
      }),
    );
  });

  it('opens with former keys what they sealed', () => {
    const sealed = testKeyRing(1).seal(Secret.fromText('hunter2'), acme);
    assert.equal(textOf(testKeyRing(1, 2).open(sealed, acme)), 'hunter2');
    assert.equal(testKeyRing(1, 2).currentKeyId, 'test-key-2');
    assert.deepEqual(testKeyRing(1, 2).keyIds, ['test-key-1', 'test-key-2']);
  });

  it('refuses to open with a key that it does not have', () => {
    const sealed = testKeyRing(1).seal(Secret.fromText('hunter2'), acme);
    assertCannotOpen(testKeyRing(2), sealed, acme, 'unknown-key');
    assert.ok(testKeyRing(1).has('test-key-1') && !testKeyRing(2).has('test-key-1'));
    for (const keyId of ['', '__proto__', 'constructor']) {
      assertCannotOpen(testKeyRing(1), { ...sealed, keyId }, acme, 'unknown-key');
      assert.throws(() => testKeyRing(1).derive(keyId, 'access-token', 32), CannotOpen);
    }
  });

  it('refuses a secret whose every single bit was altered', () => {
    const sealed = ring.seal(Secret.fromText('hunter2'), acme);
    for (const part of ['nonce', 'ciphertext'] as const) {
      const bytes = Buffer.from(sealed[part], 'base64');
      for (let bit = 0; bit < bytes.length * 8; bit += 1) {
        const altered = Buffer.from(bytes);
        altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        assertCannotOpen(ring, { ...sealed, [part]: altered.toString('base64') }, acme, 'damaged');
      }
    }
  });

  it('refuses a secret that was cut, lengthened or spelt otherwise', () => {
    const sealed = ring.seal(Secret.fromText('hunter2'), acme);
    for (const part of ['nonce', 'ciphertext'] as const) {
      const bytes = Buffer.from(sealed[part], 'base64');
      for (let length = 0; length < bytes.length; length += 1) {
        const cut = bytes.subarray(0, length).toString('base64');
        assertCannotOpen(ring, { ...sealed, [part]: cut }, acme, 'damaged');
      }
      const longer = Buffer.concat([bytes, Buffer.of(0)]).toString('base64');
      for (const text of [longer, `${sealed[part]}\n`, ` ${sealed[part]}`, 'ä', '!!!!']) {
        assertCannotOpen(ring, { ...sealed, [part]: text }, acme, 'damaged');
      }
    }
  });

  it('refuses a secret under the name of another of its keys', () => {
    const sealed = ring.seal(Secret.fromText('hunter2'), acme);
    assertCannotOpen(ring, { ...sealed, keyId: 'k20260101-aaaaaa' }, acme, 'damaged');
  });

  it('authenticates the id of the key, even when two ids share a key', () => {
    const key = createSecretKey(Buffer.alloc(32, 1));
    const keys = ['a', 'b'].map((id) => ({ id, key, createdAt: 0 }));
    const twins = new KeyRing({ currentKeyId: 'a', stagedKeyId: null, keys });
    const sealed = twins.seal(Secret.fromText('hunter2'), acme);
    assertCannotOpen(twins, { ...sealed, keyId: 'b' }, acme, 'damaged');
  });

  it('refuses a secret in another credential, or as another kind of secret', () => {
    const sealed = ring.seal(Secret.fromText('hunter2'), acme);
    assertCannotOpen(ring, sealed, { ...acme, credentialId: 'acme-hma' }, 'damaged');
    assertCannotOpen(ring, sealed, { ...acme, credentialId: '' }, 'damaged');
    assertCannotOpen(ring, sealed, { ...acme, what: 'app-key' }, 'damaged');
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        fc.pre(one !== other);
        const ofOne = ring.seal(Secret.fromText('hunter2'), { ...acme, credentialId: one });
        assertCannotOpen(ring, ofOne, { ...acme, credentialId: other }, 'damaged');
      }),
    );
  });

  it('refuses what another key of the same id sealed', () => {
    const sealed = testKeyRing(1).seal(Secret.fromText('hunter2'), acme);
    const keys = [{ id: 'test-key-1', key: createSecretKey(Buffer.alloc(32, 9)), createdAt: 0 }];
    assertCannotOpen(new KeyRing({ currentKeyId: 'test-key-1', stagedKeyId: null, keys }), sealed, acme, 'damaged');
  });

  it('never uses a nonce twice', () => {
    const secret = Secret.fromText('hunter2');
    const count = 10_000;
    const sealed = Array.from({ length: count }, () => ring.seal(secret, acme));
    assert.equal(new Set(sealed.map(({ nonce }) => nonce)).size, count);
    assert.equal(new Set(sealed.map(({ ciphertext }) => ciphertext)).size, count);
    for (const { nonce } of sealed) assert.equal(Buffer.from(nonce, 'base64').length, 12);
  });

  it('derives other keys for other purposes, keys and lengths, and none is a key of the ring', () => {
    const keys = ring.keyIds.flatMap((id) => [
      ...['a', 'b', 'a\0', '', 'postern-seal-v1'].map((purpose) => ring.derive(id, purpose, 32)),
      ...['a', 'b'].map((purpose) => ring.derive(id, purpose, 64)),
    ]);
    const texts = [...keys.map((key) => key.export().toString('base64')), ...vectors.keys.map(({ key }) => key)];
    assert.equal(new Set(texts).size, texts.length);
  });

  it('is not shown with its keys', () => {
    const testRing = testKeyRing(7, 8);
    const derived = testRing.derive('test-key-7', 'access-token', 32);
    const raw = Buffer.alloc(32, 7);
    const forbidden = [raw.toString('base64'), raw.toString('hex'), '07 07', '7, 7', '7,7'];
    const bytes = derived.export();
    forbidden.push(bytes.toString('base64'), bytes.toString('hex'), bytes.subarray(0, 3).join(','));
    for (const text of [
      JSON.stringify({ testRing, derived }),
      inspect({ testRing, derived }, { showHidden: true, depth: 20, getters: true }),
      inspect(new Error('x', { cause: { testRing, derived } }), { showHidden: true, depth: 20 }),
    ]) {
      for (const piece of forbidden) assert.ok(!text.includes(piece), text);
    }
    const opened = testRing.open(testRing.seal(Secret.fromText('hunter2'), acme), acme);
    assert.ok(!`${inspect({ opened }, { showHidden: true })}${JSON.stringify(opened)}`.includes('hunter2'));
  });
});
