import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { type Socket } from 'node:net';
import { AdminServer } from '../../../../src/gateway/serving/admin-server.ts';
import type { ConnectionLimits } from '../../../../src/wire/server/connection-table.ts';
import { httpLimits, HttpServer } from '../../../../src/gateway/serving/http-server.ts';
import type { ListenAddress } from '../../../../src/base/net/listen-address.ts';
import { makeCertificate } from '../../../support/grpc/certificate.ts';
import { openSilentPeers } from '../../../support/http/silent-peers.ts';
import { poll } from '../../../support/time/poll.ts';
import { release } from '../../../support/lifetime/release.ts';

const limits: ConnectionLimits = { maxConnections: 32, maxOfAddress: 16, unusedMs: 600_000, idleMs: 900_000 };
const authority = makeCertificate('Test CA');
const certified = makeCertificate('localhost', authority);

describe('connections of the listeners of HTTP/1.1', () => {
  const kept: AsyncDisposable[] = [];
  const ended: string[] = [];
  const connectionObserver = { connectionEnded: (end: string) => ended.push(end) };
  afterEach(async () => {
    ended.length = 0;
    await release(...kept.splice(0).reverse());
  });

  function portOf(address: ListenAddress): number {
    return address.kind === 'tcp' ? address.port : 0;
  }

  /** Peers that connect, say this much, and then nothing. */
  async function silentPeers(port: number, count: number, hello: string): Promise<Socket[]> {
    return await openSilentPeers({ port, host: '127.0.0.1' }, count, hello, (peer) => kept.push(peer));
  }

  async function statusOf(port: number, path: string): Promise<number | undefined> {
    return await new Promise((resolve, reject) => {
      const request = get({ port, host: '127.0.0.1', path, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      request.once('error', reject);
    });
  }

  async function startHttp(more: Partial<ConstructorParameters<typeof HttpServer>[0]> = {}): Promise<HttpServer> {
    const server = new HttpServer({
      address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
      limits: { ...httpLimits, ...limits },
      isTrustedAddress: () => false,
      service: () => Promise.resolve({ status: 200, headers: {}, body: '{}' }),
      connectionObserver,
      ...more,
    });
    kept.push(server);
    await server.start();
    return server;
  }

  it('the OAuth2 listener answers a new caller while silent peers, slow heads and slow bodies hold what they get', async () => {
    for (const hello of [
      '',
      'POST /oauth2/token HTTP/1.1\r\nhost: a\r\n',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\na',
    ]) {
      const server = await startHttp();
      const port = portOf(server.address());
      await silentPeers(port, 60, hello);
      assert.equal(await statusOf(port, '/readyz'), 200);
      assert.ok(server.connections <= 16, String(server.connections));
      assert.deepEqual([...new Set(ended)], ['share']);
    }
  });

  it('the OAuth2 listener keeps those who were answered, and whose request is worked on', async () => {
    let answer: (() => void) | undefined;
    const server = await startHttp({
      service: async ({ target }) => {
        if (target === '/wait') await new Promise<void>((resolve) => (answer = resolve));
        return { status: 200, headers: {}, body: '{}' };
      },
    });
    const port = portOf(server.address());
    const [calm, waiting] = await silentPeers(port, 2, '');
    assert.ok(calm !== undefined && waiting !== undefined);
    calm.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await once(calm, 'data');
    const waited = once(waiting, 'data');
    waiting.write('GET /wait HTTP/1.1\r\nhost: a\r\n\r\n');
    await silentPeers(port, 60, '');
    answer?.();
    assert.match(String((await waited)[0]), /^HTTP\/1.1 200/);
    calm.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    assert.match(String((await once(calm, 'data'))[0]), /^HTTP\/1.1 200/);
  });

  it('the OAuth2 listener counts TLS handshakes that are not done, and tells once that they were sent away', async () => {
    const refused: string[] = [];
    const server = await startHttp({
      tls: { key: certified.key, cert: certified.cert },
      onConnectionRefused: (reason) => refused.push(reason),
    });
    await silentPeers(portOf(server.address()), 60, '');
    await poll('all of them', () => Promise.resolve(ended.length >= 44 ? true : null));
    assert.ok(server.connections <= 16, String(server.connections));
    assert.deepEqual(refused, []);
  });

  it('the admin listener answers a probe while silent peers hold what they get', async () => {
    const admin = new AdminServer({
      findUnreadiness: () => null,
      findNotice: () => null,
      describeRevision: () => null,
      collectMetrics: () => Promise.resolve({ text: '', contentType: 'text/plain' }),
      connectionObserver,
    });
    kept.push(admin);
    await admin.start({ kind: 'tcp', host: '127.0.0.1', port: 0 });
    const port = portOf(admin.address());
    await silentPeers(port, 300, 'GET /livez HTTP/1.1\r\n');
    assert.equal(await statusOf(port, '/livez'), 200);
    assert.equal(await statusOf(port, '/readyz'), 200);
    assert.ok(admin.connections <= 64, String(admin.connections));
  });
});
