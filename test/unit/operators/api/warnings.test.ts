import assert from 'node:assert/strict';
import type { MemoryApi } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';

const headers = { 'if-match': '*' };

describe('management API: warnings of what is written', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });

  const wild = { id: 'wild', authentication: 'key', match: { paths: [{ prefix: '/wild/*' }] } };
  const warningsOf = (answer: { readonly body: Record<string, unknown> }): string =>
    ((answer.body['warnings'] ?? []) as readonly string[]).join('\n');

  it('are in the answer to a change, its dry run, and the endpoint', async () => {
    const dry = await api.done('alice', 'POST', '/v1/endpoints?dryRun=true', { body: wild });
    assert.match(warningsOf(dry), /^endpoint wild: match\.paths\[0\]\.prefix: this path has a pattern/);
    const made = await api.done('alice', 'POST', '/v1/endpoints', { body: wild });
    const shown = await api.done('alice', 'GET', '/v1/endpoints/wild');
    for (const answer of [made, shown]) assert.match(warningsOf(answer), /^match\.paths\[0\]\.prefix: this path has/);
    const body = { match: { paths: [{ prefix: '/wild' }], methods: ['get'] } };
    const edited = await api.done('alice', 'PATCH', '/v1/endpoints/wild', { body, headers });
    assert.match(warningsOf(edited), /^endpoint wild: match\.methods\[0\]: this method has lower-case letters, .*$/);
    const plain = { match: { paths: [{ prefix: '/wild' }], methods: ['GET'] } };
    const right = await api.done('alice', 'PATCH', '/v1/endpoints/wild', { body: plain, headers });
    assert.ok(!('warnings' in right.body));
    assert.ok(!('warnings' in (await api.done('alice', 'GET', '/v1/endpoints/wild')).body));
  });

  it('are of a grant, by its endpoint and its end', async () => {
    await api.done('alice', 'POST', '/v1/endpoints', { body: { ...wild, match: { paths: [{ prefix: '/wild' }] } } });
    const grant = { endpoint: 'wild', consumer: 'acme' };
    const made = await api.done('alice', 'POST', '/v1/grants', { body: grant });
    assert.match(warningsOf(made), /^grant wild\/acme: endpoint: this grant decides nothing: its endpoint lets/);
    const body = { expiresAt: '2020-01-01T00:00:00Z' };
    const ended = await api.done('alice', 'PATCH', '/v1/grants/wild/acme', { body, headers });
    assert.match(warningsOf(ended), /^grant wild\/acme: expiresAt: this grant has ended/);
  });
});
