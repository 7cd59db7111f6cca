import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Child, startChild } from '../../support/process/child-process.ts';
import { projectRoot } from '../../support/docs/documents.ts';
import { type Envoy, startEnvoy } from '../../support/envoy/envoy.ts';
import { cluster, objectAt } from '../../support/envoy/envoy-config.ts';
import { type ClusterDns, startClusterDns } from '../../support/kubernetes/cluster-dns.ts';
import { plainEnvoy, readPlainEnvoy } from '../../support/kubernetes/plain-envoy.ts';
import { freePort } from '../../../src/cli/programs/free-ports.ts';
import { poll } from '../../support/time/poll.ts';
import { type RecordingBackend, startBackend } from '../../support/stack/recording-backend.ts';
import { release } from '../../support/lifetime/release.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { startTraffic } from '../../support/load/traffic.ts';

const document = `
version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key }
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;
const request = { target: '/orders', headers: [['x-app-key', 'key-of-acme']] } as const;
/** Where a pod of the namespace postern looks for names, as its resolv.conf says. */
const searchDomains = 'postern.svc.cluster.local svc.cluster.local cluster.local';

describe('the pods of postern-headless, as the DNS of a cluster shows them to Envoy', function () {
  this.timeout(60_000);
  let directory: TemporaryDirectory;
  let dns: ClusterDns;
  let backend: RecordingBackend;
  let grpcPort: number;
  let httpPort: number;
  const pods = new Map<string, Child>();
  const former = { search: process.env['LOCALDOMAIN'], options: process.env['RES_OPTIONS'] };

  before(async () => {
    directory = await temporaryDirectory();
    await writeFile(join(directory.path, 'postern.yaml'), document);
    dns = await startClusterDns('postern-headless.postern.svc.cluster.local');
    backend = await startBackend();
    grpcPort = await freePort();
    httpPort = await freePort();
    process.env['LOCALDOMAIN'] = searchDomains;
    process.env['RES_OPTIONS'] = 'ndots:5';
  });
  after(async () => {
    restore('LOCALDOMAIN', former.search);
    restore('RES_OPTIONS', former.options);
    for (const pod of pods.values()) pod.signal('SIGKILL'); // a good end is not waited for any more
    await release(directory, dns, backend, ...pods.values());
  });

  /** Starts a pod and publishes it at once, ready or not, as publishNotReadyAddresses does. */
  async function startPod(address: string, settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const child = await startChild({
      command: process.execPath,
      args: [join(projectRoot, 'dist/main.js'), 'serve'],
      env: {
        POSTERN_STORE: `file:${join(directory.path, 'postern.yaml')}`,
        POSTERN_GRPC_ADDRESS: `${address}:${String(grpcPort)}`,
        POSTERN_HTTP_ADDRESS: `${address}:${String(httpPort)}`,
        POSTERN_ADMIN_ADDRESS: '127.0.0.1:0',
        ...settings,
      },
    });
    pods.set(address, child);
    dns.publish([...pods.keys()]);
  }

  /** SIGTERM after the preStop hook; a pod is in DNS until it has ended. */
  async function stopPod(address: string): Promise<void> {
    assert.deepEqual(await pods.get(address)?.stop(), { code: 0, signal: null });
    pods.delete(address);
    dns.publish([...pods.keys()]);
  }

  /** The Envoy of plain-envoy with its own names; only where it asks for them is different, and how often. */
  async function startOwnEnvoy(): Promise<Envoy> {
    return await startEnvoy({
      attachment: plainEnvoy,
      ports: { postern: grpcPort, posternHttp: httpPort, backend: backend.port },
      edit: (config) => {
        const resolver = { socket_address: { address: '127.0.0.1', port_value: dns.port } };
        for (const name of ['postern', 'postern-http']) {
          const steps = ['load_assignment', 'endpoints', 0, 'lb_endpoints', 0, 'endpoint', 'address'] as const;
          const committed = objectAt(cluster(readPlainEnvoy(), name), ...steps, 'socket_address')['address'] ?? null;
          objectAt(cluster(config, name), ...steps, 'socket_address')['address'] = committed;
          cluster(config, name)['dns_refresh_rate'] = '0.5s';
          cluster(config, name)['typed_dns_resolver_config'] = {
            name: 'envoy.network.dns_resolver.cares',
            typed_config: {
              '@type': 'type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig',
              resolvers: [resolver],
            },
          };
        }
      },
    });
  }

  it('are replaced one after the other, and one that is not ready gets nothing: no request fails', async () => {
    await startPod('127.0.0.2');
    await startPod('127.0.0.3');
    await using envoy = await startOwnEnvoy();
    const members = async (healthy: number, total: number): Promise<void> => {
      for (const name of ['postern', 'postern-http']) {
        await poll(`${String(healthy)} of ${String(total)} pods`, async () =>
          (await envoy.stat(`cluster.${name}.membership_healthy`)) === healthy &&
          (await envoy.stat(`cluster.${name}.membership_total`)) === total
            ? true
            : null,
        );
      }
    };
    await members(2, 2);
    await using traffic = await startTraffic(envoy.port, request);

    // One that cannot read its database is known to Envoy and gets nothing.
    const keyring = join(projectRoot, 'deploy/overlays/demo/keyring.yaml');
    const away = `mongodb://127.0.0.1:${String(await freePort())}/postern`;
    await startPod('127.0.0.9', { POSTERN_STORE: away, POSTERN_KEYRING: keyring });
    await members(2, 3);
    await pods
      .get('127.0.0.9')
      ?.line('stdout', (line) => (line.includes('listeners open when the database has been read') ? line : null));
    await traffic.more(200);
    await members(2, 3);
    await stopPod('127.0.0.9');
    await members(2, 2);

    for (const [successor, predecessor] of [
      ['127.0.0.4', '127.0.0.2'],
      ['127.0.0.5', '127.0.0.3'],
    ] as const) {
      await startPod(successor);
      await members(3, 3);
      await traffic.more(100);
      await stopPod(predecessor);
      await members(2, 2);
      await traffic.more(100);
    }
    assert.deepEqual([...traffic.outcomes.keys()], ['200'], JSON.stringify([...traffic.outcomes]));
  });
});

function restore(name: string, value: string | undefined): void {
  if (value === undefined) Reflect.deleteProperty(process.env, name);
  else process.env[name] = value;
}
