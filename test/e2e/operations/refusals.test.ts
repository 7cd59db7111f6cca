import assert from 'node:assert/strict';
import { type PlainRequest, protocols } from '../../support/http/http-client.ts';
import { fieldValue, fieldValues, jsonBody } from '../../support/http/http-message.ts';
import { assertRefusalHeaders, type RefusedCode } from '../../support/http/assert-refused.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const document = `
version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key }
  - { id: granted, scenario: partner-openapi, match: { paths: [{ prefix: /granted }] }, authentication: key, accessCondition: authenticated-and-authorized }
  - id: limited
    scenario: open
    match: { paths: [{ prefix: /limited }] }
    trafficControl: { limits: [{ requests: 1, unit: day, per: endpoint }] }
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;

interface Refused {
  readonly request: PlainRequest;
  readonly code: RefusedCode;
  /** What the access log says of it. */
  readonly endpoint: string | null;
  readonly consumer?: string;
}

const refused: readonly Refused[] = [
  { request: { target: '/orders/../x' }, code: 'PATH_NOT_NORMAL', endpoint: null },
  { request: { target: '/orders', host: 'a,b' }, code: 'MALFORMED_REQUEST', endpoint: null },
  { request: { target: '/orders' }, code: 'CREDENTIALS_MISSING', endpoint: 'orders' },
  { request: { target: '/orders?appKey=' }, code: 'CREDENTIALS_MALFORMED', endpoint: 'orders' },
  { request: { target: '/orders?appKey=x' }, code: 'AUTHENTICATION_FAILED', endpoint: 'orders' },
  { request: { target: '/granted?appKey=key-of-acme' }, code: 'NOT_AUTHORIZED', endpoint: 'granted', consumer: 'acme' },
  { request: { target: '/nothing' }, code: 'ENDPOINT_NOT_FOUND', endpoint: null },
  { request: { target: '/limited' }, code: 'RATE_LIMITED', endpoint: 'limited' },
];

describe('a refusal', () => {
  const { stack, send, sendRefused, logged } = useStack(document);
  before(async () => {
    await send('HTTP/1.1', { target: '/limited' });
  });

  for (const protocol of protocols) {
    for (const { request, code, endpoint, consumer = null } of refused) {
      it(`says ${code} in JSON, and so do the logs, over ${protocol}`, async () => {
        const answer = await sendRefused(protocol, request, code);
        assert.deepEqual(Object.keys(jsonBody(answer) as object), ['code', 'message', 'requestId']);
        assert.equal(fieldValue(answer.headers, 'content-length'), String(answer.body.length));
        const entry = await logged(answer);
        assert.deepEqual(
          [entry['code'], entry['status'], entry['endpoint'], entry['consumer'], entry['details']],
          [code, answer.status, endpoint, consumer, 'ext_authz_denied UAEX'],
        );
        const requestId = fieldValue(answer.headers, 'x-request-id');
        const line = await stack().postern.logLine((found) => found['requestId'] === requestId);
        assert.deepEqual([line['message'], line['code'], line['endpoint']], ['refused', code, endpoint]);
      });

      it(`has the same headers and no body for HEAD: ${code}, over ${protocol}`, async () => {
        const answer = await send(protocol, { ...request, method: 'HEAD' });
        assertRefusalHeaders(answer, code);
        assert.equal(answer.body.length, 0);
        assert.equal((await logged(answer))['code'], code);
        assert.equal(stack().backend.requests.length, 0);
      });

      it(`is JSON whatever the caller asks for: ${code}, over ${protocol}`, async () => {
        const headers = [
          ['Accept', 'text/html'],
          ['Accept-Encoding', 'gzip, br'],
          ['Range', 'bytes=0-0'],
          ['If-None-Match', '*'],
        ] as const;
        await sendRefused(protocol, { ...request, headers, method: 'POST', body: 'x' }, code);
      });
    }

    it(`does not repeat an id that the caller chose, over ${protocol}`, async () => {
      const own = '11111111-2222-4333-8444-555555555555';
      for (const value of [own, '"},{"', 'a'.repeat(100)]) {
        const headers = [['X-Request-Id', value]] as const;
        const answer = await sendRefused(protocol, { target: '/orders', headers }, 'CREDENTIALS_MISSING');
        assert.ok(!answer.body.toString().includes(value));
      }
    });

    it(`has an id of its own each time, over ${protocol}`, async () => {
      const ids = new Set<unknown>();
      for (let count = 0; count < 5; count += 1) {
        const answer = await sendRefused(protocol, { target: '/orders' }, 'CREDENTIALS_MISSING');
        ids.add((jsonBody(answer) as { requestId: unknown }).requestId);
      }
      assert.equal(ids.size, 5);
    });

    it(`shows nothing of the identity, the endpoint or the program, over ${protocol}`, async () => {
      const answer = await sendRefused(protocol, { target: '/granted?appKey=key-of-acme' }, 'NOT_AUTHORIZED');
      const all = JSON.stringify(answer.headers) + answer.body.toString();
      assert.doesNotMatch(all, /acme|granted|postern|node|grpc/i);
      assert.deepEqual(fieldValues(answer.headers, 'x-consumer-id'), []);
    });
  }
});
