import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type IndexedStream, StreamIndex } from '../../../../src/wire/http2/stream-index.ts';

class Entry implements IndexedStream<Entry> {
  readonly id: number;
  nextInSlot: Entry | null = null;

  constructor(id: number) {
    this.id = id;
  }
}

const ids = fc.integer({ min: 1, max: 2 ** 31 - 1 });

describe('an index of streams', () => {
  it('finds what a Map finds in which the same was done', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(ids, fc.integer({ min: 1, max: 50 })), { maxLength: 200 }), (steps) => {
        const index = new StreamIndex<Entry>();
        const map = new Map<number, Entry>();
        for (const id of steps) {
          const entry = map.get(id) ?? new Entry(id);
          if (map.delete(id)) index.delete(entry);
          else {
            index.add(entry);
            map.set(id, entry);
          }
          assert.equal(index.get(id), map.get(id));
          assert.equal(index.size, map.size);
        }
        const inOrder = [...map.values()].sort((a, b) => a.id - b.id);
        assert.deepEqual(
          index.inOrder().map(({ id }) => id),
          inOrder.map(({ id }) => id),
        );
        assert.equal(new Set(index).size, map.size);
        for (const entry of inOrder) assert.equal(index.get(entry.id), entry);
      }),
    );
  });

  it('leaves alone a stream that is not there', () => {
    const index = new StreamIndex<Entry>();
    const entry = new Entry(1);
    index.add(entry);
    index.delete(new Entry(1));
    assert.equal(index.get(1), entry);
    assert.equal(index.size, 1);
  });
});
