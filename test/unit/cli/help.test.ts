import assert from 'node:assert/strict';
import { runCli } from './run-cli.ts';

const nouns = ['endpoint', 'consumer', 'credential', 'grant', 'limit', 'plan', 'issuer', 'audit'];

/** The commands that a help text lists. */
async function listedIn(...path: readonly string[]): Promise<readonly string[]> {
  const { code, out, err } = await runCli([...path, '--help']);
  assert.deepEqual([code, err], [0, '']);
  return [...out.matchAll(/^ {2}([a-z]+)(?: \[options\]| <| {2})/gm)]
    .flatMap(([, name = '']) => name)
    .filter((name) => name !== 'help');
}

describe('the help of nouns and verbs', () => {
  it('has every noun with its verbs', async () => {
    const verbs = await Promise.all(nouns.map(async (noun) => `${noun}: ${(await listedIn(noun)).join(' ')}`));
    assert.deepEqual(verbs, [
      'endpoint: create edit list show enable disable delete',
      'consumer: create edit list show enable disable delete import',
      'credential: issue edit list show find rotate revoke import',
      'grant: add remove list',
      'limit: set clear',
      'plan: create set list show delete',
      'issuer: add set list show enable disable remove',
      'audit: list show revert',
    ]);
  });

  for (const noun of nouns) {
    it(`has an example of each verb of ${noun}, and its exit codes`, async () => {
      for (const verb of await listedIn(noun)) {
        const { out } = await runCli([noun, verb, '--help']);
        assert.match(out, new RegExp(`Examples?:\\n(?: {2}.*\\n)*? {2}\\$ postern ${noun} ${verb}\\b`), verb);
        assert.match(out, /Exit codes: 0 done/, verb);
        assert.match(out, /-o, --output/, verb);
        assert.match(out, /--store <location>/, verb);
        assert.match(out, /--timeout <span>/, verb);
      }
    });
  }

  it('is at most 80 columns wide for every command, wherever it goes', async () => {
    const seen: string[] = [];
    const look = async (path: readonly string[]): Promise<void> => {
      const { out } = await runCli([...path, '--help'], {}, { columns: 200 });
      seen.push(path.join(' '));
      for (const line of out.split('\n')) assert.ok(line.length <= 80, `${path.join(' ')}: ${line}`);
      const lists = out.split(/\n(?=\S)/).filter((block) => /^[A-Z][a-z ]*:\n/.test(block));
      const commands = lists.filter((block) => !/^(?:Options|Arguments|Examples?|Exit codes):/.test(block));
      const names = commands.flatMap((block) =>
        [...block.matchAll(/^ {2}([a-z][a-z-]*)(?=[ \n])/gm)].flatMap(([, name = '']) => name),
      );
      for (const name of path.length < 2 ? names : []) if (name !== 'help') await look([...path, name]);
    };
    await look([]);
    for (const command of ['apply', 'grant add', 'audit revert']) assert.ok(seen.includes(command), seen.join());
  });

  it('breaks examples as a shell takes them, and says first what they are for', async () => {
    const { out } = await runCli(['doctor', '--help']);
    assert.match(out, /\n {2}# before a deployment, such as in CI\n {2}\$ postern doctor --envoy-file envoy\.yaml\n/);
    const imported = await runCli(['credential', 'import', '--help']);
    assert.match(
      imported.out,
      /\n {2}\$ postern credential import [^\n]* \\\n {6}--app-key acme-2019 --secret-from env:ACME_SECRET\n/,
    );
  });

  it('is broken at words for a narrow terminal', async () => {
    const { out } = await runCli(['grant', 'add', '--help'], {}, { columns: 70 });
    for (const line of out.split('\n')) assert.ok(line.length <= 70, line);
    assert.match(
      out,
      /\nA grant for labels is one .*\n.* for a consumer,.*\n[^\n]* priority\.\nAn endpoint [^\n]*\n[^\n]*\n\nExamples:\n/,
    );
  });

  it('has a time limit for every other command that asks a server', async () => {
    for (const command of [
      'apply',
      'diff',
      'export',
      'doctor',
      'sign',
      'handover',
      'explain',
      'keyring rewrap',
      'keyring remove',
    ]) {
      const { out } = await runCli([...command.split(' '), '--help']);
      assert.match(out, /--timeout <span>/, command);
    }
    for (const wrong of ['0', '20', '500ms', '2h', 'soon']) {
      const { code, err } = await runCli(['consumer', 'list', '--timeout', wrong]);
      assert.equal(code, 2, wrong);
      assert.match(err, /It must be a span from 1s to 1h, such as 5s or 2m\./);
    }
  });

  it('is printed for a noun alone, with exit code 2', async () => {
    const { code, out, err } = await runCli(['grant']);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /^Usage: postern grant/);
  });

  it('suggests nouns, verbs and flags that may have been meant', async () => {
    for (const [command, meant] of [
      ['consumr list', 'consumer'],
      ['credential rotat a', 'rotate'],
      ['consumer list --lable a=b', '--label'],
      ['endpoint create a --athentication key', '--authentication'],
    ] as const) {
      const { code, err } = await runCli(command.split(' '));
      assert.equal(code, 2);
      assert.ok(err.includes(`(Did you mean ${meant}?)`), err);
    }
  });
});
