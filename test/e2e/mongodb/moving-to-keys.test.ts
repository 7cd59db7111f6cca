import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parse } from 'yaml';
import { envoyYaml } from '../../support/attachments/attachment.ts';
import { readConsole } from '../../support/docs/console-fence.ts';
import { documentedPrograms, runProgram } from '../../support/docs/documented-program.ts';
import {
  makeProject,
  missingLines,
  readSteps,
  runSteps,
  type Substitute,
  substituteAddresses,
} from '../../support/docs/documented-session.ts';
import { readDocument, readFences } from '../../support/docs/documents.ts';
import { type JsonObject, routes } from '../../support/envoy/envoy-config.ts';
import { fieldValue, jsonBody } from '../../support/http/http-message.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { newKeyPair, signedByKey } from '../../support/partner/http-signature.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { poll } from '../../support/time/poll.ts';

const page = readDocument('docs/moving-to-keys.md');
/** Up to the first signed request; what follows there ends what was made. */
const quickstart = readSteps(readDocument('docs/quickstart.md')).slice(0, -2);

/** The program of the page to which this one leads: it gets a token with a private key. */
const tokenWithKey = {
  commands: (documentedPrograms('sh', 'http://127.0.0.1:10000', 'docs/oauth2-private-key.md')[1] ?? 'false')
    .replaceAll('acme-signer', 'acme-tokens')
    .replaceAll('acme-private.pem', 'quickstart/token-private.pem')
    .replaceAll('curl ', 'curl -sS '),
  shown: ['{"access_token":"eyJhbGciOiJIUzI1NiIs…","token_type":"bearer","expires_in":3600}'],
};

/** Takes out what differs from one run to the next. */
function normalise(line: string): string {
  return line
    .trimEnd()
    .replaceAll(/\b[0-9a-f]{32}\b/g, 'APP-KEY')
    .replaceAll(/(?<![\w-])[\w-]{43}(?![\w-])/g, 'BASE64URL')
    .replace(/"access_token":"[^"]+"/, '"access_token":"TOKEN"')
    .replace(/(\d+ seconds?|a minute) ago$|just now$/, 'NOW');
}

/** The lines of an output without those that are empty, as {@link missingLines} compares them. */
const linesOf = (output: string): readonly string[] => output.split('\n').filter((line) => line.trim() !== '');

describe('docs/moving-to-keys.md', function () {
  this.timeout(180_000);
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let substitute: Substitute;
  before(async () => {
    folder = await temporaryDirectory();
    substitute = await substituteAddresses(database.uri());
  });
  after(() => release(folder));

  it('leads from shared secrets to keys, with what it shows', async () => {
    const steps = [...readSteps(page), tokenWithKey];
    const project = await makeProject(folder.path, substitute);
    const session = await runSteps([...quickstart, ...steps], project, substitute);
    const note = 'Send postern-curl along, which "clients/shell/run build" makes.\n';
    assert.deepEqual([session.code, session.stderr], [0, note], session.stdout);
    for (const [index, { commands, shown }] of steps.entries()) {
      const lines = session.printed[quickstart.length + index] ?? [];
      const missing = missingLines(shown.map(substitute), lines, normalise);
      assert.deepEqual(missing, [], `${commands}\nprinted\n${lines.join('\n')}`);
    }
    const [, thumbprint = ''] = /^ {2}Thumbprint {2}([\w-]{43})$/m.exec(session.stdout) ?? [];
    assert.ok(session.printed.flat().includes(thumbprint), 'the partner gets another thumbprint');

    const env = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: join(project, 'quickstart/keyring.yaml') };
    for (const { command, output } of readFences(page, 'console').flatMap(readConsole)) {
      const [program, ...words] = command.split(' ');
      assert.equal(program, 'postern');
      // The gateway, which ended with the shell, may still write what it counted.
      await poll(`what the page shows of ${command}`, async () => {
        const printed = await runProgram(join(project, 'node_modules/.bin/postern'), words, { cwd: project, env });
        return missingLines(linesOf(output), linesOf(printed), normalise).length === 0 ? true : null;
      });
    }
  });
});

describe('the route of docs/moving-to-keys.md', () => {
  const key = newKeyPair('ed25519');
  const document = JSON.stringify({
    version: 1,
    endpoints: [
      ...[
        { id: 'orders', match: { paths: [{ prefix: '/orders' }] }, authentication: 'key' },
        {
          id: 'orders-signed',
          match: { hosts: ['signed.example.com'], paths: [{ prefix: '/orders' }] },
          authentication: 'http-message-signature',
        },
      ].map((endpoint) => ({ scenario: 'partner-openapi', ...endpoint })),
    ],
    consumers: [
      {
        id: 'acme',
        credentials: [
          { id: 'acme-key', method: 'key', appKey: 'key-of-acme' },
          {
            ...{ id: 'acme-signer', method: 'http-message-signature', appKey: 'acme-signer' },
            publicKey: { jwk: key.publicKey.jwk },
          },
        ],
      },
    ],
  });
  const { stack, send, sendAllowed, sendRefused } = useStack(document, {
    attachment: envoyYaml,
    edit: (config: JsonObject) => {
      const [fence = ''] = readFences(page, 'yaml');
      const list = routes(config);
      list.splice(list.length - 1, 0, ...(parse(fence) as JsonObject[]));
    },
  });
  const signed = (target: string) => signedByKey({ target, host: 'api.example.com', keyid: 'acme-signer', key });

  it('leads signed requests to the second endpoint, and all others to the first', async () => {
    const byKey = await sendAllowed('HTTP/1.1', signed('/orders/7?a=1'));
    assert.equal(fieldValue(byKey.headers, 'x-credential-identifier'), 'acme-signer');
    const byAppKey = await sendAllowed('HTTP/1.1', { target: '/orders/7', headers: [['X-App-Key', 'key-of-acme']] });
    assert.equal(fieldValue(byAppKey.headers, 'x-credential-identifier'), 'acme-key');
  });

  it('lets no one in who has neither, or has the one of the other endpoint', async () => {
    await sendRefused('HTTP/1.1', { target: '/orders/7' }, 'CREDENTIALS_MISSING');
    await sendRefused('HTTP/1.1', signed('/ordersx'), 'ENDPOINT_NOT_FOUND');
    const { headers } = signed('/orders/8');
    for (const more of [[], [['X-App-Key', 'key-of-acme'] as const]]) {
      const request = { target: '/orders/7', host: 'api.example.com', headers: [...headers, ...more] };
      const answer = await send('HTTP/1.1', request);
      const { code } = jsonBody(answer) as { readonly code: unknown };
      assert.deepEqual([answer.status, code], [401, 'AUTHENTICATION_FAILED']);
    }
    assert.deepEqual(stack().backend.requests, []);
  });
});
