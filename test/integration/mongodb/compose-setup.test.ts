import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild } from '../../support/process/child-process.ts';
import { projectRoot } from '../../support/docs/documents.ts';
import { startMongod } from '../../support/mongodb/mongod.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

describe('deploy/compose/setup.mjs', () => {
  it('makes a new MongoDB one that Postern serves from, and changes nothing when it runs again', async () => {
    await using mongod = await startMongod(['--replSet', 'rs0']);
    await using directory = await temporaryDirectory();
    const keyRing = join(directory.path, 'keyring.yaml');
    const run = async (): Promise<string> => {
      await using setup = await startChild({
        command: process.execPath,
        args: [join(projectRoot, 'deploy/compose/setup.mjs'), join(projectRoot, 'examples/demo/postern.yaml')],
        env: {
          POSTERN_STORE: `mongodb://${mongod.address}/postern?replicaSet=rs0`,
          POSTERN_KEYRING: keyRing,
          POSTERN_ACTOR: 'compose',
        },
        cwd: directory.path,
      });
      const { code } = await setup.ended;
      assert.equal(code, 0, setup.stdout() + setup.stderr());
      return setup.stdout();
    };
    const first = await run();
    assert.match(first, /\$ postern keyring create/);
    assert.match(first, /no faults/);
    assert.match(first, / created, 0 changed, 0 deleted, 0 unchanged/);
    assert.equal((await stat(keyRing)).mode & 0o777, 0o600);

    const second = await run();
    assert.doesNotMatch(second, /keyring create/);
    assert.match(second, /Nothing to change/);
  });
});
