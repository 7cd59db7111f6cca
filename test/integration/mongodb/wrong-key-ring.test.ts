import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CredentialDocument } from '../../../src/stores/mongodb/documents.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { poll } from '../../support/time/poll.ts';
import { ringText } from '../../support/keyring/test-key-ring.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';
import { startTestGateway } from './gateway-under-test.ts';

describe('a key ring that is not the one of the database', () => {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let ring = '';
  let right = '';
  before(async () => {
    folder = await temporaryDirectory();
    ring = join(folder.path, 'keyring.yaml');
    right = join(folder.path, 'right.yaml');
    for (const file of [ring, right]) await writeFile(file, ringText(7), { mode: 0o600 });
    for (const command of ['consumer create acme', 'credential issue --consumer acme --method hmac --id acme-hmac']) {
      const { code, err } = await run(command);
      assert.equal(code, 0, err);
    }
    await writeFile(ring, ringText(8));
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  async function run(command: string, keyring = ring): Promise<CommandResult> {
    const environment = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: keyring, POSTERN_ACTOR: 'ada' };
    return await runCli(command.split(' '), environment);
  }

  /** A consumer with a credential of either kind, sealed with the right key ring. */
  async function seed(id: string): Promise<void> {
    for (const command of [
      `consumer create ${id}`,
      `credential issue --consumer ${id} --method hmac --id ${id}-hmac`,
      `credential issue --consumer ${id} --method key --id ${id}-key`,
    ]) {
      const { code, err } = await run(command, right);
      assert.equal(code, 0, err);
    }
  }

  async function sealedParts(id: string): Promise<unknown> {
    const record = await database.db().collection<CredentialDocument>('credentials').findOne({ _id: id });
    return [record?.appSecret, record?.sealedAppKey];
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

  it('is not needed to stop anything, and no key ring is', async () => {
    for (const id of ['stopped', 'revoked', 'deleted']) await seed(id);
    const before = await sealedParts('revoked-hmac');
    for (const keyring of [ring, '', join(folder.path, 'no-such-ring.yaml')]) {
      for (const command of ['consumer disable stopped', 'consumer enable stopped', 'consumer disable stopped']) {
        const { code, err } = await run(command, keyring);
        assert.equal(code, 0, `${command}: ${err}`);
      }
    }
    assert.equal((await run('credential revoke revoked-key --yes', '')).code, 0);
    assert.equal((await run('credential revoke revoked-hmac --yes', ring)).code, 0);
    assert.equal((await run('consumer delete deleted --yes', '')).code, 0);
    // What was not opened is kept as it was sealed: with the right key ring it opens again.
    assert.deepEqual(await sealedParts('revoked-hmac'), before);
    const { out, err } = await run('credential show revoked-hmac --reveal', right);
    assert.match(out, /revoked/, err);
    assert.equal(await database.db().collection('credentials').countDocuments({ consumerId: 'deleted' }), 0);
  });

  it('lists an App Key that is kept as a secret, not as a hash', async () => {
    assert.match((await run('credential list --consumer stopped', '')).out, /stopped-key .*\(secret\)/);
    assert.doesNotMatch((await run('credential show stopped-key', '')).out, /hash only/);
    const audit = JSON.parse((await run('audit list --resource consumer/stopped --limit 1 -o json')).out) as object;
    assert.match(JSON.stringify(audit), /"before":\{[^}]*"enabled":true\},"after":\{[^}]*"enabled":false\}/);
  });

  it('reveals nothing, and says which key is missing', async () => {
    for (const command of ['credential show acme-hmac --reveal', 'export --with-secrets']) {
      const { code, err } = await run(command);
      assert.equal(code, 1);
      assert.match(err, /the key ring has no key "test-key-7"/);
    }
  });

  it('makes no gateway ready, which says why', async () => {
    await using tested = await startTestGateway(database.uri());
    await poll('the reason', async () => {
      const { status, text } = await tested.admin('/readyz');
      assert.equal(status, 503);
      return expected.test(text) ? true : null;
    });
  });

  describe('that is lost', () => {
    it('gives way to a new one: rotated and issued credentials need nothing of the former', async () => {
      await seed('lost');
      const before = await run('credential rotate lost-hmac --grace 7d');
      assert.equal(before.code, 1);
      assert.match(before.err, /when that ring is lost for good, "postern credential rotate ID --new-key-ring"/);
      const rotated = await run('credential rotate lost-hmac --grace 7d --new-key-ring');
      assert.equal(rotated.code, 0, rotated.err);
      assert.match(rotated.err, /the key ring does not open the former App Secret: it ends now, whatever the grace/);
      assert.match(rotated.out, /The former App Secret is refused from now on/);
      // From here on the ring is one of this database.
      assert.equal((await run('credential rotate lost-key --grace 7d --id lost-key-2')).code, 0);
      assert.equal((await run('credential issue --consumer lost --method hmac --id lost-new')).code, 0);
      for (const id of ['lost-hmac', 'lost-key-2', 'lost-new']) {
        const { code, err } = await run(`credential show ${id} --reveal`);
        assert.equal(code, 0, err);
      }
      const left = await run('keyring rewrap');
      assert.equal(left.code, 1);
      assert.match(left.err, /the key ring has no key "test-key-7"/);
    });

    it('is healed by a file that has the secrets', async () => {
      const file = join(folder.path, 'backup.yaml');
      assert.equal((await run(`export --with-secrets --consumer stopped --to ${file}`, right)).code, 0);
      const applied = await run(`apply -f ${file}`);
      assert.equal(applied.code, 0, applied.err);
      assert.match(applied.out, /~ credential stopped-hmac of consumer stopped\n {4}appSecret: \(changed\)/);
      assert.equal((await run('credential show stopped-hmac --reveal')).code, 0);
      assert.equal((await run('credential show stopped-key --reveal')).code, 0);
      assert.match((await run(`diff -f ${file}`)).out, /^No differences/);
    });
  });

  it('keeps a key that still seals secrets', async () => {
    const both = join(folder.path, 'both.yaml');
    await writeFile(both, await readFile(right));
    const rotated = await runCli(['keyring', 'rotate', both, '-o', 'json']);
    assert.equal(rotated.code, 0, rotated.err);
    const { code, out, err } = await run(`keyring remove ${both} test-key-7 --yes`);
    assert.equal(code, 4);
    assert.match(
      err,
      /^postern keyring remove: \d+ secrets of the store are still sealed with test-key-7: run "postern keyring rewrap" first\. Nothing was removed\n$/,
    );
    assert.equal(out, '');
    assert.match((await runCli(['keyring', 'show', both])).out, /test-key-7/);
    const unreachable = await run(`keyring remove ${both} test-key-7 --yes --store mongodb://127.0.0.1:1/postern`);
    assert.equal(unreachable.code, 5);
    assert.equal((await run(`keyring remove ${both} test-key-7 --yes --without-store`)).code, 0);
  });
});
