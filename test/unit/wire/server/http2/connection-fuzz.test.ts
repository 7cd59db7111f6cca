import assert from 'node:assert/strict';
import fc from 'fast-check';
import { frameFlag, frameType, setting } from '../../../../../src/wire/http2/frame.ts';
import { fakeServer } from '../../../../support/grpc/fake-connection.ts';
import {
  block,
  clientPreface,
  data,
  frame,
  grpcHead,
  grpcRequest,
  settings,
  uint32,
} from '../../../../support/grpc/fake-wire.ts';

/** `FRAME_FUZZ_RUNS` runs it at volume: each run is an array of frames. */
const runs = { numRuns: Number(process.env['FRAME_FUZZ_RUNS'] ?? 1500) };

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
/** Messages that come in parts, small and large, and windows that let answers wait. */
const messageParts: fc.Arbitrary<Buffer> = fc.oneof(
  fc
    .tuple(streamId, fc.constantFrom(10, 5000, 60_000, 70_000, 150_000, 2_000_000), fc.constantFrom('/Echo', '/Hold'))
    .map(([id, length, to]) =>
      Buffer.concat([
        grpcHead(id * 2 + 1, to),
        data(id * 2 + 1, Buffer.concat([Buffer.from([0]), uint32(length), Buffer.alloc(Math.min(length, 3000))])),
      ]),
    ),
  fc
    .tuple(streamId, fc.constantFrom(0, 1, 1000, 16384), fc.constantFrom(0, 0, 0, frameFlag.endStream))
    .map(([id, length, flag]) => data(id * 2 + 1, Buffer.alloc(length), flag)),
  fc
    .tuple(streamId, fc.constantFrom('10', '30000', '90000'))
    .map(([id, size]) => grpcRequest(id * 2 + 1, '/Grow', Buffer.from(size))),
  fc.constantFrom(0, 1, 100, 70_000).map((bytes) => settings([setting.initialWindowSize, bytes])),
  streamId.map((id) => frame(frameType.rstStream, 0, id * 2 + 1, uint32(8))),
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

  it('holds memory in proportion to what has come, and none when all connections are gone', () => {
    const held = fc.tuple(fc.nat({ max: 2 }), fc.oneof(frames, messageParts));
    fc.assert(
      fc.property(fc.array(held, { maxLength: 40 }), (pieces) => {
        const server = fakeServer({
          partPool: { serverBytes: 192 * 1024, connectionBytes: 132 * 1024 },
          turnPool: { serverBytes: 300_000, connectionBytes: 200_000 },
          answerPool: { serverBytes: 100_000, connectionBytes: 50_000 },
        });
        const connections = [server.connect(), server.connect(), server.connect()];
        let received = 0;
        for (const [to, bytes] of pieces) {
          connections[to]?.send(bytes);
          received += bytes.length;
          server.clock.advance(0.3);
          for (const { connection } of connections) connection.sweep();
          assert.ok(server.heldParts() >= 0 && server.heldParts() <= 18 * received, String(server.heldParts()));
          assert.ok(server.turnBytes() >= 0 && server.turnBytes() <= 300_000);
          assert.ok(server.heldBytes() >= 0);
        }
        for (const { connection } of connections) connection.lost();
        assert.deepEqual([server.heldBytes(), server.heldParts(), server.turnBytes()], [0, 0, 0]);
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
