import assert from 'node:assert/strict';
import { readConsole } from '../../support/docs/console-fence.ts';
import { startChild } from '../../support/process/child-process.ts';
import { readDocument, readFences } from '../../support/docs/documents.ts';
import { type Envoy, startEnvoy } from '../../support/envoy/envoy.ts';
import { runProgram } from '../../support/docs/documented-program.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { type PosternProcess, startPostern } from '../../support/stack/postern-process.ts';
import { acquireAll, release } from '../../support/lifetime/release.ts';

interface Followed extends AsyncDisposable {
  readonly envoy: Envoy;
  readonly postern: PosternProcess;
}

const page = readDocument('README.md');
const fiveMinutes = page.slice(page.indexOf('## Five minutes'), page.indexOf('## Status'));
const fences = readFences(fiveMinutes, 'console');
const requestId = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Starts what the page starts in three terminals, on ports of its own. */
async function follow(): Promise<Followed> {
  return await acquireAll(async (keep) => {
    const [backendText = ''] = readFences(fiveMinutes, 'sh').filter((text) => text.startsWith('node -e'));
    const announced = backendText.replace(
      '.listen(8080, "127.0.0.1")',
      '.listen(0, "127.0.0.1", function () { console.log(`port ${this.address().port}`) })',
    );
    assert.notEqual(announced, backendText);
    const backend = keep(await startChild({ command: 'sh', args: ['-c', `exec ${announced}`] }));
    const port = await backend.line('stdout', (line) => /^port (\d+)$/.exec(line)?.[1] ?? null);
    const postern = keep(await startPostern(assertOne(readFences(fiveMinutes, 'yaml'))));
    const ports = { postern: postern.grpcPort, posternHttp: postern.httpPort ?? 0, backend: Number(port) };
    return { postern, envoy: keep(await startEnvoy({ ports })) };
  });
}

/** What differs from one time to the next. */
function comparable(text: string): string {
  return text
    .replaceAll('\r', '')
    .replaceAll(requestId, 'REQUEST-ID')
    .replaceAll(/^date: .*$/gim, 'date: NOW')
    .trimEnd();
}

describe('the five minutes of README.md', () => {
  let followed: Followed | undefined;
  before(async () => {
    followed = await follow();
  });
  after(() => release(followed));

  async function run(command: string): Promise<string> {
    assert.ok(followed);
    const here = command.replaceAll('127.0.0.1:10000', `127.0.0.1:${String(followed.envoy.port)}`);
    return await runProgram('sh', ['-c', here.replaceAll('curl ', 'curl --silent ')]);
  }

  for (const { command, output } of fences.flatMap(readConsole).filter(({ command }) => command.startsWith('curl'))) {
    it(`print what the page shows for ${command}`, async () => {
      assert.equal(comparable(await run(command)), comparable(output));
    });
  }

  it('let three calls of a minute through, and refuse the fourth', async () => {
    const { command, output } = assertOne(
      fences.flatMap(readConsole).filter(({ command }) => command.startsWith('for')),
    );
    await using fresh = await follow();
    const here = command.replaceAll('127.0.0.1:10000', `127.0.0.1:${String(fresh.envoy.port)}`);
    let printed = await runProgram('sh', ['-c', here]);
    // The minute ended in between: the next one has just begun.
    if (printed !== output) printed = await runProgram('sh', ['-c', here]);
    assert.match(printed, /^(200\n)*(429\n)+$/);
    assert.equal(output, '200\n200\n200\n429\n');
  });

  it('end with lines in the log that say why', () => {
    assert.ok(followed);
    const shown = fences.flatMap((text) => [...text.matchAll(/^\[.*?\] INFO: refused (\{.*\})$/gm)]);
    assert.equal(shown.length, 2);
    const withoutId = (line: object): object => ({ ...line, requestId: 'REQUEST-ID' });
    const logged = followed.postern
      .logs()
      .filter(({ message }) => message === 'refused')
      .map(({ level, time, message, ...fields }) => {
        assert.ok([level, time, message].every((field) => typeof field === 'string'));
        return withoutId(fields);
      });
    for (const [, json = ''] of shown) {
      const wanted = withoutId(JSON.parse(json) as object);
      assert.ok(
        logged.some((fields) => JSON.stringify(fields) === JSON.stringify(wanted)),
        `${JSON.stringify(wanted)} is none of ${JSON.stringify(logged)}`,
      );
    }
  });
});
