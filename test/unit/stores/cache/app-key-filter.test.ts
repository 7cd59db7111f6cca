import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AppKeyFilter, AppKeySet, createAppKeySeeds } from '../../../../src/stores/cache/app-key-filter.ts';
import { hashOf } from '../../../support/store/held.ts';

const hash = fc.stringMatching(/^[0-9a-f]{64}$/);

describe('a set of App Keys', () => {
  it('never denies one that was added, in whatever order', () => {
    fc.assert(
      fc.property(fc.array(hash, { maxLength: 300 }), (hashes) => {
        const set = new AppKeySet(createAppKeySeeds());
        for (const [at, each] of hashes.entries()) {
          set.add(each);
          for (const earlier of hashes.slice(0, at + 1)) assert.ok(set.has(earlier));
        }
        assert.ok(set.size <= new Set(hashes).size);
      }),
    );
  });

  it('knows 100 000, and takes none of 100 000 others for one of them, in less than 7 bytes each', () => {
    const set = new AppKeySet(createAppKeySeeds());
    const count = 100_000;
    for (let at = 0; at < count; at += 1) set.add(hashOf(String(at)));
    // Two that are the same here are one in some 10 000 runs.
    assert.ok(set.size >= count - 2, String(set.size));
    let wrong = 0;
    for (let at = 0; at < count; at += 1) {
      assert.ok(set.has(hashOf(String(at))));
      if (set.has(hashOf(`not ${String(at)}`))) wrong += 1;
    }
    assert.ok(wrong <= 1, `${String(wrong)} false`);
    assert.ok(set.bytes < 7 * count, String(set.bytes));
  });

  it('spreads them otherwise in each process', () => {
    assert.notDeepEqual(createAppKeySeeds(), createAppKeySeeds());
  });
});

describe('the filter of App Keys', () => {
  it('is whole after a reading, with what was noted before its end', () => {
    const filter = new AppKeyFilter();
    assert.equal(filter.isWhole, false);
    const reading = filter.begin();
    reading.add(hashOf('read'));
    filter.note(hashOf('noted'));
    assert.deepEqual([filter.isWhole, filter.has(hashOf('noted')), filter.has(hashOf('read'))], [false, true, false]);
    reading.end();
    assert.deepEqual([filter.isWhole, filter.size], [true, 2]);
    assert.deepEqual([filter.has(hashOf('noted')), filter.has(hashOf('read'))], [true, true]);
  });

  it('keeps what it had when it may have missed some, but is not whole until a reading that began after that', () => {
    const filter = new AppKeyFilter();
    const first = filter.begin();
    first.add(hashOf('a'));
    first.end();
    const late = filter.begin();
    filter.lose();
    late.end();
    assert.deepEqual([filter.isWhole, filter.has(hashOf('a'))], [false, true]);
    filter.begin().end();
    assert.deepEqual([filter.isWhole, filter.has(hashOf('a'))], [true, false]);
  });

  it('counts those that are gone until a reading that began after they went', () => {
    const filter = new AppKeyFilter();
    filter.noteGone();
    const reading = filter.begin();
    filter.noteGone();
    assert.equal(filter.gone, 2);
    reading.end();
    assert.equal(filter.gone, 1);
    filter.begin().end();
    assert.equal(filter.gone, 0);
  });
});
