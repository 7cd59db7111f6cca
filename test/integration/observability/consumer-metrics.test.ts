import assert from 'node:assert/strict';
import { RawClient } from '../../support/grpc/raw-client.ts';
import { checkRequest } from '../../support/pipeline/check-request.ts';
import { startPostern } from '../../support/stack/postern-process.ts';

const document = `
version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, authentication: key, match: { paths: [{ prefix: /orders }] } }
consumers:
  - { id: acme, credentials: [{ id: a, method: key, appKey: key-of-acme }] }
  - { id: globex, allowFrom: [203.0.113.0/24], credentials: [{ id: g, method: key, appKey: key-of-globex }] }
`;

async function seriesWith(setting: string): Promise<readonly string[]> {
  await using serve = await startPostern(document, { POSTERN_CONSUMER_METRICS: setting });
  await using client = await RawClient.connect({ kind: 'tcp', host: '127.0.0.1', port: serve.grpcPort });
  for (const key of ['key-of-acme', 'key-of-globex', 'key-of-nobody', 'key-of-acme']) {
    await client.call('/envoy.service.auth.v3.Authorization/Check', checkRequest({ path: `/orders?appKey=${key}` }));
  }
  const text = await serve.metrics();
  return text.split('\n').filter((line) => /^postern_consumer_checks_total\{.*\} [1-9]/.test(line));
}

describe('metrics by consumer of a process', () => {
  it('name as many consumers as are asked for, and count the others together', async () => {
    assert.deepEqual(await seriesWith('1'), [
      'postern_consumer_checks_total{consumer="acme",endpoint="orders",outcome="allowed"} 2',
      'postern_consumer_checks_total{consumer="_other",endpoint="orders",outcome="refused"} 1',
    ]);
  });

  it('are not there unless they are asked for', async () => {
    assert.deepEqual(await seriesWith('0'), []);
  });
});
