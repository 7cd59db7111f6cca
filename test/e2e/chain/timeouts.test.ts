import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { parse } from 'yaml';
import { readDocument, readFences } from '../../support/docs/documents.ts';
import {
  backendRoute,
  cluster,
  connectionManager,
  httpFilters,
  type JsonObject,
  listAt,
  objectAt,
  readEnvoyConfig,
  routes,
} from '../../support/envoy/envoy-config.ts';
import { encodeHttp1, http1, Http1Connection } from '../../support/http/http1-client.ts';
import { useChain } from '../../support/stack/chain.ts';
import { useStarted } from '../../support/lifetime/use-started.ts';

const BUFFER = 'envoy.filters.http.buffer';

/** What docs/envoy.md shows: routes, what allows an upgrade, and the route for it. */
const [shownRoutes = '', shownUpgrades = '', shownSocket = ''] = readFences(readDocument('docs/envoy.md'), 'yaml');
const read = (text: string): JsonObject[] => JSON.parse(JSON.stringify(parse(text))) as JsonObject[];
const routeFor = (text: string, prefix: string): JsonObject => {
  const found = read(text).find((route) => objectAt(route, 'match')['prefix'] === prefix);
  if (found === undefined) throw new Error(`docs/envoy.md shows no route for ${prefix}`);
  return found;
};

/** A back end that is silent until it is told to go on, and goes on in another protocol when it is asked. */
interface SilentBackend extends AsyncDisposable {
  readonly port: number;
  /** Ends the answers to every request for a stream. */
  readonly goOn: () => void;
}

async function startSilentBackend(): Promise<SilentBackend> {
  const sockets = new Set<Socket>();
  const streams = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let isUpgraded = false;
    socket.on('data', (head) => {
      if (isUpgraded) {
        socket.write(head);
        return;
      }
      const text = head.toString('latin1');
      if (/^upgrade: made-up/im.test(text)) {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: made-up\r\n\r\n');
        isUpgraded = true;
      } else if (text.startsWith('GET /stream')) {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\none');
        streams.add(socket);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    goOn: () => {
      for (const socket of streams) socket.write('!\n');
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('timeouts of Envoy', () => {
  const backend = useStarted(startSilentBackend);
  const chain = useChain({
    edit: (config) => {
      // As committed, but so that a test need not wait for them.
      Object.assign(connectionManager(config), { request_timeout: '0.2s', stream_idle_timeout: '0.4s' });
      const silent = structuredClone(cluster(config, 'backend'));
      silent['name'] = 'silent';
      const address = ['load_assignment', 'endpoints', 0, 'lb_endpoints', 0, 'endpoint', 'address', 'socket_address'];
      objectAt(silent, ...address)['port_value'] = backend.port;
      listAt(config, 'static_resources', 'clusters').push(silent);
      const socket = read(shownSocket);
      const upgrades = read(shownUpgrades.replace('websocket', 'made-up')) as unknown as {
        upgrade_configs: JsonObject[];
      };
      const [upgrade] = upgrades.upgrade_configs;
      assert.ok(upgrade !== undefined && socket[0] !== undefined);
      upgrade['filters'] = httpFilters(config).filter((filter) => objectAt(filter)['name'] !== BUFFER);
      connectionManager(config)['upgrade_configs'] = [upgrade];
      objectAt(socket[0], 'route', 'upgrade_configs', 0)['upgrade_type'] = 'made-up';
      const ordinary = backendRoute(config);
      const silentRoutes = [
        routeFor(shownRoutes, '/stream'),
        socket[0],
        { ...structuredClone(ordinary), match: { prefix: '/idle' } },
        { ...structuredClone(ordinary), match: { prefix: '/late' }, route: { timeout: '0.1s' } },
      ];
      for (const route of silentRoutes) objectAt(route, 'route')['cluster'] = 'silent';
      routes(config).unshift(...silentRoutes);
    },
  });

  /** Waits for longer than `stream_idle_timeout`: until Envoy cuts another request for it. */
  async function silence(): Promise<void> {
    const answer = await http1(chain.envoy.port, { target: '/idle' });
    assert.equal(answer.status, 504);
  }

  it('cut a request whose back end is silent, with 504', silence);

  it('cut an answer that takes too long, with 504', async () => {
    assert.equal((await http1(chain.envoy.port, { target: '/late' })).status, 504);
  });

  it('cut a request that is not whole in time, with 408', async () => {
    await using connection = await Http1Connection.open(chain.envoy.port);
    connection.write(encodeHttp1({ method: 'POST', body: 'not whole' }).subarray(0, -1));
    assert.equal((await connection.answer('POST')).status, 408);
  });

  it('do not cut a silent stream on the streaming route that docs/envoy.md shows', async () => {
    await using connection = await Http1Connection.open(chain.envoy.port);
    connection.write(encodeHttp1({ target: '/stream' }));
    const answer = connection.answer();
    await silence();
    await silence();
    backend.goOn();
    const { status, body } = await answer;
    assert.deepEqual([status, body.toString()], [200, 'one!\n']);
  });

  it('do not cut an upgrade of any type as docs/envoy.md shows it, which Postern is asked about at once', async () => {
    const socket = connect({ port: chain.envoy.port, host: '127.0.0.1' });
    await once(socket, 'connect');
    try {
      const headers = [['Connection', 'Upgrade'] as const, ['Upgrade', 'made-up'] as const];
      socket.write(encodeHttp1({ target: '/socket', headers }));
      let text = '';
      socket.on('data', (data: Buffer) => (text += data.toString('latin1')));
      const closed = once(socket, 'close').then(() => {
        throw new Error(`closed after ${text}`);
      });
      const until = async (pattern: RegExp): Promise<void> => {
        while (!pattern.test(text)) await Promise.race([once(socket, 'data'), closed]);
      };
      await until(/^HTTP\/1\.1 101 .*\r\n\r\n/s);
      assert.equal(chain.check.checks.length, 1);
      await silence();
      socket.write('hello');
      await until(/hello$/);
      closed.catch(() => undefined);
    } finally {
      socket.destroy();
    }
  });

  it('leave an upgrade off that no route allows', async () => {
    const headers = [['Connection', 'Upgrade'] as const, ['Upgrade', 'made-up'] as const];
    assert.equal((await http1(chain.envoy.port, { target: '/orders', headers })).status, 403);
  });

  it('give a body of 10 MiB time at 256 kbit/s', () => {
    const seconds = Number.parseFloat(JSON.stringify(connectionManager(readEnvoyConfig())['request_timeout']).slice(1));
    assert.ok((10 * 1024 * 1024 * 8) / 256_000 < seconds, `${String(seconds)} s`);
  });

  it('are off for whole answers on every route that docs/envoy.md shows for streams', () => {
    for (const route of [routeFor(shownRoutes, '/stream'), routeFor(shownSocket, '/socket')]) {
      assert.deepEqual(
        [objectAt(route, 'route')['timeout'], objectAt(route, 'route')['idle_timeout']],
        ['0s', '3600s'],
      );
    }
  });
});
