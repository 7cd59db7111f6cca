import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cluster, type JsonObject } from '../../support/envoy/envoy-config.ts';
import { protocols, send } from '../../support/http/http-client.ts';
import { poll } from '../../support/time/poll.ts';
import { assertRefused } from '../../support/http/assert-refused.ts';
import { release } from '../../support/lifetime/release.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

const document = `
version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key }
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;

/** Leads a cluster to a Unix socket instead, and leaves everything else as it is in envoy.yaml. */
function usePipe(config: JsonObject, name: string, path: string): void {
  const changed = cluster(config, name);
  const former = JSON.parse(JSON.stringify(changed)) as JsonObject;
  changed['type'] = 'STATIC';
  changed['load_assignment'] = {
    cluster_name: name,
    endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path } } } }] }],
  };
  // The test support gives a port to the cluster of this name; nobody asks this one.
  changed['name'] = `${name}-unix`;
  (config['static_resources'] as { clusters: JsonObject[] }).clusters.push({ ...former, health_checks: [] });
}

/** Turns every mention of a cluster into one of its copy on a Unix socket. */
function renameClusters(config: JsonObject): JsonObject {
  const text = JSON.stringify(config['static_resources']).replaceAll(
    /"(cluster|cluster_name)":"(postern|postern-http)"/g,
    '"$1":"$2-unix"',
  );
  return JSON.parse(text) as JsonObject;
}

describe('Postern beside Envoy, on Unix sockets', () => {
  let directory: TemporaryDirectory;
  let stack: Stack;
  const path = (name: string): string => join(directory.path, name);
  before(async () => {
    directory = await temporaryDirectory();
    stack = await startStack(document, {
      settings: {
        POSTERN_GRPC_ADDRESS: `unix:${path('grpc.sock')}`,
        POSTERN_HTTP_ADDRESS: `unix:${path('http.sock')}`,
      },
      edit: (config) => {
        usePipe(config, 'postern', path('grpc.sock'));
        usePipe(config, 'postern-http', path('http.sock'));
        const clusters = (config['static_resources'] as { clusters: JsonObject[] }).clusters;
        const renamed = renameClusters(config) as { clusters: JsonObject[] };
        config['static_resources'] = { ...renamed, clusters };
      },
    });
  });
  after(() => release(directory, stack));

  it('answers health checks, checks and the requests of OAuth2 clients', async () => {
    for (const name of ['postern-unix', 'postern-http-unix']) {
      await poll(`${name} to be healthy`, async () => {
        const isHealthy = (await stack.envoy.stat(`cluster.${name}.membership_healthy`)) === 1;
        const isChecked = (await stack.envoy.stat(`cluster.${name}.health_check.success`)) > 0;
        return isHealthy && isChecked ? true : null;
      });
    }
    for (const protocol of protocols) {
      const allowed = await send(protocol, stack.envoy.port, { target: '/orders?appKey=key-of-acme' });
      assert.equal(allowed.status, 200);
      assertRefused(await send(protocol, stack.envoy.port, { target: '/orders' }), 'CREDENTIALS_MISSING');
      const metadata = await send(protocol, stack.envoy.port, { target: '/.well-known/oauth-authorization-server' });
      assert.equal(metadata.status, 200);
    }
  });

  it('lets its own user and group connect, and nobody else', async () => {
    for (const name of ['grpc.sock', 'http.sock']) assert.equal((await stat(path(name))).mode & 0o777, 0o660, name);
  });

  it('removes the sockets when it stops, and nothing is forwarded then', async () => {
    const forwarded = stack.backend.requests.length;
    assert.deepEqual(await stack.postern.stop(), { code: 0, signal: null });
    for (const name of ['grpc.sock', 'http.sock']) await assert.rejects(stat(path(name)), { code: 'ENOENT' });
    assertRefused(await send('HTTP/1.1', stack.envoy.port, { target: '/orders?appKey=key-of-acme' }), 'UNAVAILABLE');
    assert.equal(stack.backend.requests.length, forwarded);
  });
});
