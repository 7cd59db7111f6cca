import assert from 'node:assert/strict';
import { RandomIds } from '../../../src/base/random-ids.ts';

describe('ids of random bytes', () => {
  it('are of the length that was asked for, and none comes twice, beyond what is made at once', () => {
    const ids = new RandomIds(16);
    const made = Array.from({ length: 1000 }, () => ids.next());
    assert.equal(new Set(made).size, made.length);
    for (const id of made) assert.match(id, /^[\w-]{22}$/);
    // Parts of two ids do not overlap either.
    assert.equal(new Set(made.flatMap((id) => [id.slice(0, 10), id.slice(11, 21)])).size, 2 * made.length);
  });

  it('are not those of another', () => {
    assert.notEqual(new RandomIds(16).next(), new RandomIds(16).next());
  });
});
