import assert from 'node:assert/strict';
import { frameType } from '../../../../../src/wire/http2/frame.ts';
import { type FakeConnection, fakeServer } from '../../../../support/grpc/fake-connection.ts';
import { frame, grpcRequest, uint32 } from '../../../../support/grpc/fake-wire.ts';

const KIB = 1024;
const limits = {
  maxUnsentBytes: 1024 * KIB,
  pauseAboveBytes: 100 * KIB,
  pauseEarlyAboveBytes: 4 * KIB,
  unsentStallMs: 2000,
  sendStallMs: 1_000_000,
};

type Server = ReturnType<typeof fakeServer>;

/** A peer with windows for everything that takes nothing. */
function connectDeaf(server: Server): FakeConnection {
  const peer = server.connect();
  peer.send(frame(frameType.windowUpdate, 0, 0, uint32(100_000_000)));
  peer.wire.keepsUp = false;
  return peer;
}

/** Has it ask for answers while it is read. */
function ask({ wire, send }: FakeConnection, from: number, answers: number, answerBytes = 10 * KIB): void {
  for (let n = 0; n < answers && !wire.paused && !wire.destroyed; n++) {
    send(grpcRequest(from + 2 * n, '/Grow', Buffer.from(String(answerBytes))));
  }
}

function heldBy(peers: readonly FakeConnection[]): number {
  return peers.reduce((sum, { wire }) => sum + (wire.destroyed ? 0 : wire.unsentBytes), 0);
}

/** The peer reads everything. */
function drain({ connection, wire }: FakeConnection): void {
  wire.unsentBytes = 0;
  connection.drained();
}

describe('answers in sockets that nobody reads', () => {
  it('are bounded for all connections together', () => {
    const server = fakeServer(limits);
    const peers: FakeConnection[] = [];
    for (let n = 0; n < 200; n++) {
      const peer = connectDeaf(server);
      peers.push(peer);
      ask(peer, 1, 20);
      server.clock.advance(0.1);
    }
    server.clock.advance(3);
    server.sweepMemory();
    assert.ok(heldBy(peers) <= limits.maxUnsentBytes, String(heldBy(peers)));
    assert.equal(server.unsentBytes(), heldBy(peers));
    const ended = peers.filter(({ wire }) => wire.destroyed).length;
    assert.deepEqual(new Set(server.ended), new Set(['unread']));
    assert.equal(server.ended.length, ended);
    assert.deepEqual(server.refused, []);
  });

  it('pause connections early while there are too many, and end none whose peer goes on', () => {
    const server = fakeServer(limits);
    const peers = Array.from({ length: 30 }, () => connectDeaf(server));
    for (const peer of peers) ask(peer, 1, 20);
    assert.ok(heldBy(peers) > limits.maxUnsentBytes);
    assert.ok(heldBy(peers) < limits.maxUnsentBytes + 30 * 15 * KIB, 'one answer each, no more');
    const good = connectDeaf(server);
    for (let round = 0; round < 20; round++) {
      ask(good, 1 + 40 * round, 20);
      assert.ok(good.wire.unsentBytes < 15 * KIB);
      server.clock.advance(0.1);
      drain(good);
      assert.equal(good.wire.paused, false);
    }
    assert.deepEqual(server.ended, [], 'nobody has stalled for long enough');
    server.clock.advance(0.1);
    ask(good, 2001, 1);
    assert.ok(server.ended.length > 0);
    assert.equal(good.wire.destroyed, false);
    assert.ok(heldBy([...peers, good]) <= limits.maxUnsentBytes);
  });

  it('stay when a part of them leaves now and then', () => {
    const server = fakeServer({ ...limits, maxUnsentBytes: 50 * KIB });
    const slow = connectDeaf(server);
    ask(slow, 1, 3);
    for (let round = 0; round < 10; round++) {
      server.clock.advance(1.5);
      slow.wire.unsentBytes -= KIB;
    }
    const deaf = connectDeaf(server);
    ask(deaf, 1, 4);
    server.clock.advance(0.3);
    assert.ok(server.unsentBytes() > 50 * KIB);
    server.sweepMemory();
    assert.deepEqual([server.ended, slow.wire.destroyed], [[], false]);
  });

  it('are dropped of the connection first that has most', () => {
    const server = fakeServer(limits);
    const small = connectDeaf(server);
    ask(small, 1, 2);
    const large = Array.from({ length: 12 }, () => connectDeaf(server));
    for (const peer of large) ask(peer, 1, 20);
    server.clock.advance(3);
    server.sweepMemory();
    assert.ok(server.ended.length > 0 && server.ended.length < 12);
    assert.equal(small.wire.destroyed, false);
  });

  it('are no longer counted when they have left, or the connection is gone', () => {
    const server = fakeServer(limits);
    const [read, lost, cut] = [connectDeaf(server), connectDeaf(server), connectDeaf(server)];
    for (const peer of [read, lost, cut]) ask(peer, 1, 20);
    assert.equal(server.unsentBytes(), heldBy([read, lost, cut]));
    drain(read);
    lost.connection.lost();
    server.clock.advance(1001);
    cut.connection.sweep();
    assert.equal(cut.wire.destroyed, true);
    assert.equal(server.unsentBytes(), 0);
  });

  it('are counted, and dropped, of a connection that has ended and waits for them to leave', () => {
    const server = fakeServer({ ...limits, maxUnsentBytes: 50 * KIB });
    const peer = connectDeaf(server);
    ask(peer, 1, 8);
    peer.send(frame(frameType.data, 0, 0));
    assert.equal(peer.wire.ended, true);
    assert.equal(server.unsentBytes(), peer.wire.unsentBytes);
    server.clock.advance(3);
    server.sweepMemory();
    assert.deepEqual([peer.wire.destroyed, server.unsentBytes(), server.ended], [true, 0, ['unread']]);
  });
});
