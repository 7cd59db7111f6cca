import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../support/docs/documents.ts';

describe('npx in the folder of the project', function () {
  this.timeout(120_000);

  it('runs what was built, and does not build it again', async () => {
    const program = join(projectRoot, 'dist/main.js');
    const before = statSync(program).mtimeMs;
    const { stdout } = await promisify(execFile)('npx', ['--no', '--', 'postern', '--version'], { cwd: projectRoot });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    assert.equal(statSync(program).mtimeMs, before);
  });
});
