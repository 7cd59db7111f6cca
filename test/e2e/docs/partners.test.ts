import assert from 'node:assert/strict';
import { readDocument, readFences } from '../../support/docs/documents.ts';
import { runProgram } from '../../support/docs/documented-program.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { sharedStack } from '../../support/stack/shared-stack.ts';
import { type Stack } from '../../support/stack/stack.ts';

const page = readDocument('docs/partners.md');
const [, appKey = ''] = /App Key `(\w{32})`/.exec(page) ?? [];
const [, appSecret = ''] = /App Secret `(\w{43})`/.exec(page) ?? [];
const [, secretAppKey = ''] = /X-App-Key: (\w{32})/.exec(page) ?? [];

const document = `version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key }
  - { id: invoices, scenario: partner-openapi, match: { paths: [{ prefix: /invoices }] }, authentication: hmac }
  - id: shipments
    scenario: partner-openapi
    match: { paths: [{ prefix: /shipments }] }
    authentication: parameter-signature
consumers:
  - id: acme
    credentials:
      - { id: keyed, method: key, appKey: ${secretAppKey} }
      - { id: signed, methods: [hmac, parameter-signature], appKey: ${appKey}, appSecret: ${appSecret} }
`;

describe('the scripts of docs/partners.md', () => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(document);
  });
  beforeEach(() => {
    stack.backend.reset();
  });

  const scripts = readFences(page, 'sh').filter((text) => text.includes('curl '));

  /** Runs a script, which must get the answer of the back end, and gives the request that came there. */
  async function run(script: string | undefined): Promise<(typeof stack.backend.requests)[number]> {
    const here = (script ?? 'false')
      .replaceAll('http://127.0.0.1:10000', `http://127.0.0.1:${String(stack.envoy.port)}`)
      .replaceAll(/(?<![\w-])curl /g, 'curl --silent --show-error --fail-with-body ');
    await runProgram('sh', ['-c', `set -e\n${here}`]);
    return assertOne(stack.backend.requests);
  }

  it('are three: one for each way to call by hand', () => {
    assert.equal(scripts.length, 3);
  });

  it('send an App Key', async () => {
    const { target, headers } = await run(scripts[0]);
    assert.deepEqual([target, fieldValue(headers, 'x-credential-identifier')], ['/orders', 'keyed']);
  });

  it('sign by hmac', async () => {
    const { target, headers, body } = await run(scripts[1]);
    assert.deepEqual([target, body.toString()], ['/invoices?year=2026', '{"amount":12}']);
    assert.equal(fieldValue(headers, 'x-credential-identifier'), 'signed');
  });

  it('sign parameters', async () => {
    const { target, headers } = await run(scripts[2]);
    assert.match(target, /^\/shipments\?to=K%C3%B6ln\+1&appKey=/);
    assert.equal(fieldValue(headers, 'x-credential-identifier'), 'signed');
  });
});
