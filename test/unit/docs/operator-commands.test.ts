import assert from 'node:assert/strict';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { memoryCli } from '../cli/nouns/memory-cli.ts';
import { runCli } from '../cli/run-cli.ts';
import { commandsOfPage, withNewestRevision, writingInto } from './commands-of-page.ts';

describe('docs/commands.md', () => {
  const commands = commandsOfPage();

  it('has only commands that work, in the order in which they stand', async () => {
    const cli = await memoryCli();
    await using folder = await temporaryDirectory();
    const environment = {
      POSTERN_STORE: 'mongodb://127.0.0.1/postern',
      GLOBEX_SECRET: 'what globex has had since 2019',
      UNKNOWN_KEY: 'globex-2019',
    };
    for (const words of commands) {
      const known = words.includes('REVISION')
        ? withNewestRevision(words, await cli.done('audit', 'list', '-o', 'json'))
        : words;
      const { code, err } = await cli.run(writingInto(folder.path, known), { environment });
      assert.equal(code, 0, `postern ${words.join(' ')}: ${err}`);
    }
  });

  it('has every verb', async () => {
    const shown = new Set(commands.map(([noun, verb]) => `${String(noun)} ${String(verb)}`));
    for (const noun of ['endpoint', 'consumer', 'credential', 'grant', 'limit', 'plan', 'issuer', 'audit']) {
      const { out } = await runCli([noun, '--help']);
      const verbs = [...out.matchAll(/^ {2}([a-z]+) \[options\]/gm)].map(([, verb = '']) => verb);
      assert.ok(verbs.length > 0);
      for (const verb of verbs) assert.ok(shown.has(`${noun} ${verb}`), `${noun} ${verb}`);
    }
  });
});
