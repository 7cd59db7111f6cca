import assert from 'node:assert/strict';
import { exitCodes } from '../../../src/cli/terminal.ts';
import { readDocument, readTable } from '../../support/docs/documents.ts';
import { runCli } from '../cli/run-cli.ts';

const [, section = ''] = /\n## 5\. Commands\n([\s\S]*?)\n## /.exec(readDocument('docs/interfaces.md')) ?? [];
const [beforeExitCodes = ''] = section.split('\n| Exit code |', 1);

/** Commands whose verbs docs/commands.md shows, all of them. */
const nouns = ['endpoint', 'consumer', 'credential', 'grant', 'limit', 'plan', 'issuer', 'operator', 'audit'];

async function helpOf(command: string): Promise<string> {
  const { code, out } = await runCli([...command.split(' ').filter((word) => word !== ''), '--help']);
  assert.equal(code, 0, command);
  return out;
}

/** What is below a command, or at the top for ''; with its verbs where this page names them. */
async function commandsBelow(command: string): Promise<readonly string[]> {
  const names = [...(await helpOf(command)).matchAll(/^ {2}([a-z][a-z-]*) (?:\[|<| )/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help' && name !== 'postern');
  const found = await Promise.all(
    names.map(async (name) => {
      const whole = `${command} ${name}`.trim();
      if (nouns.includes(whole)) return [whole];
      const verbs = /^Commands:$/m.test(await helpOf(whole)) ? await commandsBelow(whole) : [];
      return verbs.length === 0 ? [whole] : verbs;
    }),
  );
  return found.flat();
}

async function optionsOf(command: string): Promise<readonly string[]> {
  return [...(await helpOf(command)).matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, option = '']) => option);
}

describe('the commands in docs/interfaces.md', () => {
  it('are those of the program', async () => {
    const named = [...beforeExitCodes.matchAll(/`([a-z][a-z-]*(?: [a-z]+)?)`/g)].map(([, name = '']) => name);
    const inProgram = await commandsBelow('');
    assert.ok(inProgram.length >= 25);
    assert.deepEqual(
      inProgram.filter((name) => !named.includes(name)),
      [],
    );
    const known = new Set([...inProgram, 'credential import']);
    assert.deepEqual(
      named.filter((name) => !known.has(name)),
      [],
    );
  });

  it('have the options that the page names', async () => {
    const known = (await Promise.all([...(await commandsBelow('')), 'credential import'].map(optionsOf))).flat();
    const named = [...section.matchAll(/--[a-z][a-z-]+/g)].map(([option]) => option);
    assert.deepEqual(
      named.filter((option) => !known.includes(option)),
      [],
    );
  });

  it('end with the exit codes that the table explains', () => {
    const documented = readTable(section, 'Exit code').map(([code = '']) => Number(code));
    assert.deepEqual(documented, Object.values(exitCodes));
  });
});
