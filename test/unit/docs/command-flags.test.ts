import assert from 'node:assert/strict';
import { exitCodes } from '../../../src/cli/terminal.ts';
import { readDocument, readTable } from '../../support/docs/documents.ts';
import { runCli } from '../cli/run-cli.ts';

/** Those that are no verb of a noun: docs/commands.md has the others. */
const commands = [
  ...['serve', 'validate', 'config', 'apply', 'diff', 'export', 'sign', 'handover', 'explain', 'doctor'],
  ...['may', 'who-may', 'refusals', 'replicas', 'wait', 'usage', 'completion', 'demo'],
  ...['keyring create', 'keyring rotate', 'keyring remove', 'keyring rewrap', 'keyring show', 'import kong'],
];
const [, section = ''] = /\n## 5\. Commands\n([\s\S]*?)\n## /.exec(readDocument('docs/interfaces.md')) ?? [];
const named = (text: string): readonly string[] => [...text.matchAll(/--[a-z][a-z-]+/g)].map(([flag]) => flag);

async function flagsOf(command: string): Promise<readonly string[]> {
  const { code, out } = await runCli([...command.split(' '), '--help']);
  assert.equal(code, 0, command);
  return [...out.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag = '']) => flag).filter((f) => f !== '--help');
}

describe('the commands in docs/interfaces.md', () => {
  it('have a row each, with every flag of their own', async () => {
    const rows = readTable(section, 'Command').map(([command = '']) => command);
    const shared = readTable(section, 'Flag');
    for (const command of commands) {
      const [first = '', verb = ''] = command.split(' ');
      const row = rows.filter((text) => text.startsWith(`\`${first}`) && text.includes(verb)).join();
      assert.notEqual(row, '', command);
      const elsewhere = command === 'import kong' ? named(readDocument('docs/migrating-from-kong.md')) : [];
      const common = shared
        .filter(([, on = '']) => on === 'most commands' || on.includes(`\`${command}\``))
        .flatMap(([flag = '']) => named(flag));
      const missing = (await flagsOf(command)).filter(
        (flag) => ![...named(row), ...common, ...elsewhere].includes(flag),
      );
      assert.deepEqual(missing, [], command);
    }
  });

  it('have no flag that there is not', async () => {
    const known = new Set((await Promise.all(commands.map(flagsOf))).flat());
    assert.deepEqual(
      named(section).filter((flag) => !known.has(flag) && flag !== '--help'),
      [],
    );
  });

  it('end with the exit codes that the table explains', () => {
    const documented = readTable(section, 'Exit code').map(([code = '']) => Number(code));
    assert.deepEqual(documented, Object.values(exitCodes));
  });
});
