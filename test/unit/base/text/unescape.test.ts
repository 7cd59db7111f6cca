import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import openWabt from 'wabt';
import { UNESCAPE_MODULE } from '../../../../src/base/text/unescape-module.ts';
import { UNESCAPED_AT_ONCE, Unescaper } from '../../../../src/base/text/unescape.ts';

const unescaper = new Unescaper();
const spoilt = Buffer.alloc(UNESCAPED_AT_ONCE + 2, 0xdd);

function unescape(piece: Buffer): { read: number; text: Buffer } {
  const out = Buffer.from(spoilt);
  const { read, written } = unescaper.unescape(piece, out, 1);
  assert.equal(out[0], spoilt[0]);
  assert.ok(out.subarray(1 + written).equals(spoilt.subarray(1 + written)));
  return { read, text: out.subarray(1, 1 + written) };
}

/** The same, a byte at a time. */
function expected(piece: Buffer): { read: number; text: Buffer } {
  const plain: number[] = [];
  let at = 0;
  while (at < piece.length) {
    const byte = piece[at] ?? 0;
    if (byte === 0x22 || byte < 0x20) break;
    if (byte !== 0x5c) {
      plain.push(byte);
      at += 1;
      continue;
    }
    const escape = piece.toString('latin1', at, at + 2);
    if (!/^\\["\\/bfnrt]$/.test(escape)) break;
    plain.push((JSON.parse(`"${escape}"`) as string).charCodeAt(0));
    at += 2;
  }
  return { read: at, text: Buffer.from(plain) };
}

describe('unescaping a piece of a JSON string', () => {
  it('is what its source says', async () => {
    const wabt = await openWabt();
    const source = readFileSync(new URL('../../../../src/base/text/unescape.wat', import.meta.url), 'utf8');
    const module = wabt.parseWat('unescape.wat', source, { simd: true, multi_value: true });
    const assembled = Buffer.from(module.toBinary({}).buffer).toString('base64');
    assert.equal(UNESCAPE_MODULE, assembled, 'put what it is into unescape-module.ts');
  });

  it('gives what it stands for, and stops where it must', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 8 }).map((some) => Buffer.from(some)),
      fc.constantFrom('\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t').map((escape) => Buffer.from(escape)),
      fc.string({ maxLength: 40 }).map((text) => Buffer.from(JSON.stringify(text).slice(1, -1))),
    );
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 30 }), (parts) => {
        const piece = Buffer.concat(parts);
        assert.deepEqual(unescape(piece), expected(piece));
      }),
      { numRuns: 2000 },
    );
  });

  it('knows every byte behind a backslash, and every byte alone, wherever it stands', () => {
    for (let byte = 0; byte < 256; byte += 1) {
      for (const before of [0, 1, 14, 15, 16, 17, 30, 31, 32, 33, 46, 47, 63, 64, 65, 127]) {
        const plain = Buffer.alloc(before, 'x');
        const behind = Buffer.from('yz and more than 16 bytes of text');
        for (const middle of [[byte], [0x5c, byte]]) {
          const piece = Buffer.concat([plain, Buffer.from(middle), behind]);
          assert.deepEqual(unescape(piece), expected(piece), `${String(middle)} behind ${String(before)}`);
        }
      }
    }
  });

  it('knows which of the backslashes in a row begin an escape, wherever they stand', () => {
    for (let before = 0; before <= 17; before += 1) {
      for (let count = 0; count <= 36; count += 1) {
        for (const behind of [
          '',
          'n',
          'n and some text behind it',
          '" and some text behind it',
          'x and some text behind it',
          '/\\r\\\\t!',
        ]) {
          const piece = Buffer.from('x'.repeat(before) + '\\'.repeat(count) + behind);
          assert.deepEqual(unescape(piece), expected(piece), piece.toString());
        }
      }
    }
  });

  it('does not read an escape that the piece cuts off, though the piece before it goes on there', () => {
    unescape(Buffer.from('abcdefgh\\nxyz'));
    assert.deepEqual(unescape(Buffer.from('abcdefgh\\')), { read: 8, text: Buffer.from('abcdefgh') });
  });

  it('takes pieces up to its limit', () => {
    const full = Buffer.from('\\\\'.repeat(UNESCAPED_AT_ONCE / 2));
    assert.deepEqual(unescape(full), { read: full.length, text: Buffer.alloc(full.length / 2, '\\') });
    const plain = Buffer.alloc(UNESCAPED_AT_ONCE, 'x');
    assert.deepEqual(unescape(plain), { read: plain.length, text: plain });
    const after = Buffer.from('\\n'.repeat(10));
    assert.deepEqual(unescape(after).text, Buffer.alloc(10, '\n'), 'the table of letters is as it was');
  });
});
