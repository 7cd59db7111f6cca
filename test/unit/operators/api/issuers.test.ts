import assert from 'node:assert/strict';
import { type MemoryApi, namesIn } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';

const any = { 'if-match': '*' };
const body = {
  id: 'partner-idp',
  issuer: 'https://idp.partner.example',
  jwksUri: 'https://idp.partner.example/keys',
  audiences: ['https://api.example.com'],
};

describe('management API: issuers', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });

  it('are made, shown, changed and deleted', async () => {
    const made = await api.ask('alice', 'POST', '/v1/issuers', { body });
    assert.deepEqual([made.status, made.headers.get('location')], [201, '/v1/issuers/partner-idp']);
    assert.deepEqual([made.body['jwksUri'], made.body['enabled']], [body.jwksUri, true]);
    assert.deepEqual(namesIn(await api.ask('victor', 'GET', '/v1/issuers')), ['partner-idp', 'payments', 'people']);
    const patch = { requiredClaims: { tenant: ['a', 'b'] }, enabled: false };
    const edited = await api.ask('alice', 'PATCH', '/v1/issuers/partner-idp', {
      body: patch,
      headers: { 'if-match': '"1"' },
    });
    assert.deepEqual([edited.status, edited.headers.get('etag')], [200, '"2"']);
    const shown = await api.ask('victor', 'GET', '/v1/issuers/partner-idp');
    assert.deepEqual([shown.body['requiredClaims'], shown.body['enabled']], [{ tenant: ['a', 'b'] }, false]);
    await api.done('alice', 'DELETE', '/v1/issuers/partner-idp', { headers: any });
    await api.refused('NOT_FOUND', 'alice', 'GET', '/v1/issuers/partner-idp');
  });

  it('are refused where they could not be served, and never read files', async () => {
    const wrong = { ...body, jwksUri: 'http://a.example/', algorithms: ['HS256'] };
    const answer = await api.refused('INVALID_RESOURCE', 'alice', 'POST', '/v1/issuers', { body: wrong });
    const errors = answer.body['errors'] as readonly { readonly pointer: string }[];
    assert.deepEqual(
      errors.map(({ pointer }) => pointer),
      ['/algorithms', '/jwksUri'],
    );
    const file = { ...body, jwksUri: undefined, jwksFile: '/etc/passwd' };
    await api.refused('INVALID_RESOURCE', 'alice', 'POST', '/v1/issuers', { body: file });
    const same = { ...body, issuer: 'people' };
    const conflict = await api.refused('CONFLICT', 'alice', 'POST', '/v1/issuers', { body: same });
    assert.match(String(conflict.body['detail']), /^the issuer "people" has this "issuer" already/);
  });

  it('of a team are its own, and nothing tells of those of others', async () => {
    assert.deepEqual(namesIn(await api.ask('petra', 'GET', '/v1/issuers')), ['payments']);
    await api.refused('NOT_FOUND', 'petra', 'GET', '/v1/issuers/people');
    await api.refused('FORBIDDEN', 'petra', 'POST', '/v1/issuers', { body });
    const own = { ...body, labels: { team: 'payments' } };
    await api.done('petra', 'POST', '/v1/issuers', { body: own });
    await api.refused('FORBIDDEN', 'paula', 'POST', '/v1/issuers', { body: { ...own, id: 'x' } });
    const taken = { ...own, id: 'other', issuer: 'people' };
    const conflict = await api.refused('CONFLICT', 'petra', 'POST', '/v1/issuers', { body: taken });
    assert.match(String(conflict.body['detail']), /^another issuer has this "issuer" already/);
  });
});
