import assert from 'node:assert/strict';
import { runCli } from './run-cli.ts';

/** Colours, a title for the window, and a change of direction. */
const hostile = 'a\u001b[31m\u001b]0;b\u0007\u202ec';
const url = 'http://a.example/';
const store = 'file:examples/demo/postern.yaml';
const secretFrom = ['--secret-from', `env:${hostile}`];

describe('arguments and settings that hold control characters', () => {
  const cases: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>?])[] = [
    ['a command', [hostile]],
    ['an option', ['validate', '-f', 'a', `--${hostile}`]],
    ['the name of a file', ['validate', '-f', `${hostile}.yaml`]],
    ['an id', ['limit', 'set', '--endpoint', hostile, '5/minute']],
    ['the name of a secret', ['sign', 'GET', url, '--endpoint', 'orders', '--store', store, ...secretFrom]],
    ['a store', ['sign', 'GET', url, '--endpoint', 'a', '--store', `file:${hostile}`, ...secretFrom]],
    ['a key ring', ['keyring', 'show', hostile]],
    ["Envoy's address", ['doctor', '--envoy', hostile]],
    ['a setting', ['config'], { POSTERN_GRPC_ADDRESS: hostile }],
    ['the name of a setting', ['serve'], { [`POSTERN_${hostile}`]: '1' }],
    ['the store that serves', ['serve', '--store', `file:${hostile}`]],
  ];
  for (const [what, args, environment] of cases) {
    it(`change nothing on the terminal when ${what} is repeated in an error`, async () => {
      const { code, out, err } = await runCli(args, { ...environment });
      assert.notEqual(code, 0);
      assert.ok(`${out}${err}`.includes('[31m'), 'the error no longer repeats the argument');
      assert.doesNotMatch(`${out}${err}`, /[\u001b\u0007\u202e]/);
    });
  }
});
