import assert from 'node:assert/strict';
import { type Chain, startChain } from '../../support/stack/chain.ts';
import {
  backendRoute,
  cluster,
  filterSettings,
  type JsonObject,
  listAt,
  objectAt,
} from '../../support/envoy/envoy-config.ts';
import { poll } from '../../support/time/poll.ts';
import { startBackend } from '../../support/stack/recording-backend.ts';
import { release } from '../../support/lifetime/release.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

/** What doctor says of a running Envoy, without what it says of the store. */
async function examine(edit?: (config: JsonObject) => void): Promise<readonly string[]> {
  const chain: Chain = await startChain(edit === undefined ? {} : { edit });
  try {
    const url = `http://127.0.0.1:${String(chain.envoy.adminPort)}`;
    const { out } = await runCli(['doctor', '--envoy', url], { POSTERN_STORE: 'file:examples/demo/postern.yaml' });
    return out.split('\n').filter((line) => /^. (listener|cluster|Envoy)/.test(line));
  } finally {
    await release(chain);
  }
}

describe('postern doctor on a running Envoy', () => {
  it('finds nothing wrong with the committed configuration', async () => {
    assert.deepEqual(await examine(), [
      '✓ listener partners: asks Postern about every request, and lets nothing pass that was not decided',
    ]);
  });

  it('finds a route around everything', async () => {
    const found = await examine((config) => {
      const off = { '@type': 'type.googleapis.com/envoy.config.route.v3.FilterConfig', disabled: true };
      backendRoute(config)['typed_per_filter_config'] = { 'envoy.filters.http.ext_authz': off, 'postern.guard': off };
    });
    assert.equal(found.length, 1);
    assert.match(found.join(), /^✗ listener partners: route apis: prefix \/: ext_authz and the guard are switched off/);
  });

  it('says why every request gets 503, when Postern is stopped', async () => {
    await using chain = await startChain();
    await chain.check[Symbol.asyncDispose]();
    const found = await untilFault(chain);
    const port = String(chain.check.port);
    assert.equal(
      found,
      `✗ cluster postern: every request gets 503: 127.0.0.1:${port} fails its health check: nothing answers there in this protocol`,
    );
  });

  it('says why every request gets 503, when the port is that of something else', async () => {
    await using backend = await startBackend();
    await using chain = await startChain({
      edit: (config) => {
        const wrong = structuredClone(cluster(config, 'postern'));
        const endpoint = ['load_assignment', 'endpoints', 0, 'lb_endpoints', 0, 'endpoint', 'address'] as const;
        objectAt(wrong, ...endpoint, 'socket_address')['port_value'] = backend.port;
        wrong['name'] = 'wrong';
        listAt(config, 'static_resources', 'clusters').push(wrong);
        const service = objectAt(filterSettings(config, 'envoy.filters.http.ext_authz'), 'grpc_service');
        objectAt(service, 'envoy_grpc')['cluster_name'] = 'wrong';
      },
    });
    const found = await untilFault(chain);
    assert.match(found, /^✗ cluster wrong: every request gets 503: 127\.0\.0\.1:\d+ fails its health check: /);
  });
});

/** The first fault that doctor finds, once Envoy has noticed. */
async function untilFault({ envoy }: Chain): Promise<string> {
  return await poll('a fault', async () => {
    const url = `http://127.0.0.1:${String(envoy.adminPort)}`;
    const { out } = await runCli(['doctor', '--envoy', url], { POSTERN_STORE: 'file:examples/demo/postern.yaml' });
    return out.split('\n').find((line) => line.startsWith('✗')) ?? null;
  });
}
