import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readDocument, readFences } from '../../support/docs/documents.ts';
import { runProgram } from '../../support/docs/documented-program.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { release } from '../../support/lifetime/release.ts';
import { type OAuth2Stack, startOAuth2Stack } from '../../support/oauth2/oauth2-stack.ts';
import { type CollectionRun, installNewman, postmanFolder, runCollection } from './newman.ts';

const secrets = {
  hmac: 'a public secret for hmac',
  parameters: 'a public secret for parameters',
  oauth2: 'a+b &%=ü, a public secret',
};

const endpoint = (id: string, method: string, options = ''): string =>
  `  - { id: ${id}, scenario: partner-openapi, match: { paths: [{ prefix: /${id} }] }, authentication: ${method}${options} }`;
const document = `version: 1
endpoints:
${endpoint('invoices', 'hmac')}
${endpoint('payments', 'hmac', ', options: { replayProtection: true, algorithms: [hmac-sha512] }')}
${endpoint('shipments', 'parameter-signature')}
${endpoint('raw', 'parameter-signature', ', options: { parameterEncoding: raw }')}
${endpoint('orders', 'key')}
${endpoint('own', 'key', ', options: { keyNames: [{ query: key }, { header: X-Own }] }')}
${endpoint('stock', 'oauth2')}
consumers:
  - id: acme
    credentials:
      - { id: acme-key, method: key, appKey: the-secret-app-key }
      - { id: acme-hmac, method: hmac, appKey: K1, appSecret: "${secrets.hmac}" }
      - { id: acme-parameters, method: parameter-signature, appKey: K2, appSecret: "${secrets.parameters}" }
      - { id: acme-oauth2, method: oauth2, appKey: K3, appSecret: "${secrets.oauth2}" }
`;

describe('the Postman collection', () => {
  let stack: OAuth2Stack;
  before(async () => {
    await installNewman();
    stack = await startOAuth2Stack(document);
  });
  after(() => release(stack));
  beforeEach(() => {
    stack.backend.reset();
  });

  const hmac = { path: '/invoices', appKey: 'K1', appSecret: secrets.hmac };
  const parameters = { path: '/shipments', appKey: 'K2', appSecret: secrets.parameters };

  async function run(
    folder: string,
    variables: Readonly<Record<string, string>>,
    options: { readonly iterations?: number } = {},
  ): Promise<CollectionRun> {
    return await runCollection(folder, { baseUrl: stack.url, ...variables }, options);
  }

  /** All requests were let in, in the name of this credential, and the back end got these bodies. */
  function assertForwarded(made: CollectionRun, credential: string, bodies: readonly string[]): void {
    assert.deepEqual(made, { statuses: bodies.map(() => 200), errors: [] });
    const { requests } = stack.backend;
    assert.deepEqual(
      requests.map(({ body }) => body.toString()),
      bodies,
    );
    for (const { headers } of requests) assert.equal(fieldValue(headers, 'x-credential-identifier'), credential);
  }

  it('is what its scripts make', async () => {
    const collection = await readFile(join(postmanFolder, 'postern.postman_collection.json'), 'utf8');
    assert.equal(await runProgram(process.execPath, [join(postmanFolder, 'build.mjs')]), collection);
  });

  it('signs by hmac, with and without a body', async () => {
    assertForwarded(await run('HMAC', hmac), 'acme-hmac', ['', '{"amount":12}']);
    assert.deepEqual(
      stack.backend.requests.map(({ method, target }) => `${method} ${target}`),
      ['GET /invoices?year=2026', 'POST /invoices'],
    );
  });

  it('runs by the commands of its page', async () => {
    const [script = ''] = readFences(readDocument('clients/postman/README.md'), 'sh');
    assert.match(script, /^npm ci$/m);
    const here = script.replace('npm ci\n', '').replace('http://127.0.0.1:10000', stack.url);
    const env = { APP_SECRET: secrets.hmac };
    await runProgram('sh', ['-ec', here.replace('acme-hmac-demo', 'K1')], { cwd: postmanFolder, env });
    assert.equal(stack.backend.requests.length, 2);
  });

  it('signs more headers, by another algorithm, and with a nonce for each request', async () => {
    const variables = { ...hmac, path: '/payments', algorithm: 'hmac-sha512', signedHeaders: 'host', nonce: 'true' };
    const made = await run('HMAC', variables, { iterations: 2 });
    assertForwarded(made, 'acme-hmac', ['', '{"amount":12}', '', '{"amount":12}']);
    // More than one run in a second, so that signatures without a nonce are the same.
    const replayed = await run('HMAC', { ...variables, nonce: 'false' }, { iterations: 8 });
    assert.match(replayed.errors.join(), /REQUEST_REPLAYED/);
  });

  it('signs exactly the address that is sent, whatever is in it', async () => {
    const path = '/invoices/a b/Köln%2F{x}|"<>`^[1]?q=ü+%2B\'*!&&=#gone';
    const refused = await run('HMAC', { ...hmac, path });
    assert.match(refused.errors.join(), /^PATH_NOT_NORMAL: /);
    const passed = await run('HMAC', { ...hmac, path: path.replace('%2F', '%20') });
    assert.deepEqual(passed, { statuses: [200, 200], errors: [] });
    const target = '/invoices/a%20b/K%C3%B6ln%20%7Bx%7D%7C%22%3C%3E%60%5E%5B1%5D?q=%C3%BC+%2B%27*!&&=';
    assert.equal(stack.backend.requests[0]?.target, target);
  });

  it('signs parameters in the URL, in a form and around JSON', async () => {
    const letIn = { statuses: [200, 200, 200], errors: [] };
    assert.deepEqual(await run('Parameter signature', parameters), letIn);
    const [inUrl, form, json] = stack.backend.requests;
    const signed = String.raw`to=K%C3%B6ln%201&appKey=K2&apiTimestamp=\d+&sign=[0-9a-f]{128}$`;
    assert.match(String(inUrl?.target), new RegExp(String.raw`^/shipments\?${signed}`));
    assert.match(String(form?.body.toString()), new RegExp(`^${signed}`));
    assert.equal(json?.body.toString(), '{"weight":"2 kg"}');
    const raw = { ...parameters, path: '/raw', encoding: 'raw', nonce: 'true' };
    assert.deepEqual(await run('Parameter signature', raw), letIn);
  });

  it('sends an App Key in a header, another one, or the query', async () => {
    const appKey = 'the-secret-app-key';
    for (const variables of [
      { path: '/orders', appKey },
      { path: '/own', appKey, keyHeader: 'X-Own' },
      { path: '/own?x=1', appKey, keyQuery: 'key' },
    ]) {
      stack.backend.reset();
      assertForwarded(await run('Key', variables), 'acme-key', ['']);
    }
  });

  it('gets one access token for several requests', async () => {
    const variables = { path: '/stock', appKey: 'K3', appSecret: secrets.oauth2 };
    assertForwarded(await run('OAuth2', variables, { iterations: 3 }), 'acme-oauth2', ['', '', '']);
    stack.backend.reset();
    const wrong = await run('OAuth2', { ...variables, appSecret: 'another public secret' });
    assert.match(wrong.errors[0] ?? '', /^invalid_client/);
    assert.equal(stack.backend.requests.length, 0);
  });

  it('says what the gateway refused, with its code and requestId', async () => {
    const { statuses, errors } = await run('HMAC', { ...hmac, appSecret: 'another public secret' });
    assert.deepEqual(statuses, [401, 401]);
    for (const error of errors) assert.match(error, /^AUTHENTICATION_FAILED: .* \(requestId [0-9a-f-]{36}\)$/);
    assert.equal(errors.length, 2);
  });

  it('sends nothing that it cannot sign, and says why without a value', async () => {
    const cases = [
      ['HMAC', { ...hmac, appKey: '' }, /^INVALID_CREDENTIAL: the variable appKey is no App Key$/],
      ['HMAC', { ...hmac, appSecret: ' public secret' }, /^INVALID_CREDENTIAL: the variable appSecret/],
      ['HMAC', { ...hmac, algorithm: 'md5' }, /^INVALID_CREDENTIAL: the variable algorithm/],
      ['HMAC', { ...hmac, signedHeaders: 'x-no' }, /^HEADER_NOT_SIGNABLE: the header x-no is not in the request$/],
      ['HMAC', { ...hmac, signedHeaders: 'X_Envoy_a' }, /^HEADER_NOT_SIGNABLE: the header x_envoy_a cannot be signed$/],
      ['Key', { path: '/orders', appKey: 'a b' }, /^INVALID_CREDENTIAL: /],
      ['Key', { path: '/own?x&key=1', appKey: 'K', keyQuery: 'key' }, /^RESERVED_PARAMETER: the query has/],
      [
        'Parameter signature',
        { ...parameters, path: '/shipments?sign=1&x=' },
        /^RESERVED_PARAMETER: the parameter sign/,
      ],
    ] as const;
    for (const [folder, variables, message] of cases) {
      const { statuses, errors } = await run(folder, variables);
      assert.deepEqual([message.source, statuses], [message.source, []]);
      assert.match(errors[0] ?? '', message);
      assert.ok(!errors.join().includes('public secret'));
    }
    assert.equal(stack.backend.requests.length, 0);
  });
});
