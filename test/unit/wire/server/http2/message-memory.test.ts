import assert from 'node:assert/strict';
import { defaultLimits } from '../../../../../src/wire/server/http2/limits.ts';
import { MessageMemory } from '../../../../../src/wire/server/http2/message-memory.ts';
import { createServerContext } from '../../../../../src/wire/server/http2/server-context.ts';
import { Stream } from '../../../../../src/wire/server/http2/stream.ts';
import { fixedClock } from '../../../../support/time/fixed-clock.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const NOTHING = Buffer.alloc(0);

describe('memory that a call holds', () => {
  const clock = fixedClock();
  const observer = { defect: () => undefined, connectionRefused: () => undefined, memoryRefused: () => undefined };

  function begin(id: number): Stream {
    const about = { id, method: null, path: '/', contentLength: -1, timeoutMs: Infinity, traceParent: null };
    return new Stream({ ...about, nowMs: clock.nowMs() });
  }

  it('is given back once, however often the call ends', () => {
    const context = createServerContext({ methods: new Map(), observer, clock, limits: defaultLimits });
    const memory = new MessageMemory(context, () => assert.fail('there is memory enough'));
    const beginLarge = (id: number): Stream => {
      const stream = begin(id);
      memory.askTurn(stream, MIB, () => undefined);
      assert.ok(memory.grow(stream, NOTHING, 100 * KIB, MIB));
      return stream;
    };
    const ended = beginLarge(1);
    assert.deepEqual([context.turnPool.heldBytes, context.largeMemory.heldBytes], [MIB, MIB]);
    memory.release(ended);
    memory.release(ended);
    assert.deepEqual([context.turnPool.heldBytes, context.largeMemory.heldBytes], [0, 0]);
    assert.equal(context.largeBuffers.idleBytes, MIB);
    const [second, third] = [beginLarge(3), beginLarge(5)];
    assert.notEqual(second.memory, third.memory);
  });

  it('grows with what arrives, and keeps it', () => {
    const context = createServerContext({ methods: new Map(), observer, clock, limits: defaultLimits });
    const memory = new MessageMemory(context, () => assert.fail('there is memory enough'));
    const stream = begin(1);
    const first = memory.grow(stream, NOTHING, 5000, 10 * MIB);
    assert.ok(first);
    assert.ok(first.length >= 20_000 && first.length <= 22_500, 'four times, and an eighth to round up');
    first.fill('a', 0, 5000);
    memory.askTurn(stream, 10 * MIB, () => undefined);
    assert.equal(context.partPool.heldBytes, 0);
    const second = memory.grow(stream, first.subarray(0, 5000), 140_000, 10 * MIB);
    assert.ok(second);
    assert.ok(second.subarray(0, 5000).equals(Buffer.alloc(5000, 'a')));
    assert.ok(second.length >= 2_240_000 && second.length <= 2_520_000, 'sixteen times');
    assert.equal(context.largeMemory.heldBytes, second.length);
    memory.release(stream);
    assert.equal(context.largeMemory.heldBytes, 0);
  });
});
