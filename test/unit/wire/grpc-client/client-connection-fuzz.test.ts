import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CallFailure } from '../../../../src/wire/grpc-client/call-failure.ts';
import { frameFlag, frameType, setting } from '../../../../src/wire/http2/frame.ts';
import {
  answerHead,
  type FakeClient,
  fakeClient,
  goodAnswer,
  prefixed,
  statusOnly,
  trailers,
} from '../../../support/grpc/fake-client.ts';
import { block, data, frame, settings, uint32 } from '../../../support/grpc/fake-wire.ts';

/** `FRAME_FUZZ_RUNS` runs it at volume: each run is an array of frames. */
const runs = { numRuns: Number(process.env['FRAME_FUZZ_RUNS'] ?? 300) };
const CALLS = 5;
const MAX_HELD_BYTES = 20_000;

const id = fc.integer({ min: 0, max: CALLS }).map((number) => 2 * number + 1);
const anyId = fc.integer({ min: 0, max: 2 * CALLS + 2 });
const payload = fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes));
const flags = fc.constantFrom(
  0,
  frameFlag.endStream,
  frameFlag.endHeaders,
  frameFlag.endHeaders | frameFlag.endStream,
  frameFlag.padded,
  frameFlag.padded | frameFlag.endHeaders | frameFlag.priority,
  0xff,
);
const fields = fc.dictionary(
  fc.constantFrom(':status', 'content-type', 'grpc-status', 'grpc-message', 'te', 'X', ':x', 'connection'),
  fc.constantFrom('200', '103', '503', 'application/grpc', '0', '7', '-1', '%zz%41', ''),
);
const increment = fc.constantFrom(0, 1, 10, 65_535, 0x7fffffff, 0xffffffff);

/** Frames that mean something, and frames that are nearly right. */
const anyFrame: fc.Arbitrary<Buffer> = fc.oneof(
  fc.tuple(id, payload).map(([to, message]) => goodAnswer(to, message)),
  id.map((to) => answerHead(to)),
  id.map((to) => trailers(to)),
  fc.tuple(id, fc.constantFrom('0', '2', '14', 'x')).map(([to, status]) => statusOnly(to, status, 'why')),
  fc.tuple(id, payload).map(([to, message]) => data(to, prefixed(message))),
  fc
    .tuple(id, fc.integer({ min: 0, max: 100_000 }))
    .map(([to, length]) => data(to, Buffer.concat([Buffer.from([0]), uint32(length)]))),
  fc
    .tuple(id, fc.constantFrom(256, 5000, 16_384), flags)
    .map(([to, length, flag]) => data(to, Buffer.alloc(length), flag)),
  fc.tuple(id, payload, flags).map(([to, bytes, flag]) => data(to, bytes, flag)),
  fc.tuple(id, flags, fields).map(([to, flag, extra]) => frame(frameType.headers, flag, to, block(extra))),
  fc.tuple(id, fields).map(([to, extra]) => frame(frameType.continuation, frameFlag.endHeaders, to, block(extra))),
  fc
    .tuple(fc.constantFrom(0, 1, 3, 5), increment)
    .map(([to, bytes]) => frame(frameType.windowUpdate, 0, to, uint32(bytes))),
  fc.tuple(id, fc.constantFrom(0, 7, 8)).map(([to, code]) => frame(frameType.rstStream, 0, to, uint32(code))),
  fc
    .tuple(fc.constantFrom(setting.initialWindowSize, setting.maxConcurrentStreams, setting.headerTableSize), increment)
    .map(([which, value]) => settings([which, value])),
  anyId.map((last) => frame(frameType.goaway, 0, 0, Buffer.concat([uint32(last), uint32(0)]))),
  fc
    .tuple(fc.integer({ min: 0, max: 11 }), flags, anyId, payload)
    .map(([type, flag, to, bytes]) => frame(type, flag, to, bytes)),
);

/** What can be seen of a client after some input. */
function stateOf(client: FakeClient, calls: readonly ReturnType<FakeClient['call']>[]): unknown {
  return {
    events: client.events,
    ended: client.wire.ended,
    unprocessed: client.unprocessed.length,
    outcomes: calls.map((call) =>
      call?.outcomes.map((each) =>
        each instanceof CallFailure ? `${String(each.code)} ${each.message}` : each.toString('hex'),
      ),
    ),
  };
}

function play(bytes: Buffer, sizes: readonly number[]): unknown {
  const client = fakeClient({ maxHeldBytes: MAX_HELD_BYTES, idleFrames: 50, windowSteps: 100 });
  const calls = Array.from({ length: CALLS }, () => client.call(Buffer.alloc(300)));
  for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
    const size = sizes[cut % sizes.length] ?? bytes.length;
    client.send(bytes.subarray(at, at + size));
    at += size;
    assert.ok(client.connection.heldBytes >= 0 && client.connection.heldBytes <= MAX_HELD_BYTES + 16_384);
  }
  const state = stateOf(client, calls);
  client.connection.wireLost('gone');
  assert.deepEqual([client.connection.openCalls, client.connection.heldBytes], [0, 0]);
  assert.equal(client.events.filter((each) => each.startsWith('lost')).length, 1, 'it is lost once');
  const open = calls.filter((call) => call?.outcomes.length === 0).length;
  assert.equal(open, client.unprocessed.length, 'every call ends, or is given back');
  assert.ok(
    calls.every((call) => (call?.outcomes.length ?? 0) <= 1),
    'no call ends twice',
  );
  return state;
}

describe("a client's connection under arbitrary input", () => {
  it('never throws, stays within its bounds, and ends every call once', () => {
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 25 }), (frames) => {
        play(Buffer.concat(frames), [Infinity]);
      }),
      runs,
    );
  });

  it('does the same however its input is cut', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 12 }), cuts, (frames, sizes) => {
        const bytes = Buffer.concat(frames);
        assert.deepEqual(play(bytes, sizes), play(bytes, [Infinity]));
      }),
      { numRuns: Math.ceil(runs.numRuns / 3) },
    );
  });

  it('takes octets of no meaning', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        play(Buffer.from(bytes), [Infinity]);
      }),
      runs,
    );
  });
});
