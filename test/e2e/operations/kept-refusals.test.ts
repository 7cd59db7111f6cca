import assert from 'node:assert/strict';
import { protocols } from '../../support/http/http-client.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { runPostern } from '../../support/cli/run-postern.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const document = `
version: 1
endpoints:
  - { id: granted, scenario: partner-openapi, match: { paths: [{ prefix: /granted }] }, authentication: key, accessCondition: authenticated-and-authorized }
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;

describe('a refusal that is kept', () => {
  const { stack, sendRefused } = useStack(document);
  const run = async (...args: readonly string[]): Promise<{ code: number; out: string; err: string }> =>
    await runPostern([...args, '--admin', `127.0.0.1:${String(stack().postern.adminPort)}`], {});

  for (const protocol of protocols) {
    it(`has what Envoy reports of it, the caller's address included, over ${protocol}`, async () => {
      const request = {
        target: '/granted/7?appKey=key-of-acme',
        headers: [['X-Envoy-External-Address', '192.0.2.66']],
      } as const;
      const answer = await sendRefused(protocol, request, 'NOT_AUTHORIZED');
      const requestId = fieldValue(answer.headers, 'x-request-id') ?? '';
      const { code, out } = await run('refusals', '--request-id', requestId, '-o', 'json');
      assert.equal(code, 0);
      const [{ at, ...refusal }] = JSON.parse(out) as [{ at: string }];
      assert.ok(!Number.isNaN(Date.parse(at)));
      assert.deepEqual(refusal, {
        requestId,
        consumer: 'acme',
        credential: 'acme-key',
        endpoint: 'granted',
        method: 'GET',
        path: '/granted/7',
        code: 'NOT_AUTHORIZED',
        detail: 'the consumer acme has no grant',
        sourceAddress: '127.0.0.1',
      });
    });
  }
});
