import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { type Socket } from 'node:net';
import { join } from 'node:path';
import { errorCode, frameType } from '../../src/wire/http2/frame.ts';
import { type ConnectionLimits } from '../../src/wire/server/connection-table.ts';
import { createGrpcJsTransport } from '../../src/wire/server/grpc-js-transport.ts';
import { createHttp2Transport } from '../../src/wire/server/http2-transport.ts';
import { type Transport, type TransportOptions } from '../../src/wire/server/transport.ts';
import { makeCertificate } from '../support/grpc/certificate.ts';
import { clientPreface, frame, grpcHead, uint32 } from '../support/grpc/fake-wire.ts';
import { framed, type RawAnswer, RawClient, readAnswer } from '../support/grpc/raw-client.ts';
import { type Harness, type HeldCall, startHarness } from '../support/grpc/transport-harness.ts';
import { openSilentPeers } from '../support/http/silent-peers.ts';
import { poll } from '../support/time/poll.ts';
import { release } from '../support/lifetime/release.ts';
import { temporaryDirectory } from '../support/lifetime/temporary-directory.ts';

const NOTHING = Buffer.alloc(0);
const implementations: readonly (readonly [string, (options: TransportOptions) => Transport])[] = [
  ['native', (options) => createHttp2Transport(options)],
  ['grpc-js', createGrpcJsTransport],
];
const authority = makeCertificate('Test CA');
const server = makeCertificate('localhost', authority);
const limits: ConnectionLimits = { maxConnections: 32, maxOfAddress: 16, unusedMs: 600_000, idleMs: 900_000 };

for (const [name, create] of implementations) {
  describe(`connections of the gRPC listener, ${name}`, () => {
    const kept: AsyncDisposable[] = [];
    afterEach(async () => {
      await release(...kept.splice(0).reverse());
    });

    async function start(options: Parameters<typeof startHarness>[1] = {}): Promise<Harness> {
      const harness = await startHarness(create, { connectionLimits: limits, ...options });
      kept.push(harness);
      return harness;
    }

    /** Peers that connect, say this much, and then nothing. */
    async function silentPeers({ address }: Harness, count: number, hello: Buffer): Promise<Socket[]> {
      const to = address.kind === 'tcp' ? { port: address.port, host: '127.0.0.1' } : address;
      const sockets = await openSilentPeers(to, count, hello, (peer) => kept.push(peer));
      for (const socket of sockets) socket.resume();
      return sockets;
    }

    async function client(harness: Harness, options = {}): Promise<RawClient> {
      const raw = await RawClient.connect(harness.address, options);
      kept.push(raw);
      return raw;
    }

    it('lets a new caller in, and keeps who was served, however many say hello and then nothing', async () => {
      const harness = await start();
      const calm = await client(harness);
      assert.equal((await calm.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
      await silentPeers(harness, 60, clientPreface);
      assert.ok(harness.transport.load().connections <= 16);
      const fresh = await client(harness);
      assert.equal((await fresh.call('/test.Test/Echo', Buffer.from('x'))).grpcStatus, 0);
      assert.equal((await calm.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
      assert.ok(harness.told.endedConnections.length >= 40);
      assert.deepEqual([...new Set(harness.told.endedConnections)], ['share']);
    });

    it('does so over a unix socket, which has no addresses', async () => {
      const directory = await temporaryDirectory();
      kept.push(directory);
      const harness = await start({ address: { kind: 'unix', path: join(directory.path, 'grpc.sock') } });
      await silentPeers(harness, 60, clientPreface);
      assert.ok(harness.transport.load().connections <= 32);
      const fresh = await client(harness);
      assert.equal((await fresh.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
      assert.deepEqual([...new Set(harness.told.endedConnections)], ['full']);
    });

    it('counts TLS handshakes that are not done', async () => {
      const harness = await start({ tls: { key: server.key, cert: server.cert } });
      await silentPeers(harness, 60, NOTHING);
      assert.ok(harness.transport.load().connections <= 16);
      const fresh = await client(harness, { ca: authority.cert });
      assert.equal((await fresh.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
      assert.deepEqual(harness.told.refusedConnections, [], 'that they were sent away is told once');
    });

    it('sends nobody away on whose connection a call is worked on, and refuses more when that are all', async () => {
      const harness = await start({ connectionLimits: { ...limits, maxOfAddress: 3 } });
      const answers: Promise<RawAnswer>[] = [];
      const held: HeldCall[] = [];
      for (let n = 0; n < 3; n++) {
        answers.push((await client(harness)).call('/test.Test/Hold', NOTHING));
        held.push(await harness.nextHeld());
      }
      await assert.rejects(RawClient.connect(harness.address));
      for (const { answer } of held) answer(NOTHING);
      for (const answer of answers) assert.equal((await answer).grpcStatus, 0);
      const fresh = await client(harness);
      assert.equal((await fresh.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
      assert.ok(harness.told.endedConnections.includes('refused'));
    });

    it('lets a new caller in, however many begin a call and do not go on with it', async () => {
      const harness = await start();
      for (let n = 0; n < 20; n++) {
        const raw = await client(harness);
        raw.open('/test.Test/Echo').write(framed(Buffer.alloc(1000)).subarray(0, 500));
        await raw.ping();
      }
      assert.ok(harness.transport.load().connections <= 16);
      const fresh = await client(harness);
      assert.equal((await fresh.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
      assert.deepEqual([...new Set(harness.told.endedConnections)], ['share']);
    });

    it('ends who takes back every call before it is whole, as one who makes none', async () => {
      const harness = await start({ connectionLimits: { ...limits, unusedMs: 10 } });
      const calls = Array.from({ length: 50 }, (_, n) => {
        return Buffer.concat([
          grpcHead(2 * n + 1, '/test.Test/Echo'),
          frame(frameType.rstStream, 0, 2 * n + 1, uint32(errorCode.cancel)),
        ]);
      });
      const [peer] = await silentPeers(harness, 1, Buffer.concat([clientPreface, ...calls]));
      assert.ok(peer);
      if (!peer.closed) await once(peer, 'close');
      assert.deepEqual(harness.told.endedConnections, ['unused']);
    });

    it('bounds the watches of one connection over a unix socket, too', async () => {
      const directory = await temporaryDirectory();
      kept.push(directory);
      const harness = await start({ address: { kind: 'unix', path: join(directory.path, 'grpc.sock') } });
      const watch = async (raw: RawClient): Promise<void> => {
        const stream = raw.open('/grpc.health.v1.Health/Watch');
        stream.end(framed(NOTHING));
        await once(stream, 'data');
      };
      const raw = await client(harness);
      for (let n = 0; n < 4; n++) await watch(raw);
      const refused = await raw.call('/grpc.health.v1.Health/Watch', NOTHING);
      assert.deepEqual([refused.grpcStatus, refused.grpcMessage], [8, 'too many watches: use Health/Check']);
      await watch(await client(harness));
      assert.deepEqual([harness.transport.load().watches, harness.transport.load().refusedWatches], [5, 1]);
    });

    it('ends who makes no call, by GOAWAY, and leaves alone who watches', async () => {
      const harness = await start({ connectionLimits: { ...limits, unusedMs: 10, idleMs: 10 } });
      const watcher = await client(harness);
      const watch = watcher.open('/grpc.health.v1.Health/Watch');
      void readAnswer(watch);
      watch.end(framed(NOTHING));
      await once(watch, 'data');
      const unused = await client(harness);
      const goaway = once(unused.session, 'goaway');
      const closed = once(unused.session, 'close');
      assert.equal((await goaway)[0], constants.NGHTTP2_NO_ERROR);
      await closed;
      assert.deepEqual(harness.told.endedConnections, ['unused']);
      await watcher.ping();
      const gone = await poll('the connection to be gone', () =>
        Promise.resolve(harness.transport.load().connections === 1 ? true : null),
      );
      assert.equal(gone, true);
    });
  });
}
