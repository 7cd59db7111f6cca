import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { runCli } from './run-cli.ts';

function has(shell: string): boolean {
  return spawnSync(shell, ['--version']).error === undefined;
}

async function scriptFor(shell: string): Promise<string> {
  const { code, out, err } = await runCli(['completion', shell]);
  assert.deepEqual([code, err], [0, '']);
  return out;
}

describe('postern completion', () => {
  it('knows nouns, verbs, flags and their choices in every shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const script = await scriptFor(shell);
      for (const word of ['credential', 'rotate', 'access-condition', 'authenticated-and-authorized', 'completion']) {
        assert.ok(script.includes(word), `${shell}: ${word}`);
      }
    }
    const { code, err } = await runCli(['completion', 'bsh']);
    assert.equal(code, 2);
    assert.match(err, /Allowed choices are bash, zsh, fish/);
  });

  it('is a script that each shell can read', async () => {
    const known = ['bash', 'zsh', 'fish'].filter(has);
    assert.ok(known.includes('bash'), 'this test needs bash');
    for (const shell of known) execFileSync(shell, ['-n'], { input: await scriptFor(shell) });
  });

  it('completes in bash what is typed', async () => {
    const script = await scriptFor('bash');
    const complete = (...words: readonly string[]): readonly string[] => {
      const quoted = words.map((word) => `'${word}'`).join(' ');
      const ask = `${script}\nCOMP_WORDS=(postern ${quoted}); COMP_CWORD=${String(words.length)}; _postern; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['--norc', '-c', ask]).toString().trim().split('\n').sort();
    };
    const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
      [['cred'], ['credential']],
      [['con'], ['config', 'consumer']],
      [
        ['credential', 'r'],
        ['revoke', 'rotate'],
      ],
      [
        ['grant', ''],
        ['--help', '-h', 'add', 'list', 'remove'],
      ],
      [
        ['credential', 'issue', '--consumer', 'acme', '--method', ''],
        ['hmac', 'key', 'oauth2', 'parameter-signature'],
      ],
      [['credential', 'issue', '--me'], ['--method']],
      [['endpoint', 'create', 'orders', '--access'], ['--access-condition']],
      [['endpoint', 'create', 'orders', '--access-condition', 'authenticated-'], ['authenticated-and-authorized']],
      [['endpoint', 'list', '-o', 'j'], ['json']],
      [
        ['handover', '--language', 'ja'],
        ['java', 'javascript'],
      ],
      [['handover', '--cred'], ['--credential']],
      [['endpoint', 'edit', '--description', 'list', '--un'], ['--unset']],
      [['credential', 'list', '--consumer', ''], ['']],
      [
        ['completion', ''],
        ['--help', '-h', 'bash', 'fish', 'zsh'],
      ],
      [['nonsense', 'is', ''], complete('')],
    ];
    for (const [words, expected] of cases) assert.deepEqual(complete(...words), [...expected].sort(), words.join(' '));
    assert.ok(complete('').includes('endpoint'));
  });
});
