import assert from 'node:assert/strict';
import { runCli } from './run-cli.ts';

describe('postern', () => {
  it('lists its commands, and each has an example in its help', async () => {
    const { code, out } = await runCli(['--help']);
    assert.equal(code, 0);
    const commands = [...out.matchAll(/^ {2}([a-z]+) (?:\[options\] )?/gm)].flatMap(([, name = '']) => name);
    for (const known of ['serve', 'validate', 'config', 'demo', 'sign', 'explain'])
      assert.ok(commands.includes(known), known);
    for (const command of commands.filter((name) => name !== 'help')) {
      const help = await runCli([command, '--help']);
      assert.deepEqual([help.code, help.err], [0, '']);
      assert.match(help.out, /Examples?:\n(?: {2}#.*\n)? {2}\$ /, command);
      assert.match(help.out, new RegExp(`postern ${command}\\b`));
    }
  });

  it('names the command that may have been meant', async () => {
    const { code, out, err } = await runCli(['explian']);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /unknown command 'explian'\n\(Did you mean explain\?\)/);
    const option = await runCli([
      'sign',
      'GET',
      'http://a/',
      '--secret-from',
      'env:A',
      '--endpoint',
      'x',
      '--hedaer',
      'x',
    ]);
    assert.equal(option.code, 2);
    assert.match(option.err, /Did you mean --header\?/);
  });

  it('shows what was mistyped without what would move the cursor', async () => {
    const { code, err } = await runCli(['\u001b[31mx\u0007\u009b2J']);
    assert.equal(code, 2);
    assert.match(err, /unknown command/);
    assert.doesNotMatch(err, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  it('prints its version', async () => {
    const { code, out } = await runCli(['--version']);
    assert.equal(code, 0);
    assert.match(out, /^\d+\.\d+\.\d+\n$/);
  });
});
