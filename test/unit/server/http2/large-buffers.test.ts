import assert from 'node:assert/strict';
import { LargeBuffers } from '../../../../src/server/http2/large-buffers.ts';
import { MemoryReleaser } from '../../../../src/server/http2/memory-releaser.ts';

const MIB = 1024 * 1024;

function create(maxIdleBytes = 32 * MIB): LargeBuffers {
  return new LargeBuffers(maxIdleBytes, new MemoryReleaser());
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

  it('is given back when no large message came between two sweeps', () => {
    const buffers = create();
    const buffer = buffers.take(MIB);
    buffers.give(buffer);
    buffers.sweep();
    assert.equal(buffers.idleBytes, MIB);
    buffers.sweep();
    assert.deepEqual([buffers.idleBytes, buffer.length], [0, 0]);
  });
});
