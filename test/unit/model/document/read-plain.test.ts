import assert from 'node:assert/strict';
import { readEndpoint } from '../../../../src/resources/endpoint.ts';
import { readGrant } from '../../../../src/resources/grant.ts';
import { readPlain } from '../../../../src/model/document/read-plain.ts';

describe('reading a plain value with the rules of declarative documents', () => {
  it('gives what the value says', () => {
    assert.deepEqual(readPlain({ endpoint: 'orders', consumer: 'acme' }, readGrant), {
      value: { endpointId: 'orders', consumerId: 'acme', limits: null, expiresAt: null },
    });
  });

  it('reports every problem by path', () => {
    const raw = { id: 'Orders', scenario: 'partner-openapi', match: { paths: [{ prefix: 'orders' }] }, colour: 1 };
    const read = readPlain(raw, readEndpoint);
    assert.ok('problems' in read);
    assert.deepEqual(
      read.problems.map(({ path }) => path),
      ['', 'colour', 'id', 'match.paths[0].prefix'],
    );
    assert.match(read.problems[0]?.message ?? '', /"authentication" is missing/);
  });

  it('names other places of the value by path, because it has no lines', () => {
    const limit = { requests: 1, unit: 'minute', per: 'consumer' };
    const read = readPlain({ endpoint: 'orders', consumer: 'acme', limits: [limit, limit] }, readGrant);
    assert.deepEqual(read, {
      problems: [{ path: 'limits[1]', message: 'a limit per consumer and minute is on limits[0] already; keep one' }],
    });
  });

  it('reads what is no mapping at all as a problem', () => {
    for (const raw of [null, 'orders', 5, [], undefined]) assert.ok('problems' in readPlain(raw, readGrant));
  });
});
