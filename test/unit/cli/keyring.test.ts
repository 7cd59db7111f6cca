import assert from 'node:assert/strict';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyRing } from '../../../src/model/keyring/key-ring.ts';
import { loadKeyRing } from '../../../src/model/keyring/read-key-ring.ts';
import { Secret } from '../../../src/model/secret.ts';
import { ringText } from '../../support/keyring/test-key-ring.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type CommandResult, type Given, runCli } from './run-cli.ts';

describe('postern keyring', () => {
  let folder: TemporaryDirectory;
  let file = '';
  beforeEach(async () => {
    folder = await temporaryDirectory();
    file = join(folder.path, 'ring.yaml');
  });
  afterEach(async () => {
    await folder[Symbol.asyncDispose]();
  });

  /** Runs a command; the folder is taken out of what it printed, and no key of the ring is in it. */
  async function keyring(args: readonly string[], environment = {}, given: Given = {}): Promise<CommandResult> {
    const { code, out, err } = await runCli(['keyring', ...args], environment, given);
    for (const name of await readdir(folder.path)) {
      const text = await readFile(join(folder.path, name), 'utf8');
      for (const [, key = ''] of text.matchAll(/key: (\S{44})$/gm)) {
        assert.ok(!`${out}${err}`.includes(key.slice(0, 8)), 'prints a key');
      }
    }
    const short = (text: string): string => text.replaceAll(`${folder.path}/`, '');
    return { code, out: short(out), err: short(err) };
  }

  async function open(): Promise<KeyRing> {
    return new KeyRing((await loadKeyRing({ kind: 'file', path: file }, {})).content);
  }

  describe('create', () => {
    it('makes a ring that only its owner can read, and prints no key', async () => {
      const { code, out, err } = await keyring(['create', file]);
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, /^ring\.yaml: created, with the key k\d{8}-[0-9a-f]{6}\nKeep a copy apart from the backups/);
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      const ring = await open();
      assert.ok(out.includes(ring.currentKeyId));
      const acme = { credentialId: 'acme', what: 'app-secret' } as const;
      assert.equal(
        ring
          .open(ring.seal(Secret.fromText('a'), acme), acme)
          .reveal()
          .toString(),
        'a',
      );
    });

    it('takes the place from POSTERN_KEYRING', async () => {
      assert.equal((await keyring(['create'], { POSTERN_KEYRING: file })).code, 0);
      assert.equal((await open()).keyIds.length, 1);
    });

    it('never replaces a file', async () => {
      await writeFile(file, 'former');
      for (const options of [[], ['--dry-run']]) {
        const { code, out, err } = await keyring(['create', file, ...options]);
        assert.deepEqual([code, out], [4, '']);
        assert.match(err, /^postern keyring create: ring\.yaml is there already and is not replaced; .*rotate/);
      }
      assert.equal(await readFile(file, 'utf8'), 'former');
    });

    it('makes nothing in a dry run', async () => {
      const { code, out } = await keyring(['create', file, '--dry-run', '-o', 'json']);
      assert.equal(code, 0);
      assert.deepEqual(JSON.parse(out), { file: 'ring.yaml', change: 'created', keyId: null, dryRun: true, keys: [] });
      assert.deepEqual(await readdir(folder.path), []);
    });

    it('says what it needs', async () => {
      const none = await keyring(['create']);
      assert.deepEqual([none.code, none.out], [2, '']);
      assert.match(none.err, /name the file of the key ring, or set POSTERN_KEYRING/);
      const variable = await keyring(['create'], { POSTERN_KEYRING: 'env:KEY_RING' });
      assert.equal(variable.code, 2);
      assert.match(variable.err, /env:KEY_RING is not a file that a command can change/);
      const nowhere = await keyring(['create', join(folder.path, 'nowhere/ring.yaml')]);
      assert.equal(nowhere.code, 1);
      assert.match(nowhere.err, /cannot be written \(ENOENT\)/);
    });
  });

  describe('rotate', () => {
    beforeEach(async () => {
      await writeFile(file, ringText(1), { mode: 0o600 });
    });

    it('adds a key, makes it current and keeps the former one', async () => {
      const { code, out } = await keyring(['rotate', file]);
      assert.equal(code, 0);
      const ring = await open();
      assert.deepEqual(ring.keyIds, ['test-key-1', ring.currentKeyId]);
      assert.notEqual(ring.currentKeyId, 'test-key-1');
      assert.equal(
        out,
        `ring.yaml: ${ring.currentKeyId} was added and is current instead of test-key-1\n` +
          'Next: bring the file to every replica, run "postern keyring rewrap", then remove the former key.\n',
      );
      assert.deepEqual(await readdir(folder.path), ['ring.yaml']);
    });

    it('goes in two steps', async () => {
      const staged = await keyring(['rotate', file, '--stage', '-o', 'json']);
      const { keyId, change } = JSON.parse(staged.out) as { keyId: string; change: string };
      assert.deepEqual([staged.code, change], [0, 'staged']);
      const between = await open();
      assert.deepEqual([between.currentKeyId, between.stagedKeyId], ['test-key-1', keyId]);
      for (const options of [['--stage'], []]) {
        const again = await keyring(['rotate', file, ...options]);
        assert.equal(again.code, 4);
        assert.match(again.err, new RegExp(`the key ${keyId} is staged already`));
      }
      const promoted = await keyring(['rotate', file, '--promote']);
      assert.equal(promoted.code, 0);
      assert.match(promoted.out, new RegExp(`^ring\\.yaml: ${keyId} is current instead of test-key-1\n`));
      const after = await open();
      assert.deepEqual([after.currentKeyId, after.stagedKeyId], [keyId, null]);
      const nothing = await keyring(['rotate', file, '--promote']);
      assert.equal(nothing.code, 4);
      assert.match(nothing.err, /no key is staged/);
    });

    it('keeps the mode of the file', async () => {
      await chmod(file, 0o440);
      assert.equal((await keyring(['rotate', file])).code, 0);
      assert.equal((await stat(file)).mode & 0o777, 0o440);
    });

    it('changes nothing in a dry run', async () => {
      const before = await readFile(file, 'utf8');
      const { code, out } = await keyring(['rotate', file, '--dry-run']);
      assert.deepEqual(
        [code, out],
        [0, 'ring.yaml: a new key would be added and become current instead of test-key-1\n'],
      );
      assert.equal((await keyring(['rotate', file, '--stage', '--dry-run'])).code, 0);
      assert.equal(await readFile(file, 'utf8'), before);
    });

    it('lets only one of two rotations at once through', async () => {
      const results = await Promise.all([1, 2, 3].map(async () => await keyring(['rotate', file])));
      const done = results.filter(({ code }) => code === 0).length;
      assert.ok(done >= 1);
      for (const { code, err } of results) if (code !== 0) assert.match(`${String(code)} ${err}`, /^4 .*being changed/);
      assert.equal((await open()).keyIds.length, 1 + done);
    });

    it('refuses a ring that is wrong, with every problem, and one that is not there', async () => {
      await writeFile(file, 'version: 2\ncurrent: A\n');
      const wrong = await keyring(['rotate', file]);
      assert.deepEqual([wrong.code, wrong.out], [1, '']);
      assert.equal(wrong.err.match(/^ring\.yaml:\d+:\d+: /gm)?.length, 3);
      const missing = await keyring(['rotate', join(folder.path, 'other.yaml')]);
      assert.equal(missing.code, 3);
      assert.match(missing.err, /^other\.yaml:1:1: the file cannot be read \(ENOENT\)\n"postern keyring create FILE"/);
      assert.equal((await keyring(['rotate', file, '--stage', '--promote'])).code, 2);
    });
  });

  describe('remove', () => {
    beforeEach(async () => {
      await writeFile(file, ringText(1, 2), { mode: 0o600 });
    });

    it('asks, with what it means', async () => {
      const questions: string[] = [];
      const answering = (answer: string): Given => ({
        ask: async (question) => {
          questions.push(question);
          return await Promise.resolve(answer);
        },
      });
      const no = await keyring(['remove', file, 'test-key-1', '--without-store'], {}, answering(''));
      assert.deepEqual([no.code, no.out, no.err], [1, '', 'nothing was removed\n']);
      assert.equal((await open()).keyIds.length, 2);
      assert.match(
        questions.join(),
        /Backups and access tokens that were made with this key can never be opened or verified/,
      );
      const yes = await keyring(['remove', file, 'test-key-1', '--without-store'], {}, answering('y'));
      assert.deepEqual([yes.code, yes.out], [0, 'ring.yaml: test-key-1 was removed\n']);
      assert.deepEqual((await open()).keyIds, ['test-key-2']);
    });

    it('needs --yes without a terminal', async () => {
      const refused = await keyring(['remove', file, 'test-key-1', '--without-store']);
      assert.equal(refused.code, 2);
      assert.match(refused.err, /add --yes/);
      assert.equal(
        (await keyring(['remove', 'test-key-1', '--yes', '--without-store'], { POSTERN_KEYRING: file })).code,
        0,
      );
      assert.deepEqual((await open()).keyIds, ['test-key-2']);
    });

    it('refuses the current key, before it asks', async () => {
      const { code, err } = await keyring(['remove', file, 'test-key-2']);
      assert.equal(code, 4);
      assert.match(err, /test-key-2 is the current key; rotate first/);
    });

    it('names the key that may have been meant', async () => {
      const { code, err } = await keyring(['remove', file, 'test-kye-1', '--yes']);
      assert.equal(code, 3);
      assert.match(err, /no key of this id; did you mean test-key-1\?/);
    });

    it('needs a store to look at, or to hear that there is none', async () => {
      for (const flags of [['--yes'], ['--dry-run']]) {
        const { code, out, err } = await keyring(['remove', file, 'test-key-1', ...flags]);
        assert.deepEqual([code, out], [2, '']);
        assert.equal(
          err,
          'postern keyring remove: name the store whose secrets the key may have sealed: --store, or POSTERN_STORE; --without-store removes the key without a look at one\n',
        );
      }
      assert.equal((await open()).keyIds.length, 2);
      const declarative = await keyring(['remove', file, 'test-key-1', '--yes', '--store', 'file:postern.yaml']);
      assert.equal(declarative.code, 0);
    });

    it('removes nothing in a dry run', async () => {
      const { code, out } = await keyring(['remove', file, 'test-key-1', '--dry-run', '--without-store']);
      assert.deepEqual([code, out], [0, 'ring.yaml: test-key-1 would be removed\n']);
      assert.equal((await open()).keyIds.length, 2);
    });
  });

  describe('show', () => {
    beforeEach(async () => {
      await writeFile(file, ringText(1, 2), { mode: 0o600 });
    });

    it('lists ids, ages and states', async () => {
      const { code, out, err } = await keyring(['show', file]);
      assert.deepEqual([code, err], [0, '']);
      assert.match(
        out,
        /^KEY +STATE +AGE +CREATED\ntest-key-1 +former +\d+ \w+ +2026-01-01T00:00:00Z\ntest-key-2 +current /,
      );
    });

    it('gives scripts JSON and YAML', async () => {
      const { out } = await keyring(['show', '-o', 'json'], { POSTERN_KEYRING: file });
      const shown = JSON.parse(out) as { file: string; keys: Record<string, unknown>[] };
      assert.equal(shown.file, 'ring.yaml');
      assert.deepEqual(
        shown.keys.map(({ id, state, createdAt, ageSeconds, ...rest }) => [
          id,
          state,
          createdAt,
          typeof ageSeconds,
          rest,
        ]),
        [
          ['test-key-1', 'former', '2026-01-01T00:00:00Z', 'number', {}],
          ['test-key-2', 'current', '2026-01-02T00:00:00Z', 'number', {}],
        ],
      );
      assert.match(
        (await keyring(['show', file, '-o', 'yaml'])).out,
        /^file: ring\.yaml\nkeys:\n {2}- id: test-key-1\n/,
      );
    });

    it('warns of a file that others can read, and shows it', async () => {
      await chmod(file, 0o644);
      const { code, err } = await keyring(['show', file]);
      assert.equal(code, 0);
      assert.match(err, /^warning: ring\.yaml: others than its owner have access to this key ring \(mode 0644\)/);
    });

    it('shows the ring of an environment variable', async () => {
      const { code, out } = await keyring(['show'], { POSTERN_KEYRING: 'env:KEY_RING', KEY_RING: ringText(5) });
      assert.equal(code, 0);
      assert.match(out, /test-key-5 +current/);
      const missing = await keyring(['show', 'env:OTHER']);
      assert.equal(missing.code, 3);
      assert.match(missing.err, /env:OTHER:1:1: this environment variable is not set/);
    });
  });

  it('has an example in the help of each command', async () => {
    for (const command of ['create', 'rotate', 'remove', 'show']) {
      const { code, out } = await keyring([command, '--help']);
      assert.equal(code, 0);
      assert.match(out, new RegExp(`Examples:\\n {2}\\$ (POSTERN_KEYRING=\\S+ )?postern keyring ${command} `));
      assert.match(out, /Exit codes: 0 /);
    }
    assert.equal((await keyring(['rotat', file])).code, 2);
  });
});
