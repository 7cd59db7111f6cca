import assert from 'node:assert/strict';
import { LargeBuffers } from '../../../../../src/wire/server/http2/large-buffers.ts';

const MIB = 1024 * 1024;

function create(maxIdleBytes = 32 * MIB): LargeBuffers {
  return new LargeBuffers(maxIdleBytes);
}

describe('memory of large messages', () => {
  it('has room, and wastes at most an eighth', () => {
    const buffers = create();
    for (const bytes of [65_531, 65_536, 65_537, 100_000, MIB - 1, MIB, MIB + 1, 10 * MIB + 785, 12 * MIB]) {
      const { length } = buffers.take(bytes);
      assert.ok(length >= bytes && length <= bytes * 1.125, `${String(length)} for ${String(bytes)}`);
    }
  });

  it('goes to the next message of about the same length, one at a time', () => {
    const buffers = create();
    const first = buffers.take(10 * MIB + 785);
    buffers.give(first);
    assert.equal(buffers.idleBytes, first.length);
    assert.notEqual(buffers.take(MIB), first);
    assert.equal(buffers.take(10 * MIB + 1300), first);
    assert.equal(buffers.idleBytes, 0);
    assert.notEqual(buffers.take(10 * MIB + 785), first);
  });

  it('is kept up to a bound, and given back beyond it', () => {
    const buffers = create(3 * MIB);
    const taken = [MIB, MIB, MIB, MIB].map((bytes) => buffers.take(bytes));
    for (const buffer of taken) buffers.give(buffer);
    assert.equal(buffers.idleBytes, 3 * MIB);
    assert.deepEqual(
      taken.map(({ length }) => length),
      [MIB, MIB, MIB, 0],
    );
  });

  it('is given back when it was not needed between two sweeps', () => {
    const buffers = create();
    const [first, second] = [buffers.take(MIB), buffers.take(MIB)];
    buffers.give(first);
    buffers.give(second);
    buffers.sweep();
    assert.equal(buffers.idleBytes, 2 * MIB);
    buffers.give(buffers.take(MIB));
    buffers.sweep();
    assert.deepEqual([buffers.idleBytes, first.length, second.length], [MIB, 0, MIB], 'one was needed');
    buffers.sweep();
    assert.deepEqual([buffers.idleBytes, second.length], [0, 0]);
  });

  it('makes room for messages of another length when those of the first stay away', () => {
    const buffers = create(2 * MIB);
    const [long, short] = [buffers.take(2 * MIB), buffers.take(MIB)];
    buffers.give(long);
    buffers.give(short);
    assert.equal(short.length, 0, 'there was no room for it');
    for (let round = 0; round < 2; round += 1) {
      buffers.sweep();
      buffers.give(buffers.take(MIB));
    }
    const kept = buffers.take(MIB);
    buffers.give(kept);
    assert.equal(buffers.take(MIB), kept);
    assert.equal(long.length, 0);
  });
});
