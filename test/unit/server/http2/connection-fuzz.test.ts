import assert from 'node:assert/strict';
import fc from 'fast-check';
import { frameFlag, frameType, setting } from '../../../../src/server/http2/frame.ts';
import { fakeServer } from '../../../support/grpc/fake-connection.ts';
import {
  block,
  clientPreface,
  data,
  frame,
  grpcHead,
  grpcRequest,
  settings,
  uint32,
} from '../../../support/grpc/fake-wire.ts';

const runs = { numRuns: 1500 };

const streamId = fc.integer({ min: 0, max: 9 });
const flags = fc.constantFrom(
  0,
  frameFlag.endStream,
  frameFlag.endHeaders,
  frameFlag.endHeaders | frameFlag.endStream,
  frameFlag.padded,
  frameFlag.padded | frameFlag.endHeaders | frameFlag.priority,
  0xff,
);
const payload = fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes));
const path = fc.constantFrom('/Echo', '/Grow', '/Unknown', '');
const fields = fc.dictionary(
  fc.constantFrom('te', 'content-length', 'grpc-timeout', 'x', ':x'),
  fc.constantFrom('trailers', '5', '1S', ''),
);
const increment = fc.constantFrom(0, 1, 10, 65535, 0x7fffffff, 0xffffffff);

/** Frames that mean something, and frames that are nearly right. */
const frames: fc.Arbitrary<Buffer> = fc.oneof(
  fc.tuple(streamId, path, payload).map(([id, to, message]) => grpcRequest(id * 2 + 1, to, message)),
  fc.tuple(streamId, path, flags, fields).map(([id, to, flag, extra]) => grpcHead(id * 2 + 1, to, flag, extra)),
  fc.tuple(streamId, fc.integer({ min: 0, max: 100_000 })).map(([id, length]) => {
    return Buffer.concat([
      grpcHead(id * 2 + 1, '/Echo'),
      data(id * 2 + 1, Buffer.concat([Buffer.from([0]), uint32(length)])),
    ]);
  }),
  fc.tuple(streamId, payload, flags).map(([id, bytes, flag]) => data(id, bytes, flag)),
  fc.tuple(streamId, flags).map(([id, flag]) => data(id, Buffer.alloc(16384), flag)),
  fc
    .tuple(fc.integer({ min: 0, max: 11 }), flags, streamId, payload)
    .map(([type, flag, id, bytes]) => frame(type, flag, id, bytes)),
  fc.tuple(streamId, flags, fields).map(([id, flag, extra]) => frame(frameType.headers, flag, id, block(extra))),
  fc.tuple(streamId, payload).map(([id, bytes]) => frame(frameType.continuation, frameFlag.endHeaders, id, bytes)),
  fc.tuple(streamId, increment).map(([id, bytes]) => frame(frameType.windowUpdate, 0, id, uint32(bytes))),
  streamId.map((id) => frame(frameType.rstStream, 0, id, uint32(8))),
  increment.map((bytes) => settings([setting.initialWindowSize, bytes])),
);
/** Also octets that are none. */
const piece = fc.oneof({ weight: 9, arbitrary: frames }, { weight: 1, arbitrary: payload });

describe('a connection that is sent anything', () => {
  it('takes any octets without throwing', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }), (introduced, chunks) => {
        const server = fakeServer();
        const { connection, send } = server.connect(introduced);
        for (const chunk of chunks) send(Buffer.from(chunk));
        connection.sweep();
        connection.lost();
        assert.deepEqual(server.defects, []);
      }),
      runs,
    );
  });

  it('takes any frames without throwing, keeps no memory, and serves on unless it has ended', () => {
    fc.assert(
      fc.property(fc.array(frames, { maxLength: 25 }), (pieces) => {
        const server = fakeServer();
        const { connection, wire, send } = server.connect();
        for (const bytes of pieces) send(bytes);
        const before = server.echoed.length;
        send(grpcRequest(1001, '/Echo', Buffer.from('still there?')));
        assert.ok(wire.ended || server.echoed.length === before + 1);
        server.clock.advance(1000);
        connection.sweep();
        connection.lost();
        assert.equal(server.heldBytes(), 0);
        assert.deepEqual(server.defects, []);
      }),
      runs,
    );
  });

  it('does the same however its input is cut', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 20 }),
        (pieces, cuts) => {
          const input = Buffer.concat([clientPreface, ...pieces]);
          const whole = fakeServer().connect(false);
          whole.send(input);
          const cut = fakeServer().connect(false);
          for (let at = 0, n = 0; at < input.length; n++) {
            const length = cuts[n % cuts.length] ?? 1;
            cut.send(input.subarray(at, at + length));
            at += length;
          }
          assert.deepEqual(cut.wire.take(), whole.wire.take());
          assert.equal(cut.wire.ended, whole.wire.ended);
        },
      ),
      { numRuns: 500 },
    );
  });
});
