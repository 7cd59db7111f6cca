import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { frameFlag, frameType, setting } from '../../src/wire/http2/frame.ts';
import { type FakeConnection, fakeServer, type FakeServer } from '../support/grpc/fake-connection.ts';
import { data, frame, grpcHead, grpcRequest, settings, uint32 } from '../support/grpc/fake-wire.ts';
import { Random } from './random.ts';

const USAGE = `node --import tsx test/fuzz/frames.ts [--inputs N] [--seed N]

Sends N inputs (default 100000) to connections that share a server's memory: an input is up to 24 frames, sensible, nearly
right or arbitrary, cut anywhere. Breaks off with the seed when a connection throws, a pool holds less than nothing, more
than its bound or more than what has arrived accounts for, or anything is held when all connections are gone.`;

const PATHS = ['/Echo', '/Grow', '/Hold', '/Health', '/Unknown'];
const LENGTHS = [0, 5, 1000, 10_000, 65_000, 66_000, 150_000, 3_000_000];
const SIZES = [0, 1, 5, 100, 256, 3000, 16_384];
const WINDOWS = [0, 1, 10, 255, 1000, 65_535, 1_000_000, 0x7fffffff, 0xffffffff];
const FLAGS = [0, 0, 0, frameFlag.endStream, frameFlag.endStream | frameFlag.endHeaders, frameFlag.padded, 0xff];
const PART_POOL = { serverBytes: 192 * 1024, connectionBytes: 132 * 1024 };
const TURN_POOL = { serverBytes: 400_000, connectionBytes: 200_000 };
const ANSWER_POOL = { serverBytes: 200_000, connectionBytes: 100_000 };
/** Inputs for one server; then a new one. */
const INPUTS_PER_SERVER = 1000;

/** Frames that do not depend on chance, made once: making them costs more than taking them. */
const heads = PATHS.map((path) =>
  [1, 3, 5, 7, 9].map((id) => [grpcHead(id, path), grpcHead(id, path, frameFlag.endStream)]),
);
const zeros = SIZES.map((size) => Buffer.alloc(size));
const requests = PATHS.map((path) => [1, 3, 5, 7, 9].map((id) => grpcRequest(id, path, Buffer.from('30000'))));

const ping = frame(frameType.ping, 0, 0, Buffer.alloc(8));

/** @param opened how many streams the connection has opened; most frames respect it, or hardly one would outlive its first ones. */
function makeFrame(random: Random, opened: number): Buffer {
  const kind = random.below(13);
  const isNew = kind < 5;
  const place =
    random.below(40) === 0 ? random.below(5) : isNew ? Math.min(4, opened) : random.below(Math.max(1, opened));
  const id = 2 * place + 1;
  const path = random.below(PATHS.length);
  if (opened === 0 && !isNew && random.below(40) !== 0) return ping;
  if (opened > 4 && isNew) return ping;
  switch (kind) {
    case 0:
    case 4:
      return requests[path]?.[place] ?? assert.fail();
    case 1:
      return heads[path]?.[place]?.[random.below(2)] ?? assert.fail();
    case 2:
    case 3: {
      const prefix = Buffer.concat([Buffer.from([0]), uint32(random.pick(LENGTHS))]);
      return Buffer.concat([heads[path]?.[place]?.[0] ?? assert.fail(), data(id, prefix)]);
    }
    case 5:
    case 6:
    case 12:
      return data(id, random.pick(zeros), random.pick(random.below(20) === 0 ? FLAGS : FLAGS.slice(0, 4)));
    case 7:
      return frame(frameType.windowUpdate, 0, random.below(3) === 0 ? 0 : id, uint32(random.pick(WINDOWS)));
    case 8:
      return settings([
        setting.initialWindowSize,
        random.pick(random.below(40) === 0 ? WINDOWS : WINDOWS.slice(0, -1)),
      ]);
    case 9:
      return frame(frameType.rstStream, 0, id, uint32(8));
    case 10: {
      if (random.below(6) !== 0) return ping;
      const bytes = Buffer.alloc(random.below(20));
      for (let at = 0; at < bytes.length; at++) bytes[at] = random.below(256);
      return random.below(8) === 0 ? bytes : frame(random.below(12), random.pick(FLAGS), random.below(12), bytes);
    }
    default:
      return ping;
  }
}

function check(server: FakeServer, receivedBytes: number): void {
  const parts = server.heldParts();
  const turns = server.turnBytes();
  assert.deepEqual(server.defects, []);
  assert.ok(parts >= 0 && parts <= PART_POOL.serverBytes && parts <= 18 * receivedBytes, `parts ${String(parts)}`);
  assert.ok(turns >= 0 && turns <= TURN_POOL.serverBytes, `turns ${String(turns)}`);
  assert.ok(server.heldBytes() >= 0, 'less than nothing is held');
}

function play(server: FakeServer, random: Random, counts: { frames: number; ended: number }): void {
  const connections: FakeConnection[] = [server.connect(), server.connect()];
  const openedBy = new Map<FakeConnection, number>();
  let receivedBytes = 0;
  for (let left = 1 + random.below(24); left > 0; left--) {
    const connection = random.pick(connections);
    const opened = openedBy.get(connection) ?? 0;
    const bytes = makeFrame(random, opened);
    if (bytes[3] === frameType.headers && opened < 5) openedBy.set(connection, opened + 1);
    receivedBytes += bytes.length;
    counts.frames++;
    const cut = random.below(4) === 0 ? random.below(bytes.length + 1) : 0;
    if (cut > 0) connection.send(bytes.subarray(0, cut));
    connection.send(bytes.subarray(cut));
    if (random.below(8) === 0) {
      server.clock.advance(random.below(4));
      connection.connection.sweep();
    }
    if (random.below(8) === 0) server.held.shift()?.answer(Buffer.alloc(random.below(2000)));
    check(server, receivedBytes);
  }
  for (const { connection, wire } of connections) {
    if (wire.ended) counts.ended++;
    connection.lost();
  }
  check(server, receivedBytes);
  assert.deepEqual([server.heldParts(), server.turnBytes() > 0 && server.held.length === 0], [0, false]);
}

async function settle(server: FakeServer): Promise<void> {
  for (const { answer } of server.held.splice(0)) answer(Buffer.alloc(0));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([server.heldBytes(), server.heldParts(), server.turnBytes()], [0, 0, 0]);
  server.echoed.length = 0;
  server.refused.length = 0;
  server.lacking.length = 0;
}

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '100000' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const inputs = Number(values.inputs);
const seed = Number(values.seed ?? Date.now() % 2 ** 32);
if (values.help || !Number.isSafeInteger(inputs) || inputs <= 0 || !Number.isSafeInteger(seed)) {
  console.error(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  const random = new Random(seed);
  const counts = { frames: 0, ended: 0 };
  const startMs = performance.now();
  const limits = { partPool: PART_POOL, turnPool: TURN_POOL, answerPool: ANSWER_POOL, turnBytes: 4096 };
  console.log(`seed ${String(seed)}, ${String(inputs)} inputs`);
  for (let done = 0; done < inputs; ) {
    const server = fakeServer(limits);
    const end = Math.min(inputs, done + INPUTS_PER_SERVER);
    for (; done < end; done++) {
      play(server, random, counts);
      if (done % 20 === 0) await settle(server);
    }
    await settle(server);
    if (done % 100_000 === 0) console.log(`${String(done)} inputs, ${String(counts.frames)} frames`);
  }
  const seconds = Math.round((performance.now() - startMs) / 1000);
  console.log(
    `${String(inputs)} inputs, ${String(counts.frames)} frames, ${String(counts.ended)} connections ended, ${String(seconds)} s`,
  );
}
