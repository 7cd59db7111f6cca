import assert from 'node:assert/strict';
import { formDecodeInPieces, formDecodeInto } from '../../../../src/base/text/form-decoding.ts';
import { parseParameters, parsingParameters } from '../../../../src/check/methods/parameter-signature/parameters.ts';
import { PIECE_BYTES, runAtOnce } from '../../../../src/base/text/work.ts';

const SIZE = 3 * PIECE_BYTES;

/** What decoding gives, or null for bad encoding. */
function decodedBy(decode: (out: Buffer, bytes: Buffer) => number, bytes: Buffer): string | null {
  const out = Buffer.alloc(bytes.length);
  const end = decode(out, bytes);
  return end === -1 ? null : out.toString('latin1', 0, end);
}

describe('form decoding in pieces', () => {
  it('gives the same wherever an encoded byte is', () => {
    for (const text of ['%41', '%4a%4A', 'x%41+', '%25%32%35', '%', '%4', '%%4', '%4%', '%zz']) {
      for (let shift = -4; shift <= 4; shift += 1) {
        const bytes = Buffer.alloc(SIZE, 'a');
        for (const end of [PIECE_BYTES, 2 * PIECE_BYTES]) bytes.write(text, end + shift, 'latin1');
        const atOnce = decodedBy((out, from) => formDecodeInto(out, 0, from, 0, from.length), bytes);
        const inPieces = decodedBy((out, from) => runAtOnce(formDecodeInPieces(out, 0, from, 0, from.length)), bytes);
        assert.ok(atOnce === inPieces, `${text} at ${String(shift)}`);
      }
    }
  });
});

describe('parameters of a large form', () => {
  for (const [name, count] of [
    ['one', 1],
    ['many', 99],
  ] as const) {
    it(`are decoded in turns with other work: ${name}`, () => {
      const value = '%41'.repeat(Math.floor((10 * PIECE_BYTES) / 3 / count));
      const form = Buffer.from(Array<string>(count).fill(`n=${value}`).join('&'));
      let turns = 0;
      const work = parsingParameters(form);
      for (let step = work.next(); step.done !== true; step = work.next()) turns += 1;
      assert.ok(turns >= 8 && turns <= 11, String(turns));
      assert.ok('decoded' in parseParameters(form));
    });
  }
});
