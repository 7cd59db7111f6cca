import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { ringText } from '../../support/keyring/test-key-ring.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';

describe('a database that no Postern has been used with', () => {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  before(async () => {
    folder = await temporaryDirectory();
    await writeFile(join(folder.path, 'keyring.yaml'), ringText(1), { mode: 0o600 });
    await writeFile(join(folder.path, 'postern.yaml'), 'version: 1\nconsumers: [{ id: acme }]\n');
  });
  beforeEach(async () => {
    await database.db().dropDatabase();
  });
  after(() => folder[Symbol.asyncDispose]());

  const run = async (command: string): Promise<CommandResult> =>
    await runCli(command.split(' '), {
      POSTERN_STORE: database.uri(),
      POSTERN_KEYRING: join(folder.path, 'keyring.yaml'),
    });

  const needing = [
    ...['endpoint list', 'consumer list -o json', 'credential list', 'grant list', 'audit list', 'export'],
    ...['endpoint show orders', 'credential revoke acme-key --yes', 'consumer disable acme'],
    ...['sign GET http://127.0.0.1/orders --endpoint orders --secret-from env:PATH'],
  ];
  for (const command of needing) {
    it(`is named as such by ${command.split(' ', 2).join(' ')}, with what to do`, async () => {
      const { code, out, err } = await run(command);
      assert.deepEqual([code, out], [1, '']);
      const name = database.db().databaseName;
      assert.match(err, new RegExp(`^postern [a-z ]+: the database "${name}" is empty: no Postern has been used`));
      assert.match(err, /correct its name, or make the schema with `postern doctor --fix`, `postern apply` or a/);
    });
  }

  it('is begun by the commands that make something', async () => {
    for (const command of ['consumer create acme', 'endpoint create orders --path /orders --authentication key']) {
      await database.db().dropDatabase();
      const { code, err } = await run(command);
      assert.equal(code, 0, err);
    }
    await database.db().dropDatabase();
    const file = join(folder.path, 'postern.yaml');
    assert.equal((await run(`diff -f ${file}`)).code, 1);
    assert.match((await run(`apply -f ${file}`)).out, /acme/);
    assert.match((await run('consumer list')).out, /acme/);
  });

  it('has nothing to list once it has a schema', async () => {
    assert.equal((await run('doctor --fix')).code, 0);
    const { code, out, err } = await run('endpoint list');
    assert.deepEqual([code, out, err], [0, '', 'There is no such endpoint. "postern endpoint create" creates one.\n']);
  });
});
