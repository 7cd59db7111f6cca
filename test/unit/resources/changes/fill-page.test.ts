import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fillPage, type Piece } from '../../../../src/resources/changes/fill-page.ts';

/** Numbers from 0, in pieces of a size; those are chosen that are wanted. */
async function* piecesOf(
  {
    count,
    size,
    isWanted,
    looked,
  }: { count: number; size: number; isWanted: (n: number) => boolean; looked: number[] },
  from = 0,
): AsyncGenerator<Piece<number, number>> {
  await Promise.resolve();
  for (let at = from; at < count; at += size) {
    const some = Array.from({ length: Math.min(size, count - at) }, (_, index) => at + index);
    looked.push(some.length);
    yield { chosen: some.filter(isWanted), lookedAt: some.length, last: some.at(-1) ?? at };
  }
}

const itself = (item: number): number => item;

describe('a page of what is chosen', () => {
  it('ends behind the items it has room for', async () => {
    const pieces = piecesOf({ count: 100, size: 10, isWanted: (n) => n % 2 === 0, looked: [] });
    assert.deepEqual(await fillPage(pieces, { limit: 3, placeOf: itself }), { shown: [0, 2, 4], next: 4 });
  });

  it('with something in it looks at a bounded number', async () => {
    const looked: number[] = [];
    const pieces = piecesOf({ count: 100_000, size: 500, isWanted: (n) => n === 7, looked });
    assert.deepEqual(await fillPage(pieces, { limit: 3, placeOf: itself }), { shown: [7], next: 4999 });
    assert.equal(looked.length, 10);
  });

  it('with nothing in it goes on until there is something, or the end', async () => {
    const one = piecesOf({ count: 100_000, size: 500, isWanted: (n) => n === 60_000, looked: [] });
    assert.deepEqual(await fillPage(one, { limit: 3, placeOf: itself }), { shown: [60_000], next: 60_499 });
    const none = piecesOf({ count: 100_000, size: 500, isWanted: () => false, looked: [] });
    assert.deepEqual(await fillPage(none, { limit: 3, placeOf: itself }), { shown: [], next: null });
  });

  it('leads to the next, so that all come once, none is empty but the last, and the order holds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          wanted: fc.uniqueArray(fc.nat(29_999), { maxLength: 40 }),
          size: fc.integer({ min: 100, max: 3000 }),
          limit: fc.integer({ min: 1, max: 10 }),
        }),
        async ({ wanted, size, limit }) => {
          const isWanted = (n: number): boolean => wanted.includes(n);
          const seen: number[] = [];
          let next: number | null = -1;
          while (next !== null) {
            const pieces = piecesOf({ count: 30_000, size, isWanted, looked: [] }, next + 1);
            const page: { shown: readonly number[]; next: number | null } = await fillPage(pieces, {
              limit,
              placeOf: itself,
            });
            assert.ok(page.shown.length > 0 || page.next === null);
            assert.ok(page.shown.length <= limit);
            seen.push(...page.shown);
            next = page.next;
          }
          assert.deepEqual(
            seen,
            wanted.toSorted((one, other) => one - other),
          );
        },
      ),
      { numRuns: 50 },
    );
  });
});
