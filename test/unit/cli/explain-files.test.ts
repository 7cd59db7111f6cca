import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type CommandResult, runCli } from './run-cli.ts';

const lone = ['--method', 'hmac', '--secret-from', 'env:SECRET'];
const KEPT_APART = 'what only the file holds';
/** The most that a request's text may have, and a little more. */
const TOO_LONG = 1024 * 1024 + 1;

describe('the files that postern explain reads', () => {
  let folder: TemporaryDirectory;
  let named: string;
  let fifo: string;
  before(async () => {
    folder = await temporaryDirectory();
    named = join(folder.path, 'order.json');
    fifo = join(folder.path, 'fifo');
    writeFileSync(named, `${KEPT_APART}\n`);
    execFileSync('mkfifo', [fifo]);
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  const explain = async (text: string, ...args: readonly string[]): Promise<CommandResult> => {
    const file = join(folder.path, 'request.txt');
    writeFileSync(file, text);
    return runCli(['explain', file, ...lone, ...args], { SECRET: 's' });
  };

  const ways = [
    ...['-d', '--data', '--data-ascii', '--data-binary', '--json', '--url-query', '--data-urlencode'].map(
      (option) => `${option} @FILE`,
    ),
    ...['--data-urlencode name@FILE', '--url-query name@FILE', '-T FILE', '--upload-file FILE', '-dx=1 -d@FILE'],
    ...['-F a=@FILE', '-F a=<FILE', '-K FILE', '--config FILE', '-H @FILE', '--header @FILE', '-b FILE', '-n'],
    ...['--url @FILE', '--variable a@FILE --expand-data {{a}}', '--netrc-file FILE', '--etag-compare FILE'],
  ];
  for (const way of ways) {
    it(`reads nothing that the request names: ${way}`, async () => {
      const { code, out, err } = await explain(
        `curl http://a/x '${way.replaceAll(' ', "' '").replaceAll('FILE', named)}'`,
      );
      assert.notEqual(code, 0);
      assert.doesNotMatch(out + err, new RegExp(KEPT_APART));
      // What was not read is told.
      assert.match(out + err, /files?\b|invents each time|variables|netrc/);
    });
  }

  it('says which body is missing', async () => {
    const { code, out, err } = await explain(`curl -d @${named} http://a/x`);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /takes its body from the file \S+order\.json, which is not read: --body FILE names it\n$/);
  });

  it('takes the body of --body, as curl would take it from the file that the command names', async () => {
    const { code, err, out } = await explain(`curl -d @elsewhere.json http://a/x`, '--body', named, '-o', 'json');
    assert.deepEqual([code, err], [1, '']);
    assert.match(out, /"verdict": "wrong"/);
  });

  for (const [what, text, message] of [
    ['a body in the command', 'curl -d a=1 http://a/x', /takes no body from a file, so --body has no use/],
    ['several files', 'curl -d @a -d @b http://a/x', /takes its body from several files/],
    ['a body in raw HTTP', 'POST / HTTP/1.1\nHost: a\n\n{}', /holds a body already, so --body has no use/],
    ['a body in a HAR', '{"method":"POST","url":"http://a/","postData":{"text":"x"}}', /holds a body already/],
  ] as const) {
    it(`does not ignore --body beside ${what}`, async () => {
      const { code, err } = await explain(text, '--body', named);
      assert.equal(code, 2);
      assert.match(err, message);
    });
  }

  for (const [what, args] of [
    ['the request', ['FILE', ...lone]],
    ['the body', ['REQUEST', ...lone, '--body', 'FILE']],
    ['the secret', ['REQUEST', '--method', 'hmac', '--secret-from', 'file:FILE']],
  ] as const) {
    it(`refuses devices, FIFOs and folders as the file of ${what}`, async () => {
      const request = join(folder.path, 'request.txt');
      writeFileSync(request, args.some((each) => each === '--body') ? 'curl -d @x http://a/x' : 'curl http://a/x');
      for (const file of ['/dev/zero', '/dev/tty', fifo, folder.path]) {
        const given = args.map((each) => each.replace('FILE', file).replace('REQUEST', request));
        const { code, out, err } = await runCli(['explain', ...given], { SECRET: 's' });
        assert.deepEqual([code, out], [2, '']);
        assert.match(err, file === '/dev/tty' ? /cannot be read/ : /is no regular file; - reads standard input/);
      }
    });
  }

  it('takes at most 1 MiB of request', async () => {
    const { code, err } = await explain('x'.repeat(TOO_LONG));
    assert.equal(code, 2);
    assert.match(err, /it has more than 1048576 bytes/);
  });

  it('reads one thing from standard input', async () => {
    for (const args of [
      ['-', '--method', 'hmac', '--secret-from', '-'],
      ['-', ...lone, '--body', '-'],
      ['x', '--method', 'hmac', '--secret-from', '-', '--body', '-'],
    ]) {
      const { code, err } = await runCli(['explain', ...args], { SECRET: 's' });
      assert.equal(code, 2);
      assert.match(err, /would both be read from standard input/);
    }
  });
});
