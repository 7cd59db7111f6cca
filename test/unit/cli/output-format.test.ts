import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parse } from 'yaml';
import { formatData, formatJson } from '../../../src/cli/render/data.ts';

/** What changes how a terminal shows a text, and what looks like the syntax of a format. */
const special = fc.constantFrom(
  ...['\u009b', '\u0085', '\u007f', '\u202e', '\u2066', '\u2028', '\u2029', '\u00ad', '\ufeff', '\u200b', '\u{e0041}'],
  ...['\n', '\r', '\t', '\0', '\u001b', '"', "'", '\\', ': ', '- ', '#', '|', ' ', 'é', '😀', 'a'],
);
const text = fc.oneof(
  fc.array(special, { maxLength: 30 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, text, fc.integer(), fc.boolean(), fc.constant(null), tie('list'), tie('mapping')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  mapping: fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
})).value;

describe('data that commands print', () => {
  for (const [format, read] of [
    ['json', (written: string): unknown => JSON.parse(written)],
    ['yaml', (written: string): unknown => parse(written)],
  ] as const) {
    it(`holds nothing that a terminal obeys or hides, and is the same value when it is read: ${format}`, () => {
      fc.assert(
        fc.property(value, (given) => {
          const written = formatData(given, format);
          assert.doesNotMatch(written, /[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/u);
          assert.deepEqual(read(written), given);
        }),
        { numRuns: 1000 },
      );
    });
  }

  it('is not changed by its indentation', () => {
    fc.assert(
      fc.property(value, fc.nat({ max: 4 }), (given, indentation) => {
        const written = formatJson(given, indentation);
        assert.deepEqual(JSON.parse(written), given);
        assert.ok(written.split('\n').every((line) => line.startsWith(' '.repeat(indentation))));
      }),
    );
  });

  it('is plain where nothing is special', () => {
    const given = { name: 'Ärger & Söhne', list: ['a', 1, null], 'k y': 'x: y' };
    assert.equal(formatData(given, 'yaml'), 'name: Ärger & Söhne\nlist:\n  - a\n  - 1\n  - null\nk y: "x: y"\n');
    assert.equal(formatData({ name: '\u202ea\u2028' }, 'yaml'), 'name: "\\u202ea\\u2028"\n');
    assert.equal(formatJson('\u009b\u{e0041}'), '"\\u009b\\udb40\\udc41"');
  });
});
