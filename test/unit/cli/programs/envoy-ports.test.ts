import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { envoyYamlPorts, replacePorts } from '../../../../src/cli/programs/envoy-ports.ts';
import { packageFiles } from '../../../../src/cli/programs/servers.ts';

const envoyYaml = readFileSync(packageFiles.envoyYaml, 'utf8');
const others = { envoy: 20000, envoyAdmin: 20001, posternGrpc: 20002, posternHttp: 20003, backend: 20004 };

describe('replacing the ports of envoy.yaml', () => {
  it('changes them and nothing else', () => {
    const text = replacePorts(envoyYaml, others);
    assert.ok(typeof text === 'string');
    const ports = [...text.matchAll(/port_value: (\d+)/g)].map(([, port]) => Number(port));
    assert.deepEqual(ports, [20001, 20000, 20002, 20003, 20004]);
    const blank = (yaml: string): string => yaml.replaceAll(/port_value: \d+/g, 'port_value: *');
    assert.equal(blank(text), blank(envoyYaml));
    assert.equal(replacePorts(envoyYaml, envoyYamlPorts), envoyYaml);
  });

  it('takes JSON too', () => {
    const json = JSON.stringify(Object.values(envoyYamlPorts).map((port) => ({ port_value: port })));
    assert.equal(
      replacePorts(json, others),
      JSON.stringify(Object.values(others).map((port) => ({ port_value: port }))),
    );
  });

  it('names the ports that a configuration does not have', () => {
    const changed = envoyYaml.replace('port_value: 8080', 'port_value: 3000');
    assert.deepEqual(replacePorts(changed, others), { missing: [8080] });
  });
});
