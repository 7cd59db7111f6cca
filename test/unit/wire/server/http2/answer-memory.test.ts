import assert from 'node:assert/strict';
import { errorCode, frameType, setting } from '../../../../../src/wire/http2/frame.ts';
import { type FakeConnection, type FakeServer, fakeServer } from '../../../../support/grpc/fake-connection.ts';
import { frame, grpcRequest, settings, uint32 } from '../../../../support/grpc/fake-wire.ts';

const ANSWER_BYTES = 100_000;
const WIDE = settings([setting.initialWindowSize, 10_000_000]);
const widen = frame(frameType.windowUpdate, 0, 0, uint32(10_000_000));

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** A server with a connection whose windows hold nothing back. */
function open(): { server: FakeServer; peer: FakeConnection } {
  const server = fakeServer();
  const peer = server.connect();
  peer.send(WIDE, widen);
  peer.wire.take();
  return { server, peer };
}

/** Calls `/Hold`, which takes memory for its answer and fills it. */
function take(server: FakeServer, { send }: FakeConnection, streamId: number): { memory: Buffer; answer: () => void } {
  send(grpcRequest(streamId, '/Hold', Buffer.from('x')));
  const held = server.held.at(-1);
  const memory = held?.call.takeMemory?.(ANSWER_BYTES);
  assert.ok(held !== undefined && memory !== undefined);
  memory.fill(streamId);
  return {
    memory,
    answer: () => {
      held.answer(memory.subarray(0, ANSWER_BYTES));
    },
  };
}

/** The bytes of messages that were sent on a stream. */
function messageOn(streamId: number, { wire }: FakeConnection): Buffer {
  const frames = wire.take().filter((sent) => sent.streamId === streamId && sent.type === frameType.data);
  return Buffer.concat(frames.map(({ payload }) => payload)).subarray(5);
}

describe('memory for answers', () => {
  it('is used again when the answer has left', async () => {
    const { server, peer } = open();
    const first = take(server, peer, 1);
    first.answer();
    await turn();
    assert.deepEqual(messageOn(1, peer), Buffer.alloc(ANSWER_BYTES, 1));
    assert.equal(take(server, peer, 3).memory, first.memory);
  });

  it('stays as it is until the wire has taken the answer', async () => {
    const { server, peer } = open();
    peer.wire.keepsUp = false;
    const first = take(server, peer, 1);
    first.answer();
    await turn();
    const second = take(server, peer, 3);
    assert.notEqual(second.memory, first.memory);
    second.answer();
    await turn();
    assert.deepEqual(messageOn(1, peer), Buffer.alloc(ANSWER_BYTES, 1));
    peer.wire.unsentBytes = 0;
    peer.connection.drained();
    assert.ok([first.memory, second.memory].includes(take(server, peer, 5).memory));
  });

  it('stays as it is while the windows of the peer hold the answer back', async () => {
    const server = fakeServer();
    const peer = server.connect();
    const first = take(server, peer, 1);
    first.answer();
    await turn();
    const sent = messageOn(1, peer).length;
    assert.ok(sent < ANSWER_BYTES);
    assert.notEqual(take(server, peer, 3).memory, first.memory);
    peer.send(WIDE, widen);
    assert.deepEqual(
      Buffer.concat(
        peer.wire
          .take()
          .filter(({ streamId, type }) => streamId === 1 && type === frameType.data)
          .map(({ payload }) => payload),
      ),
      Buffer.alloc(ANSWER_BYTES - sent, 1),
    );
    assert.equal(take(server, peer, 5).memory, first.memory);
  });

  it('stays with a method that goes on after its caller has gone', async () => {
    const { server, peer } = open();
    const first = take(server, peer, 1);
    peer.send(frame(frameType.rstStream, 0, 1, uint32(errorCode.cancel)));
    assert.notEqual(take(server, peer, 3).memory, first.memory);
    first.answer();
    await turn();
    peer.send(frame(frameType.ping, 0, 0, Buffer.alloc(8)));
    assert.equal(take(server, peer, 5).memory, first.memory);
  });

  it('is not used again after a connection that was lost', async () => {
    const { server, peer } = open();
    peer.wire.keepsUp = false;
    const first = take(server, peer, 1);
    first.answer();
    await turn();
    peer.connection.lost();
    assert.notEqual(take(server, server.connect(), 1).memory, first.memory);
    assert.equal(server.idleBytes(), 0);
  });

  it('is another one for a second answer, and for a short one', () => {
    const { server, peer } = open();
    const { memory } = take(server, peer, 1);
    const call = server.held.at(-1)?.call;
    assert.notEqual(call?.takeMemory?.(ANSWER_BYTES), memory);
    assert.equal(call?.takeMemory?.(100).length, 100);
  });
});
