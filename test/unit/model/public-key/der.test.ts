import assert from 'node:assert/strict';
import fc from 'fast-check';
import { elementsIn } from '../../../../src/model/public-key/der.ts';

const read = (hex: string): readonly string[] | null =>
  elementsIn(Buffer.from(hex.replaceAll(' ', ''), 'hex'))?.map(
    ({ tag, content }) => `${tag.toString(16)}:${content.toString('hex')}`,
  ) ?? null;

describe('elements of DER', () => {
  it('gives those that follow each other, with tag and content', () => {
    assert.deepEqual(read(''), []);
    assert.deepEqual(read('02 01 05 30 00 86 02 61 62'), ['2:05', '30:', '86:6162']);
    for (const [length, head] of [
      [0x7f, '7f'],
      [0x80, '8180'],
      [0xff, '81ff'],
      [0x100, '820100'],
      [0x1_00_00, '83010000'],
    ] as const) {
      assert.deepEqual(read(`04 ${head} ${'00'.repeat(length)}`), [`4:${'00'.repeat(length)}`], head);
    }
  });

  it('gives nothing for bytes that are not DER', () => {
    for (const hex of [
      '02', // no length
      '02 02 05', // cut off
      '02 01 05 02', // something behind it
      '02 81 01 05', // a length that is written longer than it must be
      '02 82 00 01 05',
      `02 82 00 80 ${'00'.repeat(0x80)}`,
      '30 80 02 01 05 00 00', // without a length
      '1f 01 00', // a tag of several bytes
      '02 85 00 00 00 00 01 05',
    ]) {
      assert.equal(read(hex), null, hex);
    }
  });

  it('never fails, and covers all bytes where it gives elements', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const elements = elementsIn(Buffer.from(bytes));
        if (elements !== null) assert.equal(elements.at(-1)?.end ?? 0, bytes.length);
      }),
    );
  });
});
