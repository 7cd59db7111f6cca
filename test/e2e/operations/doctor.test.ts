import assert from 'node:assert/strict';
import { type Chain, startChain } from '../../support/chain.ts';
import { backendRoute, type JsonObject } from '../../support/envoy-config.ts';
import { release } from '../../support/release.ts';
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
});
