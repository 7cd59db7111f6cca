import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectRoot } from '../support/docs/documents.ts';

describe('the package postern-explain', () => {
  it('works from an empty folder, and explains the commonest mistakes and the documented ones', async () => {
    const child = spawn(join(projectRoot, 'clients/explain/run'), ['test'], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    assert.equal(child.exitCode, 0, out + err);
    const [, passed] = /(\d+) passed\n$/.exec(out) ?? assert.fail(out);
    assert.ok(Number(passed) >= 30, out);
  });
});
