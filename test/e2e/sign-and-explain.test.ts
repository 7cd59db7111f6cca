import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { projectRoot, readDocument } from '../support/docs/documents.ts';
import { fieldValue } from '../support/http/http-message.ts';
import { newKeyPair } from '../support/partner/http-signature.ts';
import { assertOne } from '../support/assertions/assert-one.ts';
import { type CommandHere, startCommandHere } from '../support/cli/command-here.ts';
import { release } from '../support/lifetime/release.ts';
import { type Stack, startStack } from '../support/stack/stack.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../support/lifetime/temporary-directory.ts';

const page = readDocument('docs/explain.md');
/** A partner that signs with a private key. */
const partner = newKeyPair('p-256');
/** The demo's, an endpoint that takes its App Key in a header only, and one for that partner. */
const document = readDocument('examples/demo/postern.yaml')
  .replace(
    '\nendpoints:\n',
    `
endpoints:
  - id: by-header
    scenario: partner-openapi
    match: { paths: [{ prefix: /by-header }] }
    authentication: key
    options: { keyNames: [{ header: X-App-Key }] }
  - id: parcels
    scenario: partner-openapi
    match: { paths: [{ prefix: /parcels }] }
    authentication: http-message-signature
    options: { scheme: http, replayProtection: true }
`,
  )
  .replace(
    '    credentials:\n',
    `    credentials:
      - id: acme-signer
        method: http-message-signature
        appKey: acme key 1
        publicKey: { jwk: ${JSON.stringify(partner.publicKey.jwk)} }
`,
  );
const demoOrigin = 'http://127.0.0.1:10000';

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describe('postern sign and explain, as partners run them', () => {
  let stack: Stack;
  let folder: TemporaryDirectory;
  let here: CommandHere;
  let origin = '';
  before(async () => {
    stack = await startStack(document);
    origin = `http://127.0.0.1:${String(stack.envoy.port)}`;
    folder = await temporaryDirectory();
    here = await startCommandHere();
    await writeFile(join(folder.path, 'postern.yaml'), document);
    const pem = partner.privateKey.export({ format: 'pem', type: 'pkcs8' });
    await writeFile(join(folder.path, 'key.pem'), pem, { mode: 0o600 });
    const command = join(folder.path, 'postern');
    await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${join(projectRoot, 'dist/main.js')}" "$@"\n`);
    await chmod(command, 0o755);
  });
  after(() => release(folder, here, stack));
  beforeEach(() => {
    stack.backend.reset();
  });

  /**
   * Runs a shell script in the project's folder, with `postern` on the path: one that runs in this process, or the
   * built program.
   */
  function shell(script: string, isBuilt = false): Promise<Run> {
    const env = {
      ...process.env,
      PATH: [(isBuilt ? folder : here).path, process.env['PATH'] ?? ''].join(delimiter),
      POSTERN_STORE: `file:${join(folder.path, 'postern.yaml')}`,
      KEY: 'acme-demo-key',
      PRIVATE_KEY_FILE: join(folder.path, 'key.pem'),
      HMAC_SECRET: 'public-demo-secret-of-acme-for-hmac',
      PARAMETERS_SECRET: 'public-demo-secret-of-acme-for-parameters',
    };
    return new Promise((resolve) => {
      const child = execFile('sh', ['-c', script], { cwd: projectRoot, env }, (error, out, err) => {
        resolve({ code: error === null ? 0 : (child.exitCode ?? 1), out, err });
      });
    });
  }

  const credentials = {
    orders: '--endpoint orders --secret-from env:KEY',
    'by-header': '--endpoint by-header --secret-from env:KEY',
    invoices: '--endpoint invoices --app-key acme-hmac-demo --secret-from env:HMAC_SECRET',
    shipments: '--endpoint shipments --app-key acme-parameters-demo --secret-from env:PARAMETERS_SECRET',
    parcels: `--endpoint parcels --app-key 'acme key 1' --private-key "$PRIVATE_KEY_FILE"`,
  };
  /** The public key of the store is enough to explain what a private key signed. */
  const ofExplain = (endpoint: keyof typeof credentials): string =>
    endpoint === 'parcels' ? '--endpoint parcels' : credentials[endpoint];
  const json = '{"to": "K\u00f8ge \u{1f600}",\n "note": "it\'s \\"north\\" \\\\ $HOME `x` \\u0000"}';
  const bytes = Buffer.concat([Buffer.from([0, 10, 13, 39, 255]), Buffer.alloc(100_000, 'x')]);

  /** What is signed, and what the back end must get. */
  const cases: readonly {
    readonly name: string;
    readonly endpoint: keyof typeof credentials;
    readonly method: string;
    readonly target: string;
    readonly options?: string;
    readonly body?: string | Buffer;
    readonly forwardedTarget?: string | RegExp;
    readonly forwardedBody?: string | Buffer | RegExp;
  }[] = [
    { name: 'a key in the query', endpoint: 'orders', method: 'GET', target: '/orders?x=a%2Fb' },
    { name: 'a key in a header', endpoint: 'by-header', method: 'POST', target: '/by-header', body: json },
    { name: 'hmac without a body', endpoint: 'invoices', method: 'GET', target: '/invoices?a=%7E{b}[c]&&d' },
    { name: 'hmac by HEAD', endpoint: 'invoices', method: 'HEAD', target: '/invoices' },
    {
      name: 'hmac by DELETE, with host',
      endpoint: 'invoices',
      method: 'DELETE',
      target: '/invoices/1',
      options: '--sign-header host',
    },
    {
      name: 'hmac with JSON',
      endpoint: 'invoices',
      method: 'POST',
      target: '/invoices',
      options: "-H 'Content-Type: application/json'",
      body: json,
    },
    {
      name: 'hmac with any bytes',
      endpoint: 'invoices',
      method: 'PUT',
      target: '/invoices',
      options: "-H 'Content-Type: a/b'",
      body: bytes,
    },
    {
      name: 'hmac with a body that begins with @',
      endpoint: 'invoices',
      method: 'POST',
      target: '/invoices',
      body: '@x',
    },
    {
      name: 'hmac over an empty header',
      endpoint: 'invoices',
      method: 'GET',
      target: '/invoices',
      options: "-H 'X-Empty:' --sign-header x-empty",
    },
    {
      name: 'a private key without a body',
      endpoint: 'parcels',
      method: 'GET',
      target: '/parcels?to=K%C3%B8ge+1&a',
    },
    {
      name: 'a private key and JSON',
      endpoint: 'parcels',
      method: 'POST',
      target: '/parcels',
      options: "-H 'Content-Type: application/json'",
      body: json,
    },
    {
      name: 'parameters in the URL',
      endpoint: 'shipments',
      method: 'GET',
      target: '/shipments?to=K%C3%B8ge+1%2B1&a&Zone=%F0%9F%98%80',
      forwardedTarget: /^\/shipments\?to=K%C3%B8ge\+1%2B1&a&Zone=%F0%9F%98%80&appKey=/,
    },
    {
      name: 'parameters in a form',
      endpoint: 'shipments',
      method: 'POST',
      target: '/shipments',
      body: 'to=K%C3%B8ge+1&a=',
      forwardedBody: /^to=K%C3%B8ge\+1&a=&appKey=/,
    },
    {
      name: 'JSON in its wrapper',
      endpoint: 'shipments',
      method: 'POST',
      target: '/shipments',
      options: "-H 'Content-Type: application/json'",
      body: json,
    },
    {
      name: 'large JSON in its wrapper',
      endpoint: 'shipments',
      method: 'POST',
      target: '/shipments',
      options: "-H 'Content-Type: application/json'",
      body: JSON.stringify({ text: 'Kø\u{1f600}\n"'.repeat(20_000) }),
    },
  ];
  const builtCase = 'large JSON in its wrapper';
  for (const { name, endpoint, method, target, options = '', body, forwardedTarget, forwardedBody } of cases) {
    it(`sign | sh gets through with ${name}, and explain finds it right`, async () => {
      const file = join(folder.path, 'body');
      if (body !== undefined) await writeFile(file, body);
      const data = body === undefined ? '' : `-d '@${file}'`;
      const sign = `postern sign ${method} '${origin}${target}' ${options} ${data} ${credentials[endpoint]}`;
      const isBuilt = name === builtCase;
      const sent = await shell(`${sign} | sh`, isBuilt);
      assert.deepEqual([sent.code, sent.err], [0, ''], sent.out);
      assert.match(sent.out, /^HTTP\/1\.1 200 /m);
      const forwarded = assertOne(stack.backend.requests);
      assert.equal(forwarded.method, method);
      if (forwardedTarget instanceof RegExp) assert.match(forwarded.target, forwardedTarget);
      else assert.equal(forwarded.target, forwardedTarget ?? target);
      if (forwardedBody instanceof RegExp) assert.match(forwarded.body.toString(), forwardedBody);
      else assert.ok(forwarded.body.equals(Buffer.from(forwardedBody ?? body ?? '')));
      assert.equal(fieldValue(forwarded.headers, 'x-consumer-id'), 'acme');

      const explained = await shell(`${sign} | postern explain - ${ofExplain(endpoint)}`, isBuilt);
      assert.deepEqual([explained.code, explained.err], [0, '']);
      assert.match(explained.out, /^Right: /);
    });
  }

  it('the examples of sign in docs/explain.md work against the demo', async () => {
    const [, section = ''] = /^## `postern sign`$(.*?)^## /ms.exec(page) ?? [];
    const [script = ''] = fencesOf(section, 'sh').slice(-1);
    const { code, out, err } = await shell(script.replaceAll(demoOrigin, origin), true);
    assert.deepEqual([code, err], [0, '']);
    assert.equal(out.match(/^HTTP\/1\.1 200 /gm)?.length, 2, out);
    assert.equal(stack.backend.requests.length, 2);
  });

  const [, ofPage = ''] = /^## `postern explain`$(.*)/ms.exec(page) ?? [];
  const documents = [
    ['docs/explain.md', ofPage, 1],
    ['examples/explain/README.md', readDocument('examples/explain/README.md'), 10],
  ] as const;
  for (const [name, text, examples] of documents) {
    it(`the examples of explain in ${name} print what stands there`, async () => {
      const [setUp = '', ...commands] = fencesOf(text, 'sh');
      const outputs = fencesOf(text, 'text');
      assert.deepEqual([commands.length, outputs.length], [examples, examples]);
      for (const [index, command] of commands.entries()) {
        const { code, out, err } = await shell(`${setUp}\n${command}`, index === 0);
        assert.deepEqual([code, out, err], [1, outputs[index], '']);
      }
    });
  }

  it('explain says before Envoy does which code a request is refused with', async () => {
    const hmac = 'hmac appkey="acme-hmac-demo", algorithm="hmac-sha256"';
    const refused: readonly (readonly [keyof typeof credentials, string])[] = [
      ['orders', `curl -sS '${origin}/orders'`],
      ['orders', `curl -sS '${origin}/orders?appKey=' -H 'X-App-Key: a'`],
      ['orders', `curl -sS '${origin}/orders?appKey=a&appKey=b'`],
      ['orders', `curl -sS --path-as-is '${origin}/orders/../x?appKey=a'`],
      ['orders', `curl -sS '${origin}/order?appKey=a'`],
      ['invoices', `curl -sS '${origin}/invoices' -H 'X-App-Key: a'`],
      ['invoices', `curl -sS '${origin}/invoices' -u a:b`],
      ['invoices', `curl -sS '${origin}/invoices' -H 'Authorization: ${hmac}, headers="date", signature="AA=="'`],
      [
        'invoices',
        `curl -sS '${origin}/invoices' -H 'Date: Sat, 7 Nov 2026 02:40:00 GMT' -H 'Authorization: ${hmac}, headers="date request-line", signature="AA=="'`,
      ],
      [
        'invoices',
        `curl -sS '${origin}/invoices' -H 'Date: Sat, 07 Nov 2026 02:40:00 GMT' -H 'Authorization: ${hmac}, headers="date request-line", signature="AA=="'`,
      ],
      ['shipments', `curl -sS '${origin}/shipments?appKey=acme-parameters-demo'`],
      ['shipments', `curl -sS '${origin}/shipments?appKey=acme-parameters-demo&sign=${'A'.repeat(128)}'`],
      ['shipments', `curl -sS '${origin}/shipments?appKey=acme-parameters-demo&sign=${'a'.repeat(128)}'`],
      ['shipments', `curl -sS '${origin}/shipments?a=%zz'`],
      ['shipments', `curl -sS '${origin}/shipments' -d '{"a":1}' -H 'Content-Type: application/json'`],
      ['shipments', `curl -sS '${origin}/shipments' -d a=1 -H 'Content-Type: text/plain'`],
      ['shipments', `curl -sS '${origin}/shipments?a=1' -d a=1`],
    ];
    for (const [endpoint, command] of refused) {
      const { code } = JSON.parse((await shell(command)).out) as { code: string };
      const file = join(folder.path, 'request');
      await writeFile(file, command);
      const explained = await shell(`postern explain '${file}' ${credentials[endpoint]} -o json`);
      assert.equal(explained.code, 1, command);
      const { answer } = JSON.parse(explained.out) as { answer: { code: string } };
      assert.equal(answer.code, code, command);
    }
  });
});

function fencesOf(section: string, language: string): readonly string[] {
  return Array.from(section.matchAll(/^```(\w*)\n(.*?)^```$/gms)).flatMap(([, word, text = '']) =>
    word === language ? [text] : [],
  );
}
