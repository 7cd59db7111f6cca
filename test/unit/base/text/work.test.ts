import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { PIECE_BYTES, updateInPieces, type Work } from '../../../../src/base/text/work.ts';

/** How often work yields. */
function turnsOf(work: Work<unknown>): number {
  let turns = 0;
  while (work.next().done !== true) turns += 1;
  return turns;
}

describe('hashing in pieces', () => {
  it('yields by what was hashed, however that is cut', () => {
    const whole = Buffer.alloc(10 * PIECE_BYTES, 'text of some length ');
    const cuts = [1000, 99_999, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, whole.length];
    const right = createHash('sha256').update(whole).digest('hex');
    for (const cut of cuts) {
      const texts: Buffer[] = [];
      for (let at = 0; at < whole.length; at += cut) texts.push(whole.subarray(at, at + cut));
      const hash = createHash('sha256');
      assert.equal(turnsOf(updateInPieces(hash, texts)), 9, `cut at ${String(cut)}`);
      assert.equal(hash.digest('hex'), right);
    }
  });

  it('does not yield when there is little', () => {
    const texts = [Buffer.alloc(PIECE_BYTES - 10), Buffer.alloc(0), Buffer.alloc(10)];
    assert.equal(turnsOf(updateInPieces(createHash('sha256'), texts)), 0);
    assert.equal(turnsOf(updateInPieces(createHash('sha256'), [])), 0);
  });
});
