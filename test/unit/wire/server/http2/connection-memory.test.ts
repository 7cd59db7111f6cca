import assert from 'node:assert/strict';
import { errorCode, frameFlag, frameType, setting } from '../../../../../src/wire/http2/frame.ts';
import { FIRST_WINDOW_BYTES } from '../../../../../src/wire/server/http2/first-window.ts';
import { type FakeConnection, fakeServer } from '../../../../support/grpc/fake-connection.ts';
import {
  clientPreface,
  data,
  frame,
  grpcHead,
  grpcRequest,
  type SentFrame,
  settings,
  uint32,
} from '../../../../support/grpc/fake-wire.ts';
import { ManualTime } from '../../../../support/time/manual-time.ts';

const NOTHING = Buffer.alloc(0);
const KIB = 1024;

/** The head of a call and the prefix of its message. */
function begin(streamId: number, messageBytes: number, path = '/Echo'): Buffer {
  return Buffer.concat([
    grpcHead(streamId, path),
    data(streamId, Buffer.concat([Buffer.from([0]), uint32(messageBytes)])),
  ]);
}

function windowUpdates(frames: readonly SentFrame[]): [number, number][] {
  return frames
    .filter(({ type }) => type === frameType.windowUpdate)
    .map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)]);
}

/** Statuses of refused calls by stream: trailers without a message. */
function failures(frames: readonly SentFrame[]): [number, number][] {
  return frames.flatMap(({ type, streamId, payload }) => {
    const at = payload.indexOf('grpc-status');
    if (type !== frameType.headers || at < 0) return [];
    const length = payload.readUInt8(at + 11);
    const status = Number(payload.toString('latin1', at + 12, at + 12 + length));
    return status === 0 ? [] : [[streamId, status] as [number, number]];
  });
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('memory for messages', () => {
  it('opens the window for a large message, once its length is known, for all of it', () => {
    const { wire, send } = fakeServer({ turnBytes: 0 }).connect();
    send(begin(1, 1000 * KIB));
    const [[streamId, incrementBytes] = [0, 0], ...others] = windowUpdates(wire.take());
    assert.equal(streamId, 1);
    assert.equal(incrementBytes, 1000 * KIB - (FIRST_WINDOW_BYTES - 5) + 16 * KIB);
    assert.deepEqual(others, []);
  });

  it('lets large messages wait for their turn, and serves them in order', async () => {
    const server = fakeServer({ turnBytes: 0, turnPool: { serverBytes: 280 * KIB, connectionBytes: 280 * KIB } });
    const first = server.connect();
    const second = server.connect();
    first.send(begin(1, 200 * KIB, '/Hold'));
    second.send(begin(1, 150 * KIB), begin(3, 130 * KIB));
    assert.equal(windowUpdates(first.wire.take()).length, 1);
    assert.deepEqual(windowUpdates(second.wire.take()), [], 'not even the one that would fit: it came later');

    // The memory is held until the method has answered, not only until the message is there.
    sendRest(first, 1, 200 * KIB);
    await turn();
    assert.equal(server.held.length, 1);
    assert.deepEqual(windowUpdates(second.wire.take()), []);
    server.held[0]?.answer(NOTHING);
    await turn();
    assert.deepEqual(
      windowUpdates(second.wire.take()).map(([id]) => id),
      [1, 3],
    );
  });

  it('gives the turn of a call that was given up to the next', async () => {
    const server = fakeServer({ turnBytes: 0, turnPool: { serverBytes: 200 * KIB, connectionBytes: 200 * KIB } });
    const { wire, send } = server.connect();
    send(begin(1, 150 * KIB), begin(3, 150 * KIB), begin(5, 150 * KIB));
    assert.deepEqual(
      windowUpdates(wire.take()).map(([id]) => id),
      [1],
    );
    send(frame(frameType.rstStream, 0, 3, uint32(8)), frame(frameType.rstStream, 0, 1, uint32(8)));
    await turn();
    assert.deepEqual(
      windowUpdates(wire.take()).map(([id]) => id),
      [5],
    );
  });

  it('holds the memory of a call that was given up as long as a method works with it', async () => {
    const server = fakeServer({ turnBytes: 0, turnPool: { serverBytes: 200 * KIB, connectionBytes: 200 * KIB } });
    const first = server.connect();
    const second = server.connect();
    first.send(begin(1, 150 * KIB, '/Hold'));
    sendRest(first, 1, 150 * KIB);
    first.connection.lost();
    second.send(begin(1, 150 * KIB));
    await turn();
    assert.equal(server.heldBytes(), 160 * KIB, 'an eighth more at most');
    assert.deepEqual(windowUpdates(second.wire.take()), []);
    server.held[0]?.answer(NOTHING);
    await turn();
    assert.equal(windowUpdates(second.wire.take()).length, 1);
  });

  it('puts a large message where an answered one was, but not where a method still works', async () => {
    const server = fakeServer();
    const caller = server.connect();
    const { connection, send } = caller;
    const memoryOf = (at: number): unknown => server.held[at]?.message.buffer;
    const sendHeld = (streamId: number): void => {
      send(begin(streamId, 150 * KIB, '/Hold'));
      sendRest(caller, streamId, 150 * KIB);
    };
    sendHeld(1);
    send(frame(frameType.rstStream, 0, 1, uint32(8)));
    sendHeld(3);
    assert.notEqual(memoryOf(1), memoryOf(0), 'the first was given up, and its method works on');
    server.held[0]?.answer(NOTHING);
    server.held[1]?.answer(NOTHING);
    await turn();
    sendHeld(5);
    sendHeld(7);
    assert.deepEqual(new Set([memoryOf(2), memoryOf(3)]), new Set([memoryOf(0), memoryOf(1)]));
    connection.lost();
  });

  it('never shows a method bytes of another message', async () => {
    const server = fakeServer();
    const caller = server.connect();
    caller.send(settings([setting.initialWindowSize, 0x7fffffff]));
    caller.send(frame(frameType.windowUpdate, 0, 0, uint32(0x7fff0000)));
    const sendOf = (streamId: number, messageBytes: number, fill: string, path: string): void => {
      caller.send(begin(streamId, messageBytes, path));
      sendRest(caller, streamId, messageBytes, fill);
    };
    const only = (message: Uint8Array | undefined, messageBytes: number, fill: string): void => {
      assert.ok(message !== undefined && Buffer.alloc(messageBytes, fill).equals(message), `not only ${fill}`);
    };

    sendOf(1, 200 * KIB, 'a', '/Hold');
    sendOf(3, 200 * KIB, 'b', '/Hold');
    server.held[0]?.answer(NOTHING);
    await turn();
    caller.wire.take();
    // Shorter, in the memory of the first: its method sees no end of that. Its answer is a view of it, and leaves late.
    caller.wire.keepsUp = false;
    sendOf(5, 199 * KIB, 'c', '/Echo');
    sendOf(7, 198 * KIB, 'd', '/Echo');
    assert.equal(server.echoed[0]?.buffer, server.held[0]?.message.buffer);
    const answers = Buffer.concat(
      caller.wire.take().flatMap(({ type, payload }) => (type === frameType.data ? [payload] : [])),
    );
    only(answers.subarray(5, 5 + 199 * KIB), 199 * KIB, 'c');
    only(answers.subarray(10 + 199 * KIB), 198 * KIB, 'd');
    only(server.echoed[1], 198 * KIB, 'd');
    only(server.held[1]?.message, 200 * KIB, 'b');

    // One that is cut off never gets to a method.
    caller.send(begin(9, 200 * KIB), data(9, Buffer.alloc(1000, 'e'), frameFlag.endStream));
    assert.equal(server.echoed.length, 2);
    caller.connection.lost();
  });

  it('keeps the memory of large messages for the next ones up to a bound, and not for ever', () => {
    const server = fakeServer({ maxIdleLargeBytes: 300 * KIB });
    const caller = server.connect();
    for (const id of [1, 3]) caller.send(begin(id, 160 * KIB));
    for (const id of [1, 3]) sendRest(caller, id, 160 * KIB);
    caller.connection.lost();
    assert.ok(server.idleBytes() >= 160 * KIB && server.idleBytes() <= 300 * KIB);
    server.sweepMemory();
    server.sweepMemory();
    assert.equal(server.idleBytes(), 0);
  });

  it('gives back what a lost connection held', async () => {
    const server = fakeServer({ turnBytes: 0, turnPool: { serverBytes: 200 * KIB, connectionBytes: 200 * KIB } });
    const lost = server.connect();
    const waiting = server.connect();
    lost.send(begin(1, 150 * KIB), begin(3, 150 * KIB));
    waiting.send(begin(1, 150 * KIB));
    assert.deepEqual(windowUpdates(waiting.wire.take()), []);
    lost.connection.lost();
    await turn();
    assert.equal(windowUpdates(waiting.wire.take()).length, 1);
  });

  it('does not let one connection take all', () => {
    const server = fakeServer({ turnBytes: 0, turnPool: { serverBytes: 400 * KIB, connectionBytes: 200 * KIB } });
    const greedy = server.connect();
    const other = server.connect();
    greedy.send(begin(1, 150 * KIB), begin(3, 150 * KIB));
    other.send(begin(1, 150 * KIB));
    assert.equal(windowUpdates(greedy.wire.take()).length, 1);
    assert.equal(windowUpdates(other.wire.take()).length, 1);
  });

  it('holds memory for what has arrived, not for what was announced', () => {
    const server = fakeServer();
    const { connection, wire, send } = server.connect();
    for (let id = 1; id < 4000; id += 2) send(begin(id, id % 4 === 1 ? 60 * KIB : 10 * KIB * KIB));
    assert.equal(server.heldBytes(), 0);
    assert.equal(server.turnBytes(), 0, 'nor is it anybody’s turn');
    assert.deepEqual(wire.take(), []);
    send(data(1, Buffer.alloc(10)), data(5, Buffer.alloc(2 * KIB)));
    assert.equal(server.heldBytes(), KIB + 4 * 2 * KIB);
    // A large one: its turn costs 16 KiB, and then memory follows what comes.
    for (let n = 0; n < 3; n++) send(data(3, Buffer.alloc(16 * KIB)));
    assert.equal(server.turnBytes(), 10 * KIB * KIB);
    assert.ok(server.heldBytes() < 100 * KIB);
    for (let n = 0; n < 6; n++) send(data(3, Buffer.alloc(16 * KIB)));
    assert.ok(server.heldBytes() < 16 * 10 * 16 * KIB);
    connection.lost();
    assert.deepEqual([server.heldBytes(), server.turnBytes()], [0, 0]);
  });

  it('gives up the half-received message that stalls longest, and never a whole one', async () => {
    const server = fakeServer({ partPool: { serverBytes: 10 * KIB, connectionBytes: 6 * KIB } });
    const greedy = server.connect();
    const other = server.connect();
    for (const id of [1, 3]) greedy.send(begin(id, 60_000), data(id, Buffer.alloc(512)));
    greedy.send(data(1, Buffer.alloc(200))); // 3 stalls longer
    greedy.send(begin(5, 60_000), data(5, Buffer.alloc(768)));
    assert.deepEqual(failures(greedy.wire.take()), [[3, 8]], 'its own share is used up');
    for (const id of [1, 3]) other.send(begin(id, 60_000), data(id, Buffer.alloc(768)));
    await turn();
    assert.deepEqual(failures(greedy.wire.take()), [[1, 8]], 'that of all is');
    assert.deepEqual(failures(other.wire.take()), []);
    other.send(grpcRequest(7, '/Echo', Buffer.alloc(10_000)), grpcRequest(9, '/Hold', Buffer.alloc(10_000)));
    assert.deepEqual([server.echoed.length, server.held.length], [1, 1]);
    assert.deepEqual(server.lacking, ['half-received', 'half-received']);
  });

  it('takes the turn of a large message that does not go on while others wait, and of no other', async () => {
    const server = fakeServer({ turnBytes: KIB, turnPool: { serverBytes: 400 * KIB, connectionBytes: 400 * KIB } });
    const first = server.connect();
    const second = server.connect();
    first.send(begin(1, 200 * KIB), data(1, Buffer.alloc(KIB)), begin(3, 200 * KIB), data(3, Buffer.alloc(KIB)));
    const sweep = (): void => {
      server.clock.advance(1.5);
      first.send(data(3, Buffer.alloc(4 * KIB)), data(1, Buffer.alloc(1)));
      first.connection.sweep();
    };
    for (let n = 0; n < 3; n++) sweep();
    assert.deepEqual(failures(first.wire.take()), [], 'nobody waits');
    second.send(begin(1, 200 * KIB), data(1, Buffer.alloc(KIB)));
    assert.deepEqual(windowUpdates(second.wire.take()), []);
    for (let n = 0; n < 3; n++) sweep();
    await turn();
    assert.deepEqual(failures(first.wire.take()), [[1, 8]]);
    assert.equal(windowUpdates(second.wire.take()).length, 1);
    assert.deepEqual(server.lacking, ['large']);
  });

  it('lets connections take turns with large messages', async () => {
    const server = fakeServer({ turnBytes: 0, turnPool: { serverBytes: 200 * KIB, connectionBytes: 200 * KIB } });
    const greedy = server.connect();
    const other = server.connect();
    for (const id of [1, 3, 5, 7]) greedy.send(begin(id, 150 * KIB));
    other.send(begin(1, 150 * KIB));
    greedy.wire.take();
    greedy.send(frame(frameType.rstStream, 0, 1, uint32(8)));
    greedy.send(frame(frameType.rstStream, 0, 3, uint32(8)));
    await turn();
    assert.equal(windowUpdates(greedy.wire.take()).length, 1);
    assert.equal(windowUpdates(other.wire.take()).length, 1, 'not behind all that came before');
  });

  it('counts messages that methods wait with', () => {
    const server = fakeServer({ runningPool: { serverBytes: 20 * KIB, connectionBytes: 20 * KIB } });
    const { wire, send } = server.connect();
    for (const id of [1, 3, 5, 7]) send(grpcRequest(id, '/Hold', NOTHING));
    assert.equal(server.held.length, 3, 'each holds at least 8 KiB');
    assert.deepEqual(failures(wire.take()), [[7, 8]]);
    assert.deepEqual(server.lacking, ['running']);
    send(grpcRequest(9, '/Health', NOTHING));
    assert.deepEqual(failures(wire.take()), [], 'what takes small messages only is always served');
  });

  it('gives a method a message that later input does not change', () => {
    const server = fakeServer();
    const { connection } = server.connect();
    const memory = Buffer.alloc(1000);
    for (const [id, text] of [[1, 'precious'] as const, [3, 'another!'] as const]) {
      const length = grpcRequest(id, '/Hold', Buffer.from(text)).copy(memory);
      connection.receive(memory.subarray(0, length));
    }
    memory.fill(0);
    assert.deepEqual(
      server.held.map(({ message }) => Buffer.from(message).toString()),
      ['precious', 'another!'],
    );
    assert.deepEqual(server.refused, []);
  });

  it('keeps what is left of input when its turn ends', async () => {
    const server = fakeServer({ framesPerTurn: 4, framesOfEach: 2 });
    const { connection } = server.connect();
    const ids = Array.from({ length: 20 }, (_, n) => 2 * n + 1);
    const input = Buffer.concat(ids.map((id) => grpcRequest(id, '/Hold', Buffer.from(`message ${String(id)}`))));
    connection.receive(input);
    input.fill(0);
    const late = grpcRequest(99, '/Hold', Buffer.from('message 99'));
    connection.receive(late);
    late.fill(0);
    for (let n = 0; n < 20; n++) await turn();
    assert.deepEqual(
      server.held.map(({ message }) => Buffer.from(message).toString()),
      [...ids, 99].map((id) => `message ${String(id)}`),
    );
  });

  it('gives padding back, so that a message fits its window', () => {
    const server = fakeServer();
    const { wire, send } = server.connect();
    const padding = 255;
    send(begin(1, 60_000));
    for (let n = 0; n < 60; n++) {
      const last = n === 59 ? frameFlag.endStream : 0;
      send(
        data(
          1,
          Buffer.concat([Buffer.from([padding]), Buffer.alloc(1000), Buffer.alloc(padding)]),
          frameFlag.padded | last,
        ),
      );
    }
    assert.equal(server.echoed[0]?.length, 60_000);
    const updates = windowUpdates(wire.take());
    assert.equal(updates.length, 59, 'none for the frame that ended the stream');
    assert.ok(updates.every(([id, bytes]) => id === 1 && bytes === padding + 1));
  });

  it('renews the connection window in large pieces', () => {
    const server = fakeServer({ connectionWindowBytes: 100_000 });
    const { wire, send } = server.connect();
    for (let id = 1; id < 100; id += 2) send(grpcRequest(id, '/Echo', Buffer.alloc(10_000)));
    const updates = windowUpdates(wire.take());
    assert.ok(updates.length >= 8 && updates.length <= 10);
    assert.ok(updates.every(([id, bytes]) => id === 0 && bytes > 50_000 && bytes < 70_000));
    assert.equal(server.echoed.length, 50);
  });

  it('resets a stream that sends more than its window', () => {
    const server = fakeServer({ turnPool: { serverBytes: 0, connectionBytes: 0 } });
    const { wire, send } = server.connect();
    send(begin(1, 1000 * KIB), ...Array.from({ length: 8 }, () => data(1, Buffer.alloc(16384))));
    assert.deepEqual(resets(wire.take()), [[1, errorCode.flowControlError]]);
    assert.equal(wire.ended, false);
  });
});

describe('peers that are slow', () => {
  const limits = { receiveStallMs: 10_000, sendStallMs: 30_000 };

  it('cuts a connection that never introduces itself', () => {
    for (const said of [NOTHING, clientPreface.subarray(0, 10), clientPreface.subarray(0, 30)]) {
      const server = fakeServer(limits);
      const { connection, wire, send } = server.connect(false);
      send(said);
      server.clock.advance(9.9);
      connection.sweep();
      assert.equal(wire.destroyed, false);
      server.clock.advance(0.2);
      connection.sweep();
      assert.equal(wire.destroyed, true);
    }
  });

  it('cuts a connection that does not end a header block', () => {
    const server = fakeServer(limits);
    const { connection, wire, send } = server.connect();
    server.clock.advance(100);
    send(frame(frameType.headers, 0, 1));
    connection.sweep();
    assert.equal(wire.destroyed, false);
    server.clock.advance(11);
    connection.sweep();
    assert.equal(wire.destroyed, true);
  });

  it('ends a call whose message makes no progress, not one that does', async () => {
    const server = fakeServer(limits);
    const { connection, wire, send } = server.connect();
    send(begin(1, 1000), begin(3, 1000));
    for (let n = 0; n < 3; n++) {
      server.clock.advance(6);
      send(data(3, Buffer.alloc(300)));
      connection.sweep();
    }
    await turn();
    assert.deepEqual(failures(wire.take()), [[1, 4]]);
    send(data(3, Buffer.alloc(100), frameFlag.endStream));
    assert.equal(server.echoed.length, 1);
  });

  it('leaves an idle connection and a call that a method works on alone', () => {
    const server = fakeServer(limits);
    const { connection, wire, send } = server.connect();
    send(grpcRequest(1, '/Hold', NOTHING));
    server.clock.advance(100_000);
    connection.sweep();
    assert.deepEqual([wire.destroyed, wire.ended, wire.take()], [false, false, []]);
    assert.equal(server.held[0]?.call.cancelled, false);
  });

  it('waits with an answer for the windows of the peer, to the octet', () => {
    const { wire, send } = fakeServer().connect();
    send(settings([setting.initialWindowSize, 3]));
    wire.take();
    send(grpcRequest(1, '/Grow', Buffer.from('10')));
    assert.deepEqual(sentBytes(wire.take()), [3]);
    send(frame(frameType.windowUpdate, 0, 1, uint32(4)));
    assert.deepEqual(sentBytes(wire.take()), [4]);
    send(settings([setting.initialWindowSize, 0]));
    send(frame(frameType.windowUpdate, 0, 1, uint32(3)));
    assert.deepEqual(sentBytes(wire.take()), [], 'the window was -3');
    send(settings([setting.initialWindowSize, 100]));
    const frames = wire.take();
    assert.deepEqual(sentBytes(frames), [8]);
    assert.equal(frames.at(-1)?.flags, frameFlag.endStream | frameFlag.endHeaders);
  });

  it('counts small answers against the connection window, too', () => {
    const { wire, send } = fakeServer().connect();
    for (let id = 1; id < 200; id += 2) send(grpcRequest(id, '/Echo', Buffer.alloc(995)));
    const sum = (frames: readonly SentFrame[]): number => sentBytes(frames).reduce((total, bytes) => total + bytes, 0);
    assert.equal(sum(wire.take()), 65535);
    send(frame(frameType.windowUpdate, 0, 0, uint32(100_000)));
    assert.equal(sum(wire.take()), 100 * 1000 - 65535);
  });

  it('shares the connection window among answers in turn', () => {
    const { wire, send } = fakeServer().connect();
    for (const id of [1, 3]) send(grpcRequest(id, '/Grow', Buffer.from('100000')));
    const sent = sentBytes(wire.take());
    assert.equal(
      sent.reduce((sum, bytes) => sum + bytes, 0),
      65535,
    );
    send(
      frame(frameType.windowUpdate, 0, 1, uint32(1_000_000)),
      frame(frameType.windowUpdate, 0, 3, uint32(1_000_000)),
    );
    assert.deepEqual(sentBytes(wire.take()), []);
    send(frame(frameType.windowUpdate, 0, 0, uint32(1_000_000)));
    const rest = wire.take();
    assert.equal(
      sentBytes(rest).reduce((sum, bytes) => sum + bytes, 65535),
      2 * 100_005,
    );
    assert.equal(rest.filter(({ flags }) => (flags & frameFlag.endStream) !== 0).length, 2);
  });

  it('resets answers that nobody takes, when they are too many or wait too long', () => {
    const server = fakeServer({ ...limits, answerPool: { serverBytes: 20 * KIB, connectionBytes: 10 * KIB } });
    const { connection, wire, send } = server.connect();
    send(settings([setting.initialWindowSize, 0]));
    wire.take();
    for (const id of [1, 3, 5]) send(grpcRequest(id, '/Grow', Buffer.from('5000')));
    assert.deepEqual(resets(wire.take()), [[1, errorCode.enhanceYourCalm]], 'the one that waits longest');
    assert.deepEqual(server.lacking, ['answers']);
    server.clock.advance(31);
    connection.sweep();
    assert.deepEqual(resets(wire.take()), [
      [3, errorCode.cancel],
      [5, errorCode.cancel],
    ]);
    send(grpcRequest(7, '/Grow', Buffer.from('5000')));
    assert.deepEqual(resets(wire.take()), [], 'their memory is free again');
  });

  it('does not read from a peer that does not read, and cuts it after a while', () => {
    const server = fakeServer({ ...limits, pauseAboveBytes: 10 * KIB });
    const { connection, wire, send } = server.connect();
    const isPaused = (): boolean => wire.paused;
    wire.keepsUp = false;
    send(frame(frameType.windowUpdate, 0, 0, uint32(10_000_000)));
    for (let id = 1; id < 20 && !isPaused(); id += 2) send(grpcRequest(id, '/Grow', Buffer.from('3000')));
    assert.equal(isPaused(), true);
    assert.ok(wire.unsentBytes > 10 * KIB && wire.unsentBytes < 20 * KIB);

    wire.unsentBytes = 0;
    connection.drained();
    assert.equal(isPaused(), false);

    for (let id = 101; id < 120 && !isPaused(); id += 2) send(grpcRequest(id, '/Grow', Buffer.from('3000')));
    assert.equal(isPaused(), true);
    server.clock.advance(31);
    connection.sweep();
    assert.equal(wire.destroyed, true);
  });

  it('writes large answers no faster than they leave', () => {
    const server = fakeServer({ pauseAboveBytes: 50 * KIB });
    const { connection, wire, send } = server.connect();
    send(settings([setting.initialWindowSize, 0x7fffffff]), frame(frameType.windowUpdate, 0, 0, uint32(0x7fff0000)));
    wire.take();
    wire.keepsUp = false;
    send(grpcRequest(1, '/Grow', Buffer.from('1000000')));
    let sent = 0;
    let rounds = 0;
    for (; sent < 1_000_005 && rounds < 100; rounds++) {
      assert.ok(wire.unsentBytes < 100 * KIB);
      for (const bytes of sentBytes(wire.take())) sent += bytes;
      wire.unsentBytes = 0;
      connection.drained();
    }
    assert.equal(sent, 1_000_005);
    assert.ok(rounds > 8);
  });

  it('writes a large answer without a pause when it leaves at once', () => {
    const { wire, send } = fakeServer({ pauseAboveBytes: 50 * KIB }).connect();
    send(settings([setting.initialWindowSize, 0x7fffffff]), frame(frameType.windowUpdate, 0, 0, uint32(0x7fff0000)));
    wire.take();
    send(grpcRequest(1, '/Grow', Buffer.from('1000000')));
    assert.equal(
      sentBytes(wire.take()).reduce((total, bytes) => total + bytes, 0),
      1_000_005,
    );
  });

  it('leaves alone what has not left yet', () => {
    const { wire, send } = fakeServer().connect();
    wire.keepsUp = false;
    for (let id = 1; id < 20; id += 2) send(grpcRequest(id, '/Echo', Buffer.from(`message ${String(id)}`)));
    const messages = wire.take().filter(({ type }) => type === frameType.data);
    assert.deepEqual(
      messages.map(({ payload }) => payload.toString('latin1', 5)),
      Array.from({ length: 10 }, (_, n) => `message ${String(2 * n + 1)}`),
    );
  });

  it('has one timer for the deadlines of a connection, and leaves none behind', async () => {
    const time = new ManualTime();
    const server = fakeServer({}, time.startTimer);
    const { connection, wire, send } = server.connect();
    const head = (id: number): Buffer => grpcHead(id, '/Hold', 0, { 'grpc-timeout': '1H' });
    send(head(1), data(1, Buffer.alloc(5), frameFlag.endStream), head(3), head(5));
    send(frame(frameType.rstStream, 0, 5, uint32(8)));
    assert.equal(time.timers, 1);
    server.clock.advance(3600);
    await time.advance(3_600_000);
    assert.deepEqual(failures(wire.take()), [
      [1, 4],
      [3, 4],
    ]);
    assert.equal(time.timers, 0);
    send(head(7));
    assert.equal(time.timers, 1);
    connection.lost();
    assert.equal(time.timers, 0);
  });

  it('writes the answers of one read at once', () => {
    const { wire, send } = fakeServer().connect();
    const before = wire.writes;
    send(...Array.from({ length: 50 }, (_, n) => grpcRequest(2 * n + 1, '/Echo', Buffer.from('x'))));
    assert.equal(wire.writes, before + 1);
    assert.equal(wire.take().length, 150);
  });

  it('writes the answers of reads that follow each other at once', async () => {
    const { connection, wire } = fakeServer().connect();
    const before = wire.writes;
    const receive = (streamId: number, isFollowed: boolean): void => {
      connection.receive(grpcRequest(streamId, '/Echo', Buffer.from('x')), isFollowed);
    };
    receive(1, true);
    receive(3, true);
    assert.equal(wire.writes, before);
    receive(5, false);
    assert.equal(wire.writes, before + 1);
    assert.equal(wire.take().length, 9);
    await turn();
    assert.equal(wire.writes, before + 1);
  });

  it('writes at the end of the turn when no other read follows', async () => {
    const { connection, wire } = fakeServer().connect();
    const before = wire.writes;
    connection.receive(grpcRequest(1, '/Echo', Buffer.from('x')), true);
    assert.equal(wire.writes, before);
    await turn();
    assert.equal(wire.writes, before + 1);
    assert.equal(wire.take().length, 3);
  });

  it('writes with an answer that comes late in the turn', async () => {
    const server = fakeServer();
    const { connection, wire } = server.connect();
    const before = wire.writes;
    connection.receive(grpcRequest(1, '/Echo', Buffer.from('x')), true);
    connection.receive(grpcRequest(3, '/Hold', Buffer.from('x')), true);
    assert.equal(wire.writes, before);
    server.held[0]?.answer(Buffer.from('y'));
    for (let n = 0; n < 20; n++) await Promise.resolve();
    assert.equal(wire.writes, before + 1);
    assert.equal(wire.take().length, 6);
    await turn();
    assert.equal(wire.writes, before + 1);
  });

  it('writes at once when the peer sends nothing more', () => {
    const { connection, wire } = fakeServer().connect();
    connection.receive(grpcRequest(1, '/Echo', Buffer.from('x')), true);
    connection.inputEnded();
    assert.equal(wire.take().length, 3);
  });

  it('writes at once when the rest of the input waits for another turn', async () => {
    const { connection, wire } = fakeServer({ framesPerTurn: 8, framesOfEach: 8 }).connect();
    const requests = Array.from({ length: 20 }, (_, n) => grpcRequest(2 * n + 1, '/Echo', Buffer.from('x')));
    connection.receive(Buffer.concat(requests), true);
    assert.ok(wire.paused);
    assert.ok(wire.take().length > 0);
    for (let n = 0; n < 40; n++) await turn();
    assert.ok(!wire.paused);
  });

  it('leaves no more than a little unsent until the end of the turn, whatever its connections ask for', () => {
    const server = fakeServer();
    const windows = Buffer.concat([
      settings([setting.initialWindowSize, 0x7fffffff]),
      frame(frameType.windowUpdate, 0, 0, uint32(0x7fff0000)),
    ]);
    for (let n = 0; n < 20; n++) {
      const { connection, wire } = server.connect();
      wire.keepsUp = false;
      connection.receive(Buffer.concat([windows, grpcRequest(1, '/Grow', Buffer.from('100000'))]), true);
    }
    assert.ok(server.unsentBytes() > 20 * 100_000);
  });

  it('writes nothing for a connection that is lost in that turn', async () => {
    const server = fakeServer();
    const { connection, wire } = server.connect();
    const before = wire.writes;
    connection.receive(grpcRequest(1, '/Echo', Buffer.from('x')), true);
    connection.lost();
    await turn();
    assert.equal(wire.writes, before);
  });
});

function sendRest(connection: FakeConnection, streamId: number, messageBytes: number, fill = '\0'): void {
  let left = messageBytes;
  while (left > 0) {
    const bytes = Math.min(left, 16384);
    left -= bytes;
    connection.send(data(streamId, Buffer.alloc(bytes, fill), left === 0 ? frameFlag.endStream : 0));
  }
}

function sentBytes(frames: readonly SentFrame[]): number[] {
  return frames.filter(({ type }) => type === frameType.data).map(({ payload }) => payload.length);
}

function resets(frames: readonly SentFrame[]): [number, number][] {
  return frames
    .filter(({ type }) => type === frameType.rstStream)
    .map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)]);
}
