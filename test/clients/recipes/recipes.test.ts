import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { runProgram } from '../../support/docs/documented-program.ts';
import { projectRoot, readDocument, readFences } from '../../support/docs/documents.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type OAuth2Stack, startOAuth2Stack } from '../../support/oauth2/oauth2-stack.ts';

const page = readDocument('docs/recipes.md');
const shell = readFences(page, 'sh');
const [setUp = '', read = '', file = '', form = '', token = '', k6 = ''] = shell;

const [, appKey = ''] = /^key=(\w+)$/m.exec(setUp) ?? [];
const [, appSecret = ''] = /^secret=(\w+)$/m.exec(setUp) ?? [];
const endpoint = (id: string, method: string, options = ''): string =>
  `  - { id: ${id}, scenario: partner-openapi, match: { paths: [{ prefix: /${id} }] }, authentication: ${method}${options} }`;
const document = `version: 1
endpoints:
${endpoint('invoices', 'hmac', ', options: { replayProtection: true }')}
${endpoint('shipments', 'parameter-signature')}
${endpoint('stock', 'oauth2')}
consumers:
  - id: acme
    credentials:
      - { id: acme, methods: [hmac, parameter-signature, oauth2], appKey: ${appKey}, appSecret: ${appSecret} }
`;

/** The version that the page is tried with. Go's own caches make the second build short. */
const K6 = 'go.k6.io/k6@v1.8.1';
const k6Folder = join(projectRoot, '.services/packages/k6-1.8.1');

describe('docs/recipes.md', () => {
  let stack: OAuth2Stack;
  let folder: TemporaryDirectory;
  before(async () => {
    stack = await startOAuth2Stack(document);
    folder = await temporaryDirectory();
  });
  after(() => release(folder, stack));
  beforeEach(() => {
    stack.backend.reset();
  });

  /** Runs a script of the page after its first one, and gives what reached the back end. */
  async function run(script: string, path = ''): Promise<readonly string[]> {
    const here = `${setUp}\n${script}`.replace('http://127.0.0.1:10000', stack.url);
    const quiet = here.replaceAll('curl ', 'curl --silent --show-error --fail-with-body ');
    const env = { PATH: [path, process.env['PATH'] ?? ''].join(delimiter) };
    await runProgram('sh', ['-c', `set -e\n${quiet}`], { cwd: folder.path, env });
    for (const { headers } of stack.backend.requests) assert.equal(fieldValue(headers, 'x-consumer-id'), 'acme');
    return stack.backend.requests.map(({ method, target, body }) => `${method} ${target} ${body.toString()}`.trimEnd());
  }

  it('has a block for each recipe in shell', () => {
    assert.equal(shell.length, 6);
    assert.deepEqual([appKey.length, appSecret.length], [32, 43]);
  });

  it('signs by hmac with curl and openssl, without a body and with a file', async () => {
    assert.deepEqual(await run(read), ['GET /invoices?year=2026']);
    stack.backend.reset();
    assert.deepEqual(await run(file), ['POST /invoices {"amount":12}']);
  });

  it('signs a form with curl and openssl', async () => {
    const [request = ''] = await run(form);
    assert.match(request, /^POST \/shipments to=K%C3%B6ln(?:\+|%20)1&appKey=/);
  });

  it('gets a token with curl', async () => {
    assert.deepEqual(await run(token), ['GET /stock']);
  });

  it('signs with k6', async function () {
    this.timeout(600_000);
    const binary = join(k6Folder, 'k6');
    if (!existsSync(binary)) {
      await mkdir(k6Folder, { recursive: true });
      await runProgram('go', ['install', '-p=1', K6], { env: { GOBIN: k6Folder } });
    }
    await copyFile(join(projectRoot, 'examples/k6/sign.js'), join(folder.path, 'sign.js'));
    const requests = await run(k6, dirname(binary));
    const both = ['POST /invoices?year=2026 {"amount":12}', 'GET /invoices'];
    assert.deepEqual(requests, [...both, ...both]);
  });
});
