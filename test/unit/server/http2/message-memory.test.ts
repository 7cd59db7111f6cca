import assert from 'node:assert/strict';
import { defaultLimits } from '../../../../src/server/http2/limits.ts';
import { MessageMemory } from '../../../../src/server/http2/message-memory.ts';
import { createServerContext } from '../../../../src/server/http2/server-context.ts';
import { Stream } from '../../../../src/server/http2/stream.ts';
import { fixedClock } from '../../../support/pipeline/fixed-clock.ts';

const MIB = 1024 * 1024;

describe('memory that a call holds', () => {
  it('is given back once, however often the call ends', () => {
    const clock = fixedClock();
    const observer = { defect: () => undefined, connectionRefused: () => undefined };
    const context = createServerContext({ methods: new Map(), observer, clock, limits: defaultLimits });
    const memory = new MessageMemory(context);
    const begin = (id: number): Stream => {
      const about = { id, method: null, path: '/', contentLength: -1, timeoutMs: Infinity, traceParent: null };
      const stream = new Stream({ ...about, sendWindowBytes: 0, nowMs: clock.nowMs(), clock });
      assert.equal(
        memory.reserve(stream, MIB, () => undefined),
        true,
      );
      return stream;
    };
    const ended = begin(1);
    memory.release(ended);
    memory.release(ended);
    assert.equal(context.largePool.heldBytes, 0);
    assert.equal(context.largeBuffers.idleBytes, MIB);
    const [second, third] = [begin(3), begin(5)];
    assert.notEqual(second.largeMemory, third.largeMemory);
  });
});
