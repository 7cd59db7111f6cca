import assert from 'node:assert/strict';
import { errorCode, frameFlag, frameType, setting } from '../../../../../src/wire/http2/frame.ts';
import { defaultLimits } from '../../../../../src/wire/server/http2/limits.ts';
import { type FakeConnection, fakeServer } from '../../../../support/grpc/fake-connection.ts';
import {
  data,
  frame,
  grpcHead,
  grpcRequest,
  type SentFrame,
  settings,
  uint32,
} from '../../../../support/grpc/fake-wire.ts';

const NOTHING = Buffer.alloc(0);

/** Streams that were reset, with the code. */
function resets(frames: readonly SentFrame[]): [number, number][] {
  return frames
    .filter(({ type }) => type === frameType.rstStream)
    .map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)]);
}

/** The words of the answers that are a status. */
function statuses(frames: readonly SentFrame[]): string[] {
  return frames
    .filter(({ type, payload }) => type === frameType.headers && payload.includes('grpc-status'))
    .map(({ payload }) => payload.toString('latin1'));
}

function cancel(streamId: number): Buffer {
  return frame(frameType.rstStream, 0, streamId, uint32(errorCode.cancel));
}

/** What was written outside the reading of input leaves in a microtask. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('watches', () => {
  function watch({ send, wire }: FakeConnection, ...streamIds: number[]): string[] {
    for (const id of streamIds) send(grpcRequest(id, '/Watch', NOTHING));
    return statuses(wire.take());
  }

  it('are a few of a connection, by default four; one more is RESOURCE_EXHAUSTED, and says what to do', () => {
    const server = fakeServer();
    const connection = server.connect();
    assert.deepEqual(watch(connection, 1, 3, 5, 7), []);
    const [refused = '', ...more] = watch(connection, 9);
    assert.match(refused, /grpc-status.8.*too many watches: use Health\/Check/s);
    assert.deepEqual([more, server.watches.length, connection.wire.ended], [[], 4, false]);
    assert.deepEqual(watch(server.connect(), 1), [], 'of another connection');
  });

  it('are bounded over all connections; an end makes room for another', () => {
    const server = fakeServer({ maxWatches: 5 });
    const first = server.connect();
    const second = server.connect();
    const third = server.connect();
    watch(first, 1, 3, 5);
    watch(second, 1, 3);
    assert.equal(watch(third, 1).length, 1);
    first.send(cancel(3));
    assert.deepEqual(watch(third, 3), []);
    assert.equal(watch(third, 5).length, 1);
    for (const { connection } of [first, second, third]) connection.lost();
    assert.deepEqual(server.openCalls(), { calls: 0, watches: 0 });
  });

  it('take no place of a call, also when their message came in pieces', () => {
    const server = fakeServer();
    const { send } = server.connect();
    send(grpcHead(1, '/Watch'), data(1, Buffer.alloc(2)));
    assert.deepEqual(server.openCalls(), { calls: 1, watches: 0 });
    send(data(1, Buffer.alloc(3), frameFlag.endStream));
    assert.deepEqual(server.openCalls(), { calls: 0, watches: 1 });
  });

  it('that are not read hold the answer that was begun and the last one, and nothing between', async () => {
    const server = fakeServer();
    const { wire, send } = server.connect();
    send(settings([setting.initialWindowSize, 6]), grpcRequest(1, '/Watch', NOTHING));
    wire.take();
    for (let n = 0; n < 1000; n++) server.watches[0]?.(Buffer.from(String(n).padStart(4, '0')));
    await turn();
    assert.equal(server.heldBytes(), 3 + 9, 'the rest of the first, and one whole');
    send(frame(frameType.windowUpdate, 0, 1, uint32(4)));
    for (let n = 1000; n < 2000; n++) server.watches[0]?.(Buffer.from(String(n)));
    send(frame(frameType.windowUpdate, 0, 1, uint32(100_000)));
    await turn();
    const sent = wire.take().filter(({ type }) => type === frameType.data);
    const text = Buffer.concat(sent.map(({ payload }) => payload)).toString('latin1');
    assert.deepEqual(text.match(/\d{4}/g), ['0000', '0999', '1999']);
    assert.equal(text.length, 27);
    assert.equal(server.heldBytes(), 0);
  });

  it('that are not read end, however often there is something new', () => {
    const server = fakeServer();
    const { connection, wire, send } = server.connect();
    send(settings([setting.initialWindowSize, 0]), grpcRequest(1, '/Watch', NOTHING));
    for (let n = 0; n < 4; n++) {
      server.watches[0]?.(Buffer.from('x'));
      server.clock.advance(10);
      connection.sweep();
    }
    assert.deepEqual(resets(wire.take()), [[1, errorCode.cancel]]);
    assert.deepEqual(server.openCalls(), { calls: 0, watches: 0 });
  });
});

describe('open calls of all connections', () => {
  it('are bounded: the one that has waited for its peer for longest makes room, and may go elsewhere', async () => {
    const server = fakeServer({ maxOpenCalls: 3 });
    const slow = server.connect();
    const late = server.connect();
    slow.send(grpcHead(1, '/Echo'));
    slow.send(grpcHead(3, '/Echo'), data(3, Buffer.alloc(3)));
    late.send(grpcHead(1, '/Echo'));
    slow.wire.take();
    late.send(grpcHead(3, '/Echo'));
    await turn();
    assert.deepEqual(resets(slow.wire.take()), [[1, errorCode.refusedStream]]);
    late.send(grpcHead(5, '/Echo'));
    await turn();
    assert.deepEqual(resets(slow.wire.take()), [[3, errorCode.refusedStream]]);
    assert.equal(server.openCalls().calls, 3);
  });

  it('whose message comes whole at once are answered while others hold everything', () => {
    const server = fakeServer({ maxOpenCalls: 100 });
    for (let n = 0; n < 10; n++) {
      const { send } = server.connect();
      for (let id = 1; id < 50; id += 2) send(grpcHead(id, '/Echo'), data(id, Buffer.from([0])));
    }
    assert.equal(server.openCalls().calls, 100);
    const good = server.connect();
    for (let id = 1; id < 2000; id += 2) good.send(grpcRequest(id, '/Echo', Buffer.from('good')));
    assert.equal(server.echoed.length, 1000);
    assert.deepEqual(resets(good.wire.take()), []);
  });

  it('that a method works on stay, and one more is refused before anything is done', async () => {
    const server = fakeServer({ maxOpenCalls: 2 });
    const first = server.connect();
    const second = server.connect();
    first.send(grpcRequest(1, '/Hold', NOTHING));
    first.send(grpcRequest(3, '/Hold', NOTHING));
    second.send(grpcRequest(1, '/Echo', NOTHING));
    assert.deepEqual(resets(second.wire.take()), [[1, errorCode.refusedStream]]);
    assert.deepEqual([server.held.length, server.echoed.length], [2, 0]);
    server.held[0]?.answer(NOTHING);
    await turn();
    second.send(grpcRequest(3, '/Echo', NOTHING));
    assert.equal(server.echoed.length, 1);
    assert.deepEqual(resets(first.wire.take()), []);
  });

  it('count as long as a method works on them, also when the peer gave them up', async () => {
    const server = fakeServer({ maxOpenCalls: 2 });
    const first = server.connect();
    first.send(grpcRequest(1, '/Hold', NOTHING), cancel(1));
    first.send(grpcRequest(3, '/Hold', NOTHING));
    first.connection.lost();
    assert.equal(server.openCalls().calls, 2);
    for (const { answer } of server.held) answer(NOTHING);
    await turn();
    assert.equal(server.openCalls().calls, 0);
  });

  it('whose answers are not taken make room too, without the word that nothing was done', async () => {
    const server = fakeServer({ maxOpenCalls: 1 });
    const { wire, send } = server.connect();
    send(settings([setting.initialWindowSize, 0]), grpcRequest(1, '/Echo', Buffer.from('answer')));
    wire.take();
    send(grpcHead(3, '/Echo'));
    await turn();
    assert.deepEqual(resets(wire.take()), [[1, errorCode.cancel]]);
  });

  it('are found among many that are running, without looking at all of them each time', async () => {
    const server = fakeServer({ maxOpenCalls: 200 });
    const busy = server.connect();
    for (let id = 1; id < 399; id += 2) busy.send(grpcRequest(id, '/Hold', NOTHING));
    const slow = server.connect();
    slow.send(grpcHead(1, '/Echo'));
    const other = server.connect();
    for (let id = 1; id < 20; id += 2) other.send(grpcHead(id, '/Echo'));
    await turn();
    assert.deepEqual(resets(slow.wire.take()), [[1, errorCode.refusedStream]]);
  });

  it('are as many as the memory of a small process takes', () => {
    // Measured: 1.6 KiB a running call, 1.5 KiB a watch (docs/resource-accounting.md); a third of 640 MiB is for garbage.
    const { maxOpenCalls, maxWatches, maxConcurrentStreams } = defaultLimits;
    assert.ok((maxOpenCalls + maxConcurrentStreams) * 1600 + maxWatches * 1500 < 32 * 1024 * 1024);
  });
});
