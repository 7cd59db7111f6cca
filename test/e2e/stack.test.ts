import assert from 'node:assert/strict';
import { envoyYaml } from '../support/attachments/attachment.ts';
import { assertOne } from '../support/assertions/assert-one.ts';
import { fieldValue, jsonBody } from '../support/http/http-message.ts';
import { protocols, send } from '../support/http/http-client.ts';
import { startPostern } from '../support/stack/postern-process.ts';
import { release } from '../support/lifetime/release.ts';
import { type Stack, startStack } from '../support/stack/stack.ts';

const document = `
version: 1
endpoints:
  - id: orders
    scenario: partner-openapi
    match: { paths: [{ prefix: /orders }] }
    authentication: key
consumers:
  - id: acme
    name: Acme Ltd
    credentials:
      - { id: acme-key, method: key, appKey: key-of-acme }
`;

describe('Postern behind Envoy', () => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(document);
  });
  after(() => release(stack));
  beforeEach(() => {
    stack.backend.reset();
  });

  for (const protocol of protocols) {
    it(`tells the back end who calls, and takes the App Key out, over ${protocol}`, async () => {
      const answer = await send(protocol, stack.envoy.port, { target: '/orders?appKey=key-of-acme&x=a%2Fb&&y' });
      assert.equal(answer.status, 200, answer.body.toString());
      const forwarded = assertOne(stack.backend.requests);
      assert.equal(forwarded.target, '/orders?x=a%2Fb&&y');
      const identity = ['x-consumer-id', 'x-consumer-username', 'x-credential-identifier'];
      assert.deepEqual(
        identity.map((name) => fieldValue(forwarded.headers, name)),
        ['acme', 'Acme Ltd', 'acme-key'],
      );
      const entry = await stack.envoy.accessLogEntry(fieldValue(answer.headers, 'x-request-id') ?? '');
      const { endpoint, consumer, authentication, code } = entry;
      assert.deepEqual(
        { endpoint, consumer, authentication, code },
        { endpoint: 'orders', consumer: 'acme', authentication: 'key', code: 'ALLOWED' },
      );
    });

    it(`refuses another App Key, and names it nowhere, over ${protocol}`, async () => {
      const answer = await send(protocol, stack.envoy.port, { target: '/orders?appKey=key-of-nobody' });
      assert.equal(answer.status, 401);
      const requestId = fieldValue(answer.headers, 'x-request-id');
      const { code, ...rest } = jsonBody(answer) as Record<string, unknown>;
      assert.deepEqual([code, rest['requestId']], ['AUTHENTICATION_FAILED', requestId]);
      assert.equal(fieldValue(answer.headers, 'www-authenticate'), 'Key realm="postern"');
      assert.equal(fieldValue(answer.headers, 'content-type'), 'application/json');
      assert.equal(stack.backend.requests.length, 0);
      await stack.postern.logLine((line) => line['requestId'] === requestId);
      assert.doesNotMatch(stack.postern.output() + stack.envoy.output() + answer.body.toString(), /key-of-/);
    });
  }
});

describe('requests while Postern is away', () => {
  it('are refused with 503, and decided again when it is back', async () => {
    // Envoys that try no unhealthy replica (Istio) find out a second later.
    await using stack = await startStack(document, { attachment: envoyYaml });
    const request = { target: '/orders', headers: [['X-App-Key', 'key-of-acme'] as const] };
    assert.equal((await send('HTTP/1.1', stack.envoy.port, request)).status, 200);
    const exit = await stack.postern.stop();
    assert.deepEqual(exit, { code: 0, signal: null });
    const answer = await send('HTTP/1.1', stack.envoy.port, request);
    assert.equal(answer.status, 503);
    assert.equal((jsonBody(answer) as { code: string }).code, 'UNAVAILABLE');
    assert.equal(stack.backend.requests.length, 1);
    await using again = await startPostern(document, {
      POSTERN_GRPC_ADDRESS: `127.0.0.1:${String(stack.postern.grpcPort)}`,
    });
    assert.equal(again.grpcPort, stack.postern.grpcPort);
    assert.equal((await send('HTTP/1.1', stack.envoy.port, request)).status, 200);
  });
});
