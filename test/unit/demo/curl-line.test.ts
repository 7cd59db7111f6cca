import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { curlLine } from '../../../src/demo/exchange.ts';
import { type ClientRequest } from '../../../src/signing/client-request.ts';

const get: ClientRequest = {
  method: 'GET',
  path: '/orders?appKey=k&x=a%2Fb&&y',
  authority: '127.0.0.1:10000',
  headers: [],
  body: Buffer.alloc(0),
};

/** What a shell makes of the line. */
function argumentsOf(line: string): string[] {
  const show = `curl() { for argument in "$@"; do printf '%s\\0' "$argument"; done; }; ${line}`;
  return execFileSync('sh', ['-c', show], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

describe('curl lines', () => {
  it('are short for a plain GET', () => {
    assert.equal(curlLine(get), "curl -i 'http://127.0.0.1:10000/orders?appKey=k&x=a%2Fb&&y'");
  });

  it('carry method, headers and body through the shell unchanged', () => {
    const body = `{"it's":"$HOME \`date\` \\\\ å"}\n`;
    const line = curlLine({ ...get, method: 'POST', headers: [['X-Note', `it's "$1"`]], body: Buffer.from(body) });
    assert.deepEqual(argumentsOf(line), [
      ...['-i', '-X', 'POST', '-H', `X-Note: it's "$1"`, '--data-binary', body],
      'http://127.0.0.1:10000/orders?appKey=k&x=a%2Fb&&y',
    ]);
  });

  it('keep curl from changing the path', () => {
    assert.deepEqual(argumentsOf(curlLine({ ...get, path: '/a/../b' })).slice(0, 2), ['-i', '--path-as-is']);
    assert.deepEqual(argumentsOf(curlLine({ ...get, path: '/a?b={c,d}[1-2]' })).slice(0, 2), ['-i', '--globoff']);
  });

  it('do not read a file when a body begins with @', () => {
    const line = curlLine({ ...get, method: 'POST', body: Buffer.from('@/etc/hostname') });
    assert.deepEqual(argumentsOf(line).slice(3, 5), ['--data-raw', '@/etc/hostname']);
  });
});
