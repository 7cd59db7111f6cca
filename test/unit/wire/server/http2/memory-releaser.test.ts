import assert from 'node:assert/strict';
import { MemoryReleaser } from '../../../../../src/wire/server/http2/large-buffers.ts';

const MIB = 1024 * 1024;

describe('memory that is given back at once', () => {
  it('is gone before the next turn, whatever its garbage collector does', () => {
    const releaser = new MemoryReleaser();
    const before = process.memoryUsage().arrayBuffers;
    for (let round = 0; round < 64; round += 1) {
      const bytes = Buffer.allocUnsafeSlow(16 * MIB);
      releaser.release(bytes);
      assert.equal(bytes.length, 0);
      assert.ok(process.memoryUsage().arrayBuffers - before < 16 * MIB);
    }
  });

  it('is not that of small buffers, nor any that others use too', () => {
    const releaser = new MemoryReleaser();
    const small = Buffer.alloc(100);
    const whole = Buffer.alloc(MIB);
    const part = whole.subarray(0, MIB - 1);
    const shared = Buffer.from(new SharedArrayBuffer(MIB));
    for (const bytes of [small, part, shared]) releaser.release(bytes);
    assert.deepEqual([small.length, part.length, whole.length, shared.length], [100, MIB - 1, MIB, MIB]);
  });
});
