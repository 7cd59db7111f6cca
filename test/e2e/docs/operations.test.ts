import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readConsole } from '../../support/docs/console-fence.ts';
import { projectRoot, readDocument, readFences } from '../../support/docs/documents.ts';
import { send } from '../../support/http/http-client.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { release } from '../../support/lifetime/release.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';

const shown = readFences(readDocument('docs/operations.md'), 'console').flatMap(readConsole);
const document = `version: 1
endpoints: [{ id: status, scenario: open, match: { paths: [{ exact: /status }] } }]
`;

function shownBy(part: string): string {
  return assertOne(shown.filter(({ command }) => command.includes(part))).output;
}

/** Messages and the names of their fields: times, counts and addresses are those of that day. */
function shapeOf(lines: string): readonly (readonly string[])[] {
  return lines
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    .map((entry) => [String(entry['message']), ...Object.keys(entry)]);
}

describe('what docs/operations.md shows', () => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(document);
  });
  after(() => release(stack));

  it('is what serve logs at start', () => {
    assert.deepEqual(shapeOf(stack.postern.output()), shapeOf(shownBy('serve --store')));
  });

  it('is what wrong settings are told', async () => {
    const { command, output } = assertOne(shown.filter(({ command }) => command.includes('GRPC_ADRESS')));
    const run = promisify(execFile)('sh', ['-c', command], { cwd: projectRoot });
    const failure = await run.then(
      () => null,
      (error: unknown) => error as { readonly code: number; readonly stderr: string },
    );
    assert.deepEqual([failure?.code, failure?.stderr], [1, output]);
  });

  it('is what a caller gets when no replica is left', async () => {
    await stack.postern.stop();
    const { body } = await send('HTTP/1.1', stack.envoy.port, { method: 'GET', target: '/status' });
    const { requestId, ...told } = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
    const { requestId: shownId, ...wanted } = JSON.parse(shownBy('/status')) as Readonly<Record<string, unknown>>;
    assert.deepEqual(told, wanted);
    assert.deepEqual([typeof requestId, typeof shownId], ['string', 'string']);
  });
});
