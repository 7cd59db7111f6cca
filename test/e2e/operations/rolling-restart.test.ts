import assert from 'node:assert/strict';
import { cluster, type JsonObject, listAt } from '../../support/envoy/envoy-config.ts';
import { protocols, send } from '../../support/http/http-client.ts';
import { poll } from '../../support/time/poll.ts';
import { type PosternProcess, startPostern } from '../../support/stack/postern-process.ts';
import { assertRefusalHeaders, assertRefused } from '../../support/http/assert-refused.ts';
import { release } from '../../support/lifetime/release.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';
import { startTraffic } from '../../support/load/traffic.ts';

const document = `
version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key }
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;

const settings = { POSTERN_SHUTDOWN_GRACE_SECONDS: '8' } as const;
const request = { target: '/orders', headers: [['x-app-key', 'key-of-acme']] } as const;

/** Makes Envoy ask a second replica, too. */
function addReplica(config: JsonObject, port: number): void {
  const endpoints = listAt(cluster(config, 'postern'), 'load_assignment', 'endpoints', 0, 'lb_endpoints');
  endpoints.push({ endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: port } } } });
}

describe('two replicas of Postern behind Envoy', () => {
  let second: PosternProcess;
  let stack: Stack;
  before(async () => {
    second = await startPostern(document, settings);
    stack = await startStack(document, {
      settings,
      edit: (config) => {
        addReplica(config, second.grpcPort);
      },
    });
  });
  after(() => release(second, stack));

  async function healthy(count: number): Promise<void> {
    await poll(`${String(count)} healthy replicas`, async () =>
      (await stack.envoy.stat('cluster.postern.membership_healthy')) === count ? true : null,
    );
  }

  it('are restarted one after the other by SIGTERM, and no request fails', async () => {
    await healthy(2);
    await using traffic = await startTraffic(stack.envoy.port, request);
    await traffic.more(100);
    const stopped = stack.postern.stop();
    await poll('the replica that is stopping to say so', async () => {
      const readiness = await fetch(`http://127.0.0.1:${String(stack.postern.adminPort)}/readyz`);
      return readiness.status === 503 ? true : null;
    });
    assert.deepEqual(await stopped, { code: 0, signal: null });
    await traffic.more(100);
    await using again = await startPostern(document, {
      ...settings,
      POSTERN_GRPC_ADDRESS: `127.0.0.1:${String(stack.postern.grpcPort)}`,
    });
    await healthy(2);
    assert.deepEqual(await second.stop(), { code: 0, signal: null });
    await traffic.more(100);
    assert.deepEqual([...traffic.outcomes.keys()], ['200']);
    for (const replica of [stack.postern, second]) {
      const messages = replica.logs().map((line) => line['message']);
      assert.deepEqual(messages.slice(-2), ['stopping', 'stopped']);
    }
    assert.equal(again.logs().filter((line) => line['message'] === 'ready').length, 1);
    again.signal('SIGKILL'); // a good end is not waited for any more
  });

  it('leave a refusal by Envoy when both are gone, and nothing reaches the back end', async () => {
    const forwarded = stack.backend.requests.length;
    for (const protocol of protocols) {
      assertRefused(await send(protocol, stack.envoy.port, request), 'UNAVAILABLE');
      const head = await send(protocol, stack.envoy.port, { ...request, method: 'HEAD' });
      assertRefusalHeaders(head, 'UNAVAILABLE');
      assert.equal(head.body.length, 0);
    }
    assert.equal(stack.backend.requests.length, forwarded);
  });
});
