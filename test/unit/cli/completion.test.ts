import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { memoryCli } from './nouns/memory-cli.ts';
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

  it('is given the ids that begin so, in their order', async () => {
    const cli = await memoryCli();
    for (const id of ['acme', 'acme-2', 'ab', 'globex']) await cli.done('consumer', 'create', id);
    assert.equal(await cli.done('complete-ids', 'consumer', 'acme'), 'acme\nacme-2\n');
    assert.equal(await cli.done('complete-ids', 'consumer', 'a'), 'ab\nacme\nacme-2\n');
    assert.equal(await cli.done('complete-ids', 'consumer'), 'ab\nacme\nacme-2\nglobex\n');
    assert.equal(await cli.done('complete-ids', 'endpoint', 'a'), '');
    assert.equal((await cli.run(['complete-ids', 'secret'])).code, 2);
    assert.doesNotMatch((await cli.run(['--help'])).out, /complete-ids/);
  });

  it('completes in bash what is typed', async () => {
    const script = await scriptFor('bash');
    // Stands for the command, which lists ids: those that a store would have, for each kind that it is asked for.
    const postern = `postern() { [[ $1 == complete-ids ]] && printf '%s\\n' "$2-1" "$2-2"; }`;
    const complete = (...words: readonly string[]): readonly string[] => {
      const quoted = words.map((word) => `'${word}'`).join(' ');
      const ask = `${postern}\n${script}\nCOMP_WORDS=(postern ${quoted}); COMP_CWORD=${String(words.length)}; _postern; printf '%s\\n' "\${COMPREPLY[@]}"`;
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
        ['certificate', 'hmac', 'http-message-signature', 'jwt', 'key', 'oauth2', 'parameter-signature'],
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
      [
        ['credential', 'list', '--consumer', ''],
        ['consumer-1', 'consumer-2'],
      ],
      [['credential', 'list', '--limit', ''], ['']],
      [
        ['may', 'c'],
        ['consumer-1', 'consumer-2'],
      ],
      [
        ['may', 'acme', 'e'],
        ['endpoint-1', 'endpoint-2'],
      ],
      [['may', '--store', 'elsewhere', '-o', 'json', 'acme', 'endpoint-2'], ['endpoint-2']],
      [['may', 'acme', 'orders', 'x'], ['']],
      [
        ['who-may', 'e'],
        ['endpoint-1', 'endpoint-2'],
      ],
      [
        ['credential', 'show', 'c'],
        ['credential-1', 'credential-2'],
      ],
      [['consumer', 'create', 'c'], ['']],
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
