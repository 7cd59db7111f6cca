import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { Secret } from '../../../src/model/secret.ts';

describe('a secret', () => {
  const secret = Secret.fromText('hunter2 ä');

  it('gives its bytes as UTF-8 when they are asked for', () => {
    assert.deepEqual(secret.reveal(), Buffer.from('hunter2 ä', 'utf8'));
  });

  for (const [name, text] of [
    ['String()', String(secret)],
    ['concatenation', ''.concat('', secret as unknown as string)],
    ['JSON', JSON.stringify({ secret })],
    ['inspect', inspect(secret)],
    ['inspect with everything', inspect({ secret }, { showHidden: true, depth: 9, getters: true })],
    ['inspect as an error cause', inspect(new Error('x', { cause: secret }))],
    ['its entries', JSON.stringify([Object.entries(secret), Object.getOwnPropertyNames(secret)])],
    ['a clone', JSON.stringify(structuredClone(secret))],
  ] as const) {
    it(`is not shown by ${name}`, () => {
      assert.ok(!text.includes('hunter'), text);
      assert.ok(!text.includes('104'), 'not as numbers either');
    });
  }

  it('keeps what is derived from it, and shows that no more than itself', () => {
    const derivation = (bytes: Buffer): Buffer => Buffer.from(bytes);
    const derived = secret.derive(derivation);
    assert.equal(secret.derive(derivation), derived);
    assert.notEqual(
      secret.derive((bytes) => Buffer.from(bytes)),
      derived,
    );
    assert.ok(!inspect(secret, { showHidden: true, depth: 9, getters: true }).includes('hunter'));
  });

  it('shows that it is one', () => {
    assert.equal(String(secret), '[secret]');
    assert.equal(JSON.stringify({ secret }), '{"secret":"[secret]"}');
    assert.equal(inspect({ secret }), '{ secret: [secret] }');
    assert.ok(Number.isNaN(Number(secret)));
  });
});
