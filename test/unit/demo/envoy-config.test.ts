import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DemoFailure } from '../../../src/demo/demo-failure.ts';
import { defaultDemoPorts } from '../../../src/demo/demo-ports.ts';
import { envoyConfigArguments, replacePorts } from '../../../src/demo/envoy-config.ts';
import { packageFiles } from '../../../src/programs/servers.ts';

const envoyYaml = readFileSync(packageFiles.envoyYaml, 'utf8');
const others = {
  envoy: 20000,
  envoyAdmin: 20001,
  posternGrpc: 20002,
  posternHttp: 20003,
  posternAdmin: 20004,
  backend: 20005,
};

describe('the Envoy of the demo', () => {
  it('runs the committed file as it is on the default ports', async () => {
    assert.deepEqual(await envoyConfigArguments(defaultDemoPorts), ['--config-path', packageFiles.envoyYaml]);
  });

  it('runs the same text with other ports, and nothing else changed', async () => {
    const [flag, text] = await envoyConfigArguments(others);
    assert.equal(flag, '--config-yaml');
    const ports = [...(text ?? '').matchAll(/port_value: (\d+)/g)].map(([, port]) => Number(port));
    assert.deepEqual(ports, [20001, 20000, 20002, 20003, 20005]);
    const blank = (yaml = ''): string => yaml.replaceAll(/port_value: \d+/g, 'port_value: *');
    assert.equal(blank(text), blank(envoyYaml));
  });

  it('refuses a configuration that has other ports of its own', () => {
    const changed = envoyYaml.replace('port_value: 8080', 'port_value: 3000');
    assert.throws(
      () => replacePorts(changed, others),
      (error) => error instanceof DemoFailure && error.message.includes('no longer has the port 8080'),
    );
  });
});
