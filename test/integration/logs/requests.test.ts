import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startChild } from '../../support/process/child-process.ts';
import { readConsole } from '../../support/docs/console-fence.ts';
import { projectRoot, readDocument, readFences } from '../../support/docs/documents.ts';
import { RawClient } from '../../support/grpc/raw-client.ts';
import { checkRequest, type HeaderLine, type RequestParts } from '../../support/pipeline/check-request.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { type PosternSettings, startPostern } from '../../support/stack/postern-process.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

const document = `
version: 1
endpoints:
  - { id: keyed, scenario: partner-openapi, match: { paths: [{ prefix: /keyed }] }, authentication: key }
  - { id: signed, scenario: partner-openapi, match: { paths: [{ prefix: /signed }] }, authentication: hmac }
  - { id: parameters, scenario: partner-openapi, match: { paths: [{ prefix: /parameters }] }, authentication: parameter-signature }
  - { id: bearer, scenario: partner-openapi, match: { paths: [{ prefix: /bearer }] }, authentication: oauth2 }
  - { id: watched, scenario: partner-openapi, match: { paths: [{ prefix: /watched }] }, authentication: key, options: { mode: observe } }
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key, accessCondition: authenticated-and-authorized }
consumers:
  - { id: initech, name: Initech, credentials: [{ id: initech-key, method: key, appKey: key-of-initech }] }
`;

/** Makes calls to a gRPC port, without Envoy, which would let none of the hostile ones pass. */
async function callAll(port: number, requests: readonly RequestParts[]): Promise<void> {
  await using client = await RawClient.connect({ kind: 'tcp', host: '127.0.0.1', port });
  await Promise.all(
    requests.map(async (request) => {
      const answer = await client.call('/envoy.service.auth.v3.Authorization/Check', checkRequest(request));
      assert.equal(answer.grpcStatus, 0);
    }),
  );
}

/** What Postern writes about requests, from its start to its end. */
async function outputAbout(requests: readonly RequestParts[], settings: PosternSettings): Promise<string> {
  await using folder = await temporaryDirectory();
  await writeFile(join(folder.path, 'postern.yaml'), document);
  await using child = await startChild({
    command: process.execPath,
    args: [join(projectRoot, 'dist/main.js'), 'serve'],
    cwd: folder.path,
    env: {
      ...{
        POSTERN_GRPC_ADDRESS: '127.0.0.1:0',
        POSTERN_HTTP_ADDRESS: '127.0.0.1:0',
        POSTERN_ADMIN_ADDRESS: '127.0.0.1:0',
      },
      ...{ POSTERN_SHUTDOWN_GRACE_SECONDS: '0', ...settings },
    },
  });
  const port = await child.line('stdout', (line) => /"grpc":"127\.0\.0\.1:(\d+)"/.exec(line)?.[1] ?? null);
  await callAll(Number(port), requests);
  await child.stop();
  return child.stdout() + child.stderr();
}

describe('the log of requests', () => {
  it('is searched by request id, as the documentation shows', async () => {
    const shown = assertOne(
      readFences(readDocument('docs/observability.md'), 'console')
        .flatMap(readConsole)
        .filter(({ command }) => command.startsWith('grep ')),
    );
    const requestId = /[0-9a-f-]{36}/.exec(shown.command)?.[0] ?? assert.fail();
    const requests = Array.from({ length: 20 }, (_, at) => ({
      path: '/orders?appKey=key-of-initech',
      headers: [['x-request-id', at === 10 ? requestId : `other-${String(at)}`]] as const,
    }));
    await using folder = await temporaryDirectory();
    await writeFile(join(folder.path, 'postern.log'), await outputAbout(requests, {}));
    const { stdout } = await promisify(execFile)('sh', ['-c', shown.command], { cwd: folder.path });
    const timeless = (line: string): unknown => ({ ...(JSON.parse(line) as object), time: null });
    assert.deepEqual(timeless(stdout), timeless(shown.output));
  });

  for (const format of ['json', 'pretty'] as const) {
    it(`holds no control character that a caller sent, in form ${format}`, async () => {
      const hostile = '\x00\x07\x1b[2J\x1b]0;title\x07\r\n{"level":"info","message":"forged"}\x85\x9b31m\x7f';
      const headers: readonly HeaderLine[] = [
        ...(['x-request-id', 'x-app-key', 'authorization', 'date', 'digest', 'content-type'] as const).map(
          (name) => [name, hostile] as const,
        ),
        ['authorization', `hmac username="${hostile}", algorithm="hmac-sha256", headers="${hostile}", signature="x"`],
        ['authorization', `Bearer ${hostile}`],
      ];
      const paths = ['/keyed', '/signed', '/parameters', '/bearer', '/watched', '/none', `/keyed/${hostile}`];
      const requests = paths.flatMap((path) => [
        { path: `${path}?appKey=${hostile}&sign=${hostile}`, headers },
        { path, method: hostile, authority: hostile, protocol: hostile, body: hostile, endpoint: hostile, headers },
        ...headers.map((header) => ({ path, headers: [header] })),
      ]);
      const text = await outputAbout(requests, { POSTERN_LOG_FORMAT: format, POSTERN_LOG_LEVEL: 'debug' });
      assert.ok(text.split('\n').length > requests.length, 'a line is missing');
      assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
      assert.doesNotMatch(text, /"message":"forged"/);
    });
  }

  it('stays short in a flood of refusals, says what was left out, and shows other refusals', async () => {
    const flood = Array.from({ length: 3000 }, () => ({ path: '/keyed?appKey=nobody' }));
    const other = { path: '/orders?appKey=key-of-initech', headers: [['x-request-id', 'the-other']] as const };
    await using postern = await startPostern(document);
    await callAll(postern.grpcPort, [...flood, other]);
    const counted = /code="AUTHENTICATION_FAILED"\} (\d+)/.exec(await postern.metrics())?.[1];
    assert.equal(counted, '3000');
    const leftOut = Number(
      /^postern_log_lines_left_out_total\{kind="AUTHENTICATION_FAILED"\} (\d+)/m.exec(await postern.metrics())?.[1],
    );
    await postern.stop();
    const lines = postern.logs();
    const written = lines.filter(({ code }) => code === 'AUTHENTICATION_FAILED').length;
    assert.ok(written >= 100);
    assert.equal(written + leftOut, 3000);
    const told = lines.filter(({ kind }) => kind === 'AUTHENTICATION_FAILED');
    assert.equal(
      told.reduce((sum, line) => sum + Number(line['lines']), 0),
      leftOut,
    );
    assert.equal(assertOne(lines.filter(({ requestId }) => requestId === 'the-other'))['code'], 'NOT_AUTHORIZED');
  });
});
