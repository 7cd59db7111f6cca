import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DemoFailure } from '../../../../src/cli/demo/demo-failure.ts';
import { defaultDemoPorts } from '../../../../src/cli/demo/demo-ports.ts';
import { envoyConfig } from '../../../../src/cli/demo/demo-stack.ts';
import { packageFiles } from '../../../../src/cli/programs/servers.ts';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

describe('the Envoy of the demo', () => {
  it('runs the committed configuration', async () => {
    assert.equal(await envoyConfig(defaultDemoPorts), await readFile(packageFiles.envoyYaml, 'utf8'));
  });

  it('refuses a configuration that has other ports of its own', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'envoy.yaml');
    const changed = (await readFile(packageFiles.envoyYaml, 'utf8')).replace('port_value: 8080', 'port_value: 3000');
    await writeFile(path, changed);
    await assert.rejects(
      envoyConfig(defaultDemoPorts, path),
      (error) => error instanceof DemoFailure && error.message.includes('no longer has the port 8080'),
    );
  });
});
