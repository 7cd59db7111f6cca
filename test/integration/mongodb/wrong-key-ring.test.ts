import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { poll } from '../../support/poll.ts';
import { ringText } from '../../support/ring-text.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';
import { startTestGateway } from './gateway-under-test.ts';

describe('a key ring that is not the one of the database', () => {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let ring = '';
  before(async () => {
    folder = await temporaryDirectory();
    ring = join(folder.path, 'keyring.yaml');
    await writeFile(ring, ringText(7), { mode: 0o600 });
    for (const command of ['consumer create acme', 'credential issue --consumer acme --method hmac --id acme-hmac']) {
      const { code, err } = await run(command);
      assert.equal(code, 0, err);
    }
    await writeFile(ring, ringText(8));
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  async function run(command: string): Promise<CommandResult> {
    const environment = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: ring, POSTERN_ACTOR: 'ada' };
    return await runCli(command.split(' '), environment);
  }

  const expected =
    /the key ring is not the one of the database "test-[0-9a-f]+": its secrets are sealed with test-key-7/;

  it('seals nothing there', async () => {
    const { code, out, err } = await run('credential issue --consumer acme --method hmac --id other');
    assert.equal(code, 1);
    assert.match(err, expected);
    assert.doesNotMatch(out, /App Secret/);
    assert.equal(await database.db().collection('credentials').countDocuments(), 1);
  });

  it('takes changes that seal nothing', async () => {
    assert.equal((await run('consumer create globex')).code, 0);
  });

  it('makes no gateway ready, which says why', async () => {
    await using tested = await startTestGateway(database.uri());
    await poll('the reason', async () => {
      const { status, text } = await tested.admin('/readyz');
      assert.equal(status, 503);
      return expected.test(text) ? true : null;
    });
    assert.equal(await tested.check({ path: '/orders' }), '503 STORE_UNAVAILABLE');
  });
});
