import assert from 'node:assert/strict';
import { errorCode, frameFlag, frameType, setting } from '../../../../../src/wire/http2/frame.ts';
import { defaultLimits } from '../../../../../src/wire/server/http2/limits.ts';
import { type FakeConnection, type FakeServer, fakeServer } from '../../../../support/grpc/fake-connection.ts';
import { data, frame, grpcHead, grpcRequest, settings, uint32 } from '../../../../support/grpc/fake-wire.ts';

const NOTHING = Buffer.alloc(0);

/** A connection on which so many answers of 1000 bytes wait for their windows. */
function withWaiting(connection: FakeConnection, answers: number): void {
  connection.send(settings([setting.initialWindowSize, 0]), frame(frameType.windowUpdate, 0, 0, uint32(0x7fff0000)));
  for (let id = 1; id < 2 * answers; id += 2) connection.send(grpcRequest(id, '/Grow', Buffer.from('995')));
  connection.wire.take();
}

/** Sends until the connection ends. @returns frames written for bytes received. */
function play(connection: FakeConnection, next: (n: number) => Buffer): { frames: number; bytes: number } {
  let bytes = 0;
  let frames = 0;
  for (let n = 0; n < 5000 && !connection.wire.ended; n++) {
    const input = next(n);
    bytes += input.length;
    connection.send(input);
    frames += connection.wire.take().length;
  }
  return { frames, bytes };
}

describe('frames written for frames received', () => {
  const games: Readonly<Record<string, (n: number) => Buffer>> = {
    'SETTINGS that open all windows by one byte, back and forth': (n) =>
      settings([setting.initialWindowSize, n % 2 === 0 ? 1 : 0]),
    'SETTINGS that open all windows a byte more each time': (n) => settings([setting.initialWindowSize, n + 1]),
    'windows of one byte for one stream after the other': (n) =>
      frame(frameType.windowUpdate, 0, 2 * (n % 300) + 1, uint32(1)),
  };
  for (const [what, next] of Object.entries(games)) {
    it(`are bounded by the bytes received: ${what}`, () => {
      const server = fakeServer();
      const connection = server.connect();
      withWaiting(connection, 300);
      const { frames, bytes } = play(connection, next);
      const { windowSteps, bytesPerWindowStep } = defaultLimits;
      const mostSteps = windowSteps + bytes / bytesPerWindowStep;
      // Those, an answer to each frame received, and the GOAWAY.
      assert.ok(frames <= mostSteps + bytes / 9 + 1, `${String(frames)} frames for ${String(bytes)} bytes`);
    });
  }

  it('end a connection that makes us write in crumbs', () => {
    const server = fakeServer({ windowSteps: 100, bytesPerWindowStep: 1e9 });
    const { wire, send } = server.connect();
    send(settings([setting.initialWindowSize, 1]));
    send(...Array.from({ length: 101 }, (_, n) => grpcRequest(2 * n + 1, '/Grow', Buffer.from('100'))));
    const goaway = wire.take().find(({ type }) => type === frameType.goaway);
    assert.equal(goaway?.payload.readUInt32BE(4), errorCode.enhanceYourCalm);
    assert.deepEqual(server.refused, ['the windows ask for more work than the peer has sent']);
    assert.equal(server.heldBytes(), 0);
  });

  it('do not end one with windows of a sensible size', () => {
    const server = fakeServer({ windowSteps: 10, bytesPerWindowStep: 1e9 });
    const { wire, send } = server.connect();
    send(settings([setting.initialWindowSize, 256]), frame(frameType.windowUpdate, 0, 0, uint32(10_000_000)));
    for (let id = 1; id < 1000; id += 2) {
      send(grpcRequest(id, '/Grow', Buffer.from('1000')));
      for (let n = 0; n < 4; n++) send(frame(frameType.windowUpdate, 0, id, uint32(256)));
    }
    assert.equal(wire.ended, false);
    assert.equal(
      wire.take().filter(({ type, flags }) => type === frameType.headers && (flags & frameFlag.endStream) !== 0).length,
      500,
    );
  });
});

describe('frames of a connection in one turn of the event loop', () => {
  const framesPerTurn = 100;

  /** A request is two frames, and SETTINGS came before. */
  function assertOneTurn({ echoed }: FakeServer): void {
    assert.ok(echoed.length > framesPerTurn / 4 && echoed.length <= framesPerTurn / 2, String(echoed.length));
  }

  it('are bounded; the others wait for the next turn, in order', async () => {
    const server = fakeServer({ framesPerTurn });
    const { wire, send } = server.connect();
    const isPaused = (): boolean => wire.paused;
    send(...Array.from({ length: 260 }, (_, n) => grpcRequest(2 * n + 1, '/Echo', Buffer.from(String(n)))));
    assertOneTurn(server);
    assert.equal(isPaused(), true, 'no more is read meanwhile');
    send(grpcRequest(1001, '/Echo', Buffer.from('260')));
    assertOneTurn(server);
    for (let n = 0; n < 6; n++) await turn();
    assert.deepEqual(
      server.echoed.map((message) => Buffer.from(message).toString()),
      Array.from({ length: 261 }, (_, n) => String(n)),
    );
    assert.equal(isPaused(), false);
    assert.equal(wire.take().filter(({ flags }) => (flags & frameFlag.endStream) !== 0).length, 261);
  });

  it('are bounded over several reads, also when frames straddle them', async () => {
    const server = fakeServer({ framesPerTurn });
    const { send } = server.connect();
    const input = Buffer.concat(
      Array.from({ length: 200 }, (_, n) => grpcRequest(2 * n + 1, '/Echo', Buffer.from('x'))),
    );
    for (let at = 0; at < input.length; at += 777) send(input.subarray(at, at + 777));
    assertOneTurn(server);
    for (let n = 0; n < 5; n++) await turn();
    assert.equal(server.echoed.length, 200);
  });

  it('are shared by all connections; one that sends little has its answer in the turn in which it asks', async () => {
    const server = fakeServer({ framesPerTurn, framesOfEach: 4 });
    const greedy = Array.from({ length: 20 }, () => server.connect());
    for (const { send } of greedy) {
      send(...Array.from({ length: 100 }, (_, n) => grpcRequest(2 * n + 1, '/Echo', NOTHING)));
    }
    const inFirstTurn = server.echoed.length;
    // SETTINGS, and two frames for each call.
    assert.ok(inFirstTurn >= framesPerTurn / 4 && inFirstTurn <= framesPerTurn / 2 + 20 * 2, String(inFirstTurn));
    const modest = server.connect();
    modest.send(grpcRequest(1, '/Echo', Buffer.from('modest')));
    assert.equal(Buffer.from(server.echoed.at(-1) ?? NOTHING).toString(), 'modest');
    for (let n = 0; n < 100; n++) await turn();
    assert.equal(server.echoed.length, 20 * 100 + 1);
    assert.deepEqual(
      greedy.map(({ wire }) => wire.paused),
      greedy.map(() => false),
    );
  });

  it('leave a connection that ended meanwhile alone', async () => {
    const server = fakeServer({ framesPerTurn });
    const { connection, send } = server.connect();
    send(...Array.from({ length: 200 }, (_, n) => grpcRequest(2 * n + 1, '/Echo', NOTHING)));
    connection.lost();
    await turn();
    assertOneTurn(server);
    assert.deepEqual(server.defects, []);
  });

  it('do not resume a peer that does not read', async () => {
    const server = fakeServer({ framesPerTurn, pauseAboveBytes: 1000 });
    const { connection, wire, send } = server.connect();
    const isPaused = (): boolean => wire.paused;
    wire.keepsUp = false;
    send(...Array.from({ length: 101 }, (_, n) => grpcRequest(2 * n + 1, '/Echo', NOTHING)));
    assert.equal(isPaused(), true);
    for (let n = 0; n < 4; n++) await turn();
    assert.equal(isPaused(), true);
    wire.unsentBytes = 0;
    wire.keepsUp = true;
    connection.drained();
    for (let n = 0; n < 4; n++) await turn();
    assert.equal(server.echoed.length, 101);
    assert.equal(isPaused(), false);
  });
});

describe('the fate of closed streams', () => {
  it('is charged for, also when DATA ends them', () => {
    const server = fakeServer({ idleFrames: 500 });
    const connection = server.connect();
    connection.send(grpcHead(1, '/Echo'), frame(frameType.rstStream, 0, 1, uint32(8)));
    for (let n = 0; n < 600; n++) connection.send(data(1, NOTHING, frameFlag.endStream));
    assert.equal(connection.wire.ended, true);
  });
});

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
