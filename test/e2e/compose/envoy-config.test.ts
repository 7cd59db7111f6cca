import assert from 'node:assert/strict';
import { join } from 'node:path';
import { startChild } from '../../support/process/child-process.ts';
import { projectRoot } from '../../support/docs/documents.ts';
import { envoyProgram } from '../../support/envoy/envoy.ts';

describe('deploy/compose/envoy.yaml', () => {
  it('is accepted by Envoy as it is', async () => {
    await using envoy = await startChild({
      command: await envoyProgram(),
      args: ['--mode', 'validate', '--config-path', join(projectRoot, 'deploy/compose/envoy.yaml')],
    });
    const { code } = await envoy.ended;
    assert.equal(code, 0, envoy.stderr());
  });
});
