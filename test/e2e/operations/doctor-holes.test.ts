import assert from 'node:assert/strict';
import { connectionManager, httpFilters, type JsonObject } from '../../support/envoy/envoy-config.ts';
import { http1 } from '../../support/http/http1-client.ts';
import { useChain } from '../../support/stack/chain.ts';
import { deny } from '../../support/stack/check-answers.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

/** One hole of each kind, each of its own request. */
function open(config: JsonObject): void {
  connectionManager(config)['upgrade_configs'] = [
    { upgrade_type: 'websocket', filters: httpFilters(config).slice(-1) },
  ];
}

describe('what doctor calls a fault', () => {
  const chain = useChain({ edit: open });

  async function assertFault(pattern: RegExp): Promise<void> {
    const url = `http://127.0.0.1:${String(chain.envoy.adminPort)}`;
    const { code, out } = await runCli(['doctor', '--envoy', url], {
      POSTERN_STORE: 'file:examples/demo/postern.yaml',
    });
    assert.equal(code, 1);
    assert.match(out, pattern);
  }

  it('lets a WebSocket reach the back end without a decision', async () => {
    chain.check.answer = () => deny(401);
    const headers = [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
    ] as const;
    assert.equal((await http1(chain.envoy.port)).status, 401);
    assert.equal((await http1(chain.envoy.port, { headers })).status, 200);
    assert.equal(chain.backend.requests.length, 1);
    await assertFault(/^✗ listener partners: upgrades: the filters of upgrades to websocket leave ext_authz and/m);
  });
});
