import assert from 'node:assert/strict';
import { errorCode, frameFlag, frameType } from '../../../../../src/wire/http2/frame.ts';
import { fakeServer } from '../../../../support/grpc/fake-connection.ts';
import { frame, grpcRequest, type SentFrame } from '../../../../support/grpc/fake-wire.ts';

const NOTHING = Buffer.alloc(0);

function goaways(frames: readonly SentFrame[]): number[] {
  return frames.filter(({ type }) => type === frameType.goaway).map(({ payload }) => payload.readUInt32BE(0));
}

function acknowledge(frames: readonly SentFrame[]): Buffer {
  const ping = frames.find(({ type, flags }) => type === frameType.ping && flags === 0);
  return frame(frameType.ping, frameFlag.ack, 0, ping?.payload);
}

describe('draining a connection (RFC 9113 §6.8)', () => {
  it('first refuses nothing, and what crossed its GOAWAY is answered', () => {
    const server = fakeServer();
    const { connection, wire, send } = server.connect();
    send(grpcRequest(1, '/Echo', NOTHING));
    wire.take();
    connection.drain();
    const announced = wire.take();
    assert.deepEqual(goaways(announced), [0x7fffffff]);

    send(grpcRequest(3, '/Echo', NOTHING));
    assert.equal(server.echoed.length, 2);
    send(acknowledge(announced));
    assert.deepEqual(goaways(wire.take()), [3]);
    assert.equal(wire.ended, true);
  });

  it('does not wait for ever for the peer to have seen it', () => {
    const { connection, wire } = fakeServer().connect();
    connection.drain();
    connection.finishDrain();
    assert.deepEqual(goaways(wire.take()), [0x7fffffff, 0]);
    assert.equal(wire.ended, true);
  });

  it('answers what runs, refuses what comes later, and then ends', async () => {
    const server = fakeServer();
    const { connection, wire, send } = server.connect();
    send(grpcRequest(1, '/Hold', NOTHING));
    connection.drain();
    connection.finishDrain();
    assert.deepEqual([wire.ended, connection.openCalls], [false, 1]);
    wire.take();

    send(grpcRequest(3, '/Echo', NOTHING));
    const [refusal] = wire.take();
    assert.deepEqual([refusal?.type, refusal?.payload.readUInt32BE(0)], [frameType.rstStream, errorCode.refusedStream]);

    server.held[0]?.answer(Buffer.from('done'));
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(wire.take().some(({ payload }) => payload.includes('done')));
    assert.equal(wire.ended, true);
  });

  it('ends at once when the peer has not introduced itself', () => {
    const { connection, wire } = fakeServer().connect(false);
    connection.drain();
    assert.deepEqual([wire.ended, wire.writes], [true, 0]);
  });
});
