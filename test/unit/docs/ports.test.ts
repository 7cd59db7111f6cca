import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { settings } from '../../../src/gateway/config.ts';
import { envoyYamlPorts, replacePorts } from '../../../src/cli/programs/envoy-ports.ts';
import { projectRoot, readDocument } from '../../support/docs/documents.ts';

describe('docs/interfaces.md on how to change all ports', () => {
  const [, block = ''] =
    /To change all ports[^`]*(?:`[^`]+`[^`]*)*```sh\n([^]*?)```/.exec(readDocument('docs/interfaces.md')) ?? [];

  it('changes each port of envoy.yaml, and nothing else', () => {
    const [sed = ''] = block.split(' > envoy-ports.yaml');
    const written = execFileSync('sh', ['-c', sed], { cwd: projectRoot, encoding: 'utf8' });
    const raised = (port: number): number => port + 10_000;
    const ports = {
      ...{ envoy: raised(envoyYamlPorts.envoy), envoyAdmin: raised(envoyYamlPorts.envoyAdmin) },
      ...{ posternGrpc: raised(envoyYamlPorts.posternGrpc), posternHttp: raised(envoyYamlPorts.posternHttp) },
      backend: raised(envoyYamlPorts.backend),
    };
    assert.equal(written, replacePorts(readDocument('envoy.yaml'), ports));
  });

  it('sets every listener of Postern that has a port of its own', () => {
    const withPorts = Object.values(settings).filter(({ name, default: usual }) => {
      return (/_ADDRESS$/.test(name) && /:\d+$/.test(usual ?? '')) || name === 'POSTERN_PUBLIC_URL';
    });
    for (const { name, default: usual } of withPorts) {
      const port = String(Number(/:(\d+)$/.exec(String(usual))?.[1]) + 10_000);
      assert.match(block, new RegExp(`${name}=\\S*:${port}\\b`), name);
    }
    assert.equal(withPorts.length, 5);
  });
});
