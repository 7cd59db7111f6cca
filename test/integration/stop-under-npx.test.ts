import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../support/docs/documents.ts';
import { temporaryDirectory } from '../support/lifetime/temporary-directory.ts';

describe('postern serve under npx', () => {
  it('stops when the shell is ended that its program is in', async () => {
    await using folder = await temporaryDirectory();
    const store = join(folder.path, 'postern.yaml');
    await writeFile(store, 'version: 1\nendpoints: [{ id: e, scenario: open, match: { paths: [{ prefix: / }] } }]\n');
    const anyPort = '127.0.0.1:0';
    // As npm does it: `postern` in a shell, which waits and gets the signal.
    const shell = spawn('sh', ['-c', '"$0" --import tsx src/main.ts serve & wait', process.execPath], {
      cwd: projectRoot,
      env: {
        ...{ PATH: process.env['PATH'], npm_command: 'exec', POSTERN_STORE: `file:${store}` },
        ...{ POSTERN_GRPC_ADDRESS: anyPort, POSTERN_HTTP_ADDRESS: anyPort, POSTERN_ADMIN_ADDRESS: anyPort },
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let log = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes('"message":"ready"')) shell.kill('SIGTERM');
    });
    // Its output ends with the last process that has it.
    await once(shell, 'close');
    assert.match(log, /"message":"stopped"/);
  }).timeout(60_000);
});
