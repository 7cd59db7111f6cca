import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspectEnvoy } from '../../../../../src/cli/doctor/envoy/inspect-envoy.ts';
import { unknownLimits } from '../../../../../src/cli/doctor/own-limits.ts';
import { dumpOf } from '../../../../support/envoy/config-dump.ts';
import {
  connectionManager,
  type JsonObject,
  listAt,
  objectAt,
  readEnvoyConfig,
} from '../../../../support/envoy/envoy-config.ts';
import { temporaryDirectory } from '../../../../support/lifetime/temporary-directory.ts';
import { runCli } from '../../run-cli.ts';

/** What doctor says of envoy.yaml with these settings of its connection manager. */
function examine(
  settings: JsonObject,
  bindsTokens = true,
  edit: (manager: JsonObject) => void = () => undefined,
): string[] {
  const config = readEnvoyConfig();
  const manager = Object.assign(connectionManager(config), settings);
  edit(manager);
  return inspectEnvoy(dumpOf(config), { own: unknownLimits, live: null, bindsTokens })
    .filter(({ subject }) => subject === 'listener partners: bound access tokens')
    .map(({ level, message }) => `${level}: ${message}`);
}

const callersName = 'callers name the certificate that their access tokens are bound to';

describe('doctor on the header by which access tokens are bound to client certificates', () => {
  it('finds it right where Envoy alone writes it, and does not look where tokens are not bound', () => {
    assert.deepEqual(examine({ forward_client_cert_details: 'SANITIZE_SET' }), []);
    assert.deepEqual(examine({ forward_client_cert_details: 'FORWARD_ONLY' }, false), []);
  });

  for (const setting of ['FORWARD_ONLY', 'APPEND_FORWARD', 'ALWAYS_FORWARD_ONLY']) {
    it(`finds that callers can write it with ${setting}`, () => {
      const expected = [`fault: forward_client_cert_details is ${setting}: ${callersName}`];
      assert.deepEqual(examine({ forward_client_cert_details: setting }), expected);
    });
  }

  it('finds a matcher, which may choose another setting for a request', () => {
    const found = examine({ forward_client_cert_details: 'SANITIZE_SET', forward_client_cert_matcher: {} });
    assert.deepEqual(found, [`fault: forward_client_cert_matcher can let ${callersName}`]);
  });

  it('warns that no token is bound where Envoy takes it away', () => {
    const expected = [
      'warning: forward_client_cert_details is SANITIZE: no access token is bound to a client certificate',
    ];
    assert.deepEqual(examine({}), expected);
    assert.deepEqual(examine({ forward_client_cert_details: 'SANITIZE' }), expected);
  });

  it('says nothing of a listener whose routes lead to no OAuth2 endpoint', () => {
    const withoutTokens = (manager: JsonObject): void => {
      const host = objectAt(manager, 'route_config', 'virtual_hosts', 0);
      host['routes'] = listAt(host, 'routes').filter((route) => !JSON.stringify(route).includes('oauth'));
    };
    assert.deepEqual(examine({ forward_client_cert_details: 'FORWARD_ONLY' }, true, withoutTokens), []);
  });

  it('goes by the setting of the environment, beside a store and without one', async () => {
    await using folder = await temporaryDirectory();
    const [file, store] = [join(folder.path, 'envoy.json'), join(folder.path, 'postern.yaml')];
    const config = readEnvoyConfig();
    connectionManager(config)['forward_client_cert_details'] = 'FORWARD_ONLY';
    await writeFile(file, JSON.stringify(config));
    await writeFile(store, 'version: 1\n');
    const binds = { POSTERN_OAUTH2_CLIENT_CERTIFICATES: 'true' };
    for (const settings of [{}, { POSTERN_STORE: `file:${store}` }]) {
      const bound = await runCli(['doctor', '--envoy-file', file], { ...settings, ...binds });
      assert.deepEqual([bound.code, bound.out.includes(callersName)], [1, true], bound.out);
      const free = await runCli(['doctor', '--envoy-file', file], settings);
      assert.equal(free.out.includes(callersName), false, free.out);
    }
  });
});
