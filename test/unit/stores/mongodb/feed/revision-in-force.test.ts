import assert from 'node:assert/strict';
import { Timestamp } from 'mongodb';
import type { StoreRevision } from '../../../../../src/model/store-revision.ts';
import { covers, hasEnded, wholeRevision } from '../../../../../src/model/store-revision.ts';
import { RevisionInForce } from '../../../../../src/stores/mongodb/feed/revision-in-force.ts';
import { timeOfToken } from '../../../../../src/stores/mongodb/feed/stream-time.ts';

const at = (t: number, i = 1): Timestamp => new Timestamp({ t, i });
const upTo = (latest: number, ...underWay: number[]): StoreRevision => ({ latest, underWay });

describe('the revision in force', () => {
  let told: number[];
  let isCompiled: boolean;
  let state: RevisionInForce;

  beforeEach(() => {
    told = [];
    isCompiled = true;
    state = new RevisionInForce({
      isCompiled: () => isCompiled,
      onChanged: ({ latest }) => told.push(latest),
    });
  });

  it('waits until every change before the reading was taken', () => {
    state.read(upTo(7), at(10));
    state.reach(at(9, 99));
    assert.equal(state.inForce, null);
    state.reach(at(10));
    assert.deepEqual(state.inForce, upTo(7));
    assert.deepEqual(told, [7]);
  });

  it('waits for changed endpoints to be compiled, and for what was read before changes were lost', () => {
    isCompiled = false;
    state.hold();
    state.reach(at(10));
    state.read(upTo(7), at(10));
    isCompiled = true;
    state.compiled();
    assert.equal(state.inForce, null);
    state.release();
    assert.deepEqual(state.inForce, upTo(7));
  });

  it('takes nothing while changes are lost, and keeps what it had', () => {
    state.reach(at(10));
    state.read(upTo(7), at(10));
    state.reach(null);
    state.read(upTo(8), at(9));
    assert.deepEqual(state.inForce, upTo(7));
    state.reach(at(11));
    assert.deepEqual(state.inForce, upTo(8));
  });

  it('comes to an end for the first of many readings, and then for the last', () => {
    for (let each = 1; each <= 5; each += 1) state.read(upTo(each), at(each));
    state.reach(at(1));
    assert.deepEqual(state.inForce, upTo(1));
    state.reach(at(5));
    assert.deepEqual(state.inForce, upTo(5));
    assert.deepEqual(told, [1, 5]);
  });

  it('goes back with a database that was restored', () => {
    state.reach(at(99));
    state.read(upTo(7), at(10));
    state.read(upTo(3), at(11));
    assert.deepEqual(state.inForce, upTo(3));
  });
});

describe('commits under way', () => {
  it('hold back the whole revision, and no other one', () => {
    const revision = upTo(9, 5, 8);
    assert.equal(wholeRevision(revision), 4);
    assert.deepEqual(
      [4, 5, 6, 8, 9, 10].map((each) => hasEnded(revision, each)),
      [true, false, true, false, true, false],
    );
  });

  it('are not wanted of those who know everything that has ended', () => {
    assert.ok(covers(upTo(9, 5), upTo(9, 5)));
    assert.ok(covers(upTo(9, 5), upTo(8, 5)));
    assert.ok(!covers(upTo(9, 5), upTo(9)));
    assert.ok(!covers(upTo(8), upTo(9, 9, 5)));
  });
});

describe('the moment of a resume token', () => {
  it('is read of tokens as MongoDB writes them, and of nothing else', () => {
    const moment = timeOfToken({ _data: '82673F0A1C000000052B0229296E04' });
    assert.deepEqual([moment?.t, moment?.i], [0x673f0a1c, 5]);
    for (const token of [null, undefined, {}, { _data: 1 }, { _data: '81673F0A1C00000005' }, { _data: '82673F' }]) {
      assert.equal(timeOfToken(token), null);
    }
  });
});
