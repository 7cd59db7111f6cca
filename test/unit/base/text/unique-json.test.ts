import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseUniqueJson } from '../../../../src/base/text/unique-json.ts';

const parse = (text: string): unknown => parseUniqueJson(Buffer.from(text, 'utf8'));

describe('JSON without repeated names', () => {
  it('is what JSON.parse makes of it, whatever it holds', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        assert.deepEqual(parse(text), JSON.parse(text));
      }),
    );
  });

  it('is refused with a name twice, at any depth and however it is escaped', () => {
    for (const text of [
      '{"a":1,"a":1}',
      '{"a":1,"\\u0061":1}',
      '{"x":{"a":1,"b":2,"a":3}}',
      '[[{"a":[],"a":[]}]]',
      '{"__proto__":1,"__proto__":2}',
      '{"a:":1,"a:":"\\":"}',
    ]) {
      assert.equal(parse(text), undefined, text);
    }
  });

  it('takes the same name in different objects, and colons in texts', () => {
    for (const text of ['{"a":{"a":1}}', '[{"a":1},{"a":1}]', '{"a":":\\":","b:":"\\\\"}', '{"__proto__":1}']) {
      assert.deepEqual(parse(text), JSON.parse(text), text);
    }
  });

  it('refuses a repeated name wherever it stands', () => {
    const name = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.json({ maxDepth: 2 }), name, fc.json({ maxDepth: 2 }), (inner, repeated, other) => {
        const key = JSON.stringify(repeated);
        assert.equal(parse(`{"outer":${inner},"list":[{${key}:${other},${key}:${inner}}]}`), undefined);
      }),
    );
  });

  it('refuses what is no JSON in UTF-8', () => {
    for (const text of ['', '{', '{"a":1}x', '\ufeff{}', "{'a':1}", '{"a":1,}', 'undefined', '{"a":01}']) {
      assert.equal(parse(text), undefined, text);
    }
    assert.equal(parseUniqueJson(Buffer.from('"\xff"', 'latin1')), undefined);
  });

  it('takes any depth', () => {
    assert.notEqual(parse(`${'['.repeat(1500)}${']'.repeat(1500)}`), undefined);
  });
});
