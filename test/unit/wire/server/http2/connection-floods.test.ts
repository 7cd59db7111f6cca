import assert from 'node:assert/strict';
import { errorCode, frameFlag, frameType, setting } from '../../../../../src/wire/http2/frame.ts';
import { type FakeConnection, fakeServer } from '../../../../support/grpc/fake-connection.ts';
import {
  block,
  data,
  frame,
  grpcFields,
  grpcHead,
  grpcRequest,
  settings,
  uint32,
} from '../../../../support/grpc/fake-wire.ts';

const NOTHING = Buffer.alloc(0);

/** Sends frames until the connection ends. @returns how many it took, and the code of the GOAWAY. */
function flood(connection: FakeConnection, next: (n: number) => Buffer): { frames: number; code: number | undefined } {
  for (let n = 0; n < 100_000; n++) {
    connection.send(next(n));
    if (!connection.wire.ended) continue;
    const goaway = connection.wire.take().find(({ type }) => type === frameType.goaway);
    return { frames: n + 1, code: goaway?.payload.readUInt32BE(4) };
  }
  assert.fail('the connection was never ended');
}

describe('peers that keep a connection busy without calls', () => {
  const floods: Readonly<Record<string, (n: number) => Buffer>> = {
    'resets of calls (CVE-2023-44487)': (n) => {
      const id = 2 * n + 1;
      return Buffer.concat([grpcHead(id, '/Hold'), frame(frameType.rstStream, 0, id, uint32(8))]);
    },
    'resets of calls that a method works on': (n) => {
      const id = 2 * n + 1;
      return Buffer.concat([grpcRequest(id, '/Hold', NOTHING), frame(frameType.rstStream, 0, id, uint32(8))]);
    },
    'requests that are malformed': (n) => frame(frameType.headers, frameFlag.endHeaders, 2 * n + 1, block({ a: 'b' })),
    pings: () => frame(frameType.ping, 0, 0, Buffer.alloc(8)),
    'settings (CVE-2019-9515)': () => settings([setting.initialWindowSize, 1], [setting.initialWindowSize, 2]),
    priorities: () => frame(frameType.priority, 0, 7, Buffer.from([0, 0, 0, 5, 1])),
    'frames of unknown types': () => frame(0x77, 0, 0),
    'window updates': () => frame(frameType.windowUpdate, 0, 0, uint32(1)),
    'empty DATA (CVE-2019-9518)': (n) => Buffer.concat([n === 0 ? grpcHead(1, '/Echo') : NOTHING, data(1, NOTHING)]),
    'DATA for a stream that was reset': (n) => {
      const opened = Buffer.concat([grpcHead(1, '/Echo'), frame(frameType.rstStream, 0, 1, uint32(8))]);
      return Buffer.concat([n === 0 ? opened : NOTHING, data(1, Buffer.from('x'))]);
    },
  };

  for (const [what, next] of Object.entries(floods)) {
    it(`ends the connection after so many ${what}`, () => {
      const server = fakeServer({ idleFrames: 500 });
      const { frames, code } = flood(server.connect(), next);
      assert.equal(code, errorCode.enhanceYourCalm);
      assert.ok(frames >= 50 && frames <= 501, String(frames));
      assert.equal(server.refused[0], 'too many frames that bring no call');
    });
  }

  it('takes the same frames when they come slowly, or with calls', () => {
    const server = fakeServer({ idleFrames: 100, idleFramesPerSecond: 10 });
    const slow = server.connect();
    for (let n = 0; n < 1000; n++) {
      server.clock.advance(0.1);
      slow.send(frame(frameType.ping, 0, 0, Buffer.alloc(8)));
    }
    const busy = server.connect();
    for (let n = 0; n < 1000; n++) {
      busy.send(grpcRequest(2 * n + 1, '/Echo', NOTHING), frame(frameType.ping, 0, 0, Buffer.alloc(8)));
    }
    assert.deepEqual([slow.wire.ended, busy.wire.ended], [false, false]);
  });

  it('ends the connection when a header block has too many frames (CVE-2024-27316)', () => {
    for (const piece of [NOTHING, Buffer.alloc(1)]) {
      const server = fakeServer();
      const { frames, code } = flood(server.connect(), (n) => {
        return frame(n === 0 ? frameType.headers : frameType.continuation, 0, 1, piece);
      });
      assert.deepEqual([frames, code], [17, errorCode.enhanceYourCalm]);
    }
  });

  it('ends the connection when a header block is too large', () => {
    const { frames, code } = flood(fakeServer().connect(), (n) => {
      return frame(n === 0 ? frameType.headers : frameType.continuation, 0, 1, Buffer.alloc(8000));
    });
    assert.deepEqual([frames, code], [3, errorCode.enhanceYourCalm]);
  });

  it('refuses a head whose fields grow when they are decoded, and keeps the table right', () => {
    const server = fakeServer();
    const { wire, send } = server.connect();
    const large = Buffer.concat([Buffer.from([0x40, 1, 0x61, 127, 0xa1, 0x1e]), Buffer.alloc(4000, 'v')]);
    const bomb = Buffer.concat([block(grpcFields('/Echo')), large, Buffer.alloc(10_000, 0xbe)]);
    send(frame(frameType.headers, frameFlag.endHeaders | frameFlag.endStream, 1, bomb));
    const [head] = wire.take().filter(({ type, streamId }) => type === frameType.headers && streamId === 1);
    assert.ok(head?.payload.includes('431'));
    // The table still holds the field: an index of it is no breach.
    const again = Buffer.concat([block(grpcFields('/Echo')), Buffer.from([0xbe])]);
    send(frame(frameType.headers, frameFlag.endHeaders, 3, again), data(3, Buffer.alloc(5), frameFlag.endStream));
    assert.equal(server.echoed.length, 1);
  });

  it('refuses calls beyond what it announced', () => {
    const server = fakeServer({ maxConcurrentStreams: 3 });
    const { wire, send } = server.connect();
    for (const id of [1, 3, 5, 7]) send(grpcRequest(id, '/Hold', NOTHING));
    assert.equal(server.held.length, 3);
    const resets = wire.take().filter(({ type }) => type === frameType.rstStream);
    assert.deepEqual(
      resets.map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)]),
      [[7, errorCode.refusedStream]],
    );
  });

  it('counts calls that were reset while a method works on them', async () => {
    const server = fakeServer({ maxConcurrentStreams: 3 });
    const { wire, send } = server.connect();
    for (const id of [1, 3, 5]) {
      send(grpcRequest(id, '/Hold', NOTHING), frame(frameType.rstStream, 0, id, uint32(8)));
    }
    send(grpcRequest(7, '/Hold', NOTHING));
    assert.equal(server.held.length, 3, 'a reset does not buy room');
    for (const { answer } of server.held) answer(NOTHING);
    await settled();
    wire.take();
    send(grpcRequest(9, '/Hold', NOTHING));
    assert.equal(server.held.length, 4);
    assert.deepEqual(wire.take(), []);
  });
});

/** Lets promises that are resolved do their work. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
