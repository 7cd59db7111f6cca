import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { type ClientRequest } from '../../../../src/check/signing/client-request.ts';
import { curlCommand } from '../../../../src/check/signing/curl-command.ts';

const origin = 'http://127.0.0.1:10000';
const get: ClientRequest = {
  method: 'GET',
  path: '/orders?appKey=k&x=a%2Fb&&y',
  authority: '127.0.0.1:10000',
  headers: [],
  body: Buffer.alloc(0),
};
/** curl neither resolves dot segments nor reads braces and brackets as patterns. */
const exact = ['--path-as-is', '--globoff'];

/** What a shell makes of the command: the arguments of curl, with `@-` replaced by its standard input. */
function argumentsOf(request: ClientRequest): string[] {
  const show = `curl() { for each in "$@"; do if [ "$each" = @- ]; then cat; else printf %s "$each"; fi; printf '\\0'; done; }`;
  const shown = execFileSync('sh', ['-c', `${show}; ${curlCommand(request, origin)}`], { encoding: 'utf8' });
  return shown.split('\0').slice(0, -1);
}

describe('a request as a curl command', () => {
  it('is one line for a plain GET', () => {
    assert.equal(
      curlCommand(get, origin),
      "curl -i -sS -X GET --path-as-is --globoff 'http://127.0.0.1:10000/orders?appKey=k&x=a%2Fb&&y'",
    );
  });

  it('carries method, headers and body through the shell unchanged', () => {
    const body = `{"it's":"$HOME \`date\` \\\\ å"}\n`;
    const request: ClientRequest = {
      ...get,
      method: 'POST',
      headers: [['X-Note', `it's "$1"`]],
      body: Buffer.from(body),
    };
    assert.deepEqual(argumentsOf(request), [
      ...['-i', '-sS', '-X', 'POST', ...exact, 'http://127.0.0.1:10000/orders?appKey=k&x=a%2Fb&&y'],
      ...['-H', `X-Note: it's "$1"`, '--data-binary', body],
    ]);
  });

  it('keeps curl from changing the path', () => {
    for (const path of ['/a/../b', '/a?b={c,d}[1-2]']) {
      assert.deepEqual(argumentsOf({ ...get, path }).slice(4), [...exact, origin + path]);
    }
  });

  it('does not read a file when a body begins with @', () => {
    const request: ClientRequest = { ...get, method: 'POST', body: Buffer.from('@/etc/hostname') };
    assert.deepEqual(argumentsOf(request).slice(-2), ['--data-binary', '@/etc/hostname']);
  });
});
