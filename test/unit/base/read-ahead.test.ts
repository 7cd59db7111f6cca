import assert from 'node:assert/strict';
import { readAhead } from '../../../src/base/read-ahead.ts';

describe('reading ahead', () => {
  /** Counts to three, or fails there, and writes down what it is asked for and that it was closed. */
  async function* numbers(seen: string[], fails = false): AsyncGenerator<number> {
    try {
      for (const number of [1, 2, 3]) {
        seen.push(`read ${String(number)}`);
        await Promise.resolve();
        if (fails && number === 3) throw new Error('no three');
        yield number;
      }
    } finally {
      seen.push('closed');
    }
  }

  it('reads the next item, and no further one, while an item is used', async () => {
    const seen: string[] = [];
    for await (const number of readAhead(numbers(seen))) {
      await Promise.resolve();
      seen.push(`used ${String(number)}`);
    }
    assert.deepEqual(seen, ['read 1', 'read 2', 'used 1', 'read 3', 'used 2', 'closed', 'used 3']);
  });

  it('fails where the item would come, after those before it', async () => {
    const used: number[] = [];
    await assert.rejects(async () => {
      for await (const number of readAhead(numbers([], true))) used.push(number);
    }, /^Error: no three$/);
    assert.deepEqual(used, [1, 2]);
  });

  it('closes the stream when the reader stops, whatever the next item is', async () => {
    for (const fails of [false, true]) {
      const seen: string[] = [];
      for await (const number of readAhead(numbers(seen, fails))) if (number === 2) break;
      assert.equal(seen.at(-1), 'closed');
    }
  });
});
