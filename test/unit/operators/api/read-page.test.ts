import assert from 'node:assert/strict';
import { cursorsOf } from '../../../../src/operators/api/cursors.ts';
import { readPage } from '../../../../src/operators/api/read-page.ts';
import { MAX_PAGE_CHARACTERS, readListPage } from '../../../../src/operators/api/shapes.ts';
import type { Stored } from '../../../../src/resources/resource.ts';
import { testCursors } from '../../../support/api/memory-api.ts';

interface Item {
  readonly id: string;
  readonly text: string;
}

function stored(id: number, characters: number): Stored<Item> {
  return { resource: { id: `i${String(id)}`, text: 'x'.repeat(characters) }, revision: 1, createdAt: 0, updatedAt: 0 };
}

/** Gives items one by one, and counts those that were asked for. */
class Listed implements AsyncIterable<Stored<Item>> {
  taken = 0;
  readonly #count: number;
  readonly #characters: number;

  constructor(count: number, characters: number) {
    this.#count = count;
    this.#characters = characters;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Stored<Item>> {
    await Promise.resolve();
    for (let at = 0; at < this.#count; at += 1) {
      this.taken += 1;
      yield stored(at, this.#characters);
    }
  }
}

const cursors = cursorsOf(testCursors, 'ada', '/v1/consumers');
const large = MAX_PAGE_CHARACTERS / 4;

describe('a page of a list', () => {
  it('ends with its limit, and reads one item more', async () => {
    const listed = new Listed(10, 1);
    const { items, nextCursor } = await readListPage(listed, { limit: 3, cursors }, ({ resource }) => resource);
    assert.equal(items.length, 3);
    assert.equal(cursors.read(nextCursor ?? ''), 'i2');
    assert.equal(listed.taken, 4);
    assert.equal(
      (await readListPage(new Listed(3, 1), { limit: 3, cursors }, ({ resource }) => resource)).nextCursor,
      null,
    );
  });

  it('ends before, where its items are large, and has one whatever that takes', async () => {
    const listed = new Listed(100, large);
    const { items, nextCursor } = await readListPage(listed, { limit: 50, cursors }, ({ resource }) => resource);
    assert.equal(items.length, 4);
    assert.notEqual(nextCursor, null);
    assert.equal(listed.taken, 5);
    const one = await readListPage(
      new Listed(2, 2 * MAX_PAGE_CHARACTERS),
      { limit: 50, cursors },
      ({ resource }) => resource,
    );
    assert.equal(one.items.length, 1);
    assert.notEqual(one.nextCursor, null);
  });

  it('of chosen items looks at few large ones together', async () => {
    const listed = new Listed(100, large);
    const sizes: number[] = [];
    const choose = async (some: readonly Stored<Item>[]): Promise<readonly Stored<Item>[]> => {
      sizes.push(some.length);
      return await Promise.resolve(some);
    };
    const { shown, last } = await readPage(listed, 50, choose, ({ resource }) => resource.text.length);
    assert.equal(shown.length, 5);
    assert.equal(last, shown.at(-1));
    assert.deepEqual(new Set(sizes), new Set([1]));
    assert.equal(listed.taken, 6);
  });
});
