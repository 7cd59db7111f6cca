import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { itemsOf, type MemoryApi } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';

type Body = Readonly<Record<string, unknown>>;

describe('management API: what commands read and change', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });

  const list = async (who: string, body: Body): Promise<readonly Body[]> =>
    itemsOf(await api.done(who, 'POST', '/v1/resources:list', { body }));
  const idsOf = async (who: string, kind: string, more: Body = {}): Promise<readonly unknown[]> =>
    (await list(who, { kind, ...more })).map(({ resource }) => {
      const { id, endpoint, consumer } = resource as Body;
      return id ?? [endpoint, consumer].join('/');
    });
  const change = (changes: readonly Body[], more: Body = {}) => ({ body: { action: 'test', changes, ...more } });
  const deletion = (kind: string, id: string, before = 1): Body => ({ kind, id, before, after: null });

  it('shows each operator what is within reach, of every kind', async () => {
    const kinds = ['endpoint', 'consumer', 'credential', 'grant', 'plan', 'issuer'];
    for (const kind of kinds) {
      const all = await list('alice', { kind });
      const own = await list('petra', { kind });
      assert.match(JSON.stringify(all), /initech|salaries|people/, `${kind}: there is something to leave out`);
      assert.doesNotMatch(JSON.stringify(own), /initech|salaries|people/, kind);
    }
    assert.deepEqual(await idsOf('petra', 'credential', { ids: ['initech-hmac'] }), []);
    await api.refused('FORBIDDEN', 'petra', 'POST', '/v1/resources:list', { body: { kind: 'operator' } });
    assert.ok((await idsOf('alice', 'operator')).includes('petra'));
  });

  it('shows no secret and no hash of a token', async () => {
    const shown = JSON.stringify([
      await list('alice', { kind: 'credential' }),
      await list('alice', { kind: 'operator' }),
    ]);
    assert.doesNotMatch(shown, /appSecret|"hash"/);
  });

  it('reads page by page, in the order of ids', async () => {
    const all = await idsOf('alice', 'consumer');
    const first = await api.done('alice', 'POST', '/v1/resources:list', { body: { kind: 'consumer', limit: 1 } });
    assert.equal(first.body['next'], all[0]);
    assert.deepEqual(await idsOf('alice', 'consumer', { after: all[0] }), all.slice(1));
  });

  it('makes changes in the name of who asks, with the command', async () => {
    const after = { id: 'fresh', labels: { team: 'payments' } };
    const sent = change([{ kind: 'consumer', id: 'fresh', before: null, after }]);
    const { body } = await api.done('petra', 'POST', '/v1/resources:change?reason=OPS-1', sent);
    assert.deepEqual(body, { dryRun: false, revision: api.store.revision });
    const [event] = itemsOf(await api.done('alice', 'GET', '/v1/audit?limit=1'));
    assert.deepEqual(
      [event?.['actor'], event?.['action'], event?.['reason'], event?.['id']],
      ['petra', 'api test', 'OPS-1', 'fresh'],
    );
  });

  it('refuses what is beyond reach as if it were not there, and a role that only reads', async () => {
    const { revision } = api.store;
    for (const [kind, id] of [
      ['consumer', 'initech'],
      ['endpoint', 'salaries'],
      ['credential', 'initech-hmac'],
    ] as const) {
      await api.refused('NOT_FOUND', 'petra', 'POST', '/v1/resources:change', change([deletion(kind, id)]));
      await api.refused('NOT_FOUND', 'petra', 'POST', '/v1/resources:change', change([deletion(kind, id, 77)]));
      await api.refused('NOT_FOUND', 'petra', 'POST', '/v1/resources:change', change([deletion(kind, 'absent')]));
      await api.refused('FORBIDDEN', 'victor', 'POST', '/v1/resources:change', change([deletion(kind, id)]));
    }
    const operator = { id: 'petra', role: 'admin', enabled: true, tokens: [] };
    const promotion = change([{ kind: 'operator', id: 'petra', before: 1, after: operator }]);
    await api.refused('FORBIDDEN', 'petra', 'POST', '/v1/resources:change', promotion);
    assert.equal(api.store.revision, revision);
  });

  it('refuses what was planned on another revision, twice the same, and what breaks a rule', async () => {
    const { revision } = api.store;
    const path = '/v1/resources:change';
    await api.refused('REVISION_CHANGED', 'alice', 'POST', path, change([deletion('consumer', 'nobody')]));
    const twice = change([deletion('grant', 'orders/acme'), deletion('grant', 'orders/acme')]);
    await api.refused('MALFORMED_REQUEST', 'alice', 'POST', path, twice);
    const wrong = { kind: 'consumer', id: 'other', before: null, after: { id: 'another', unknown: 1 } };
    const { body } = await api.refused('INVALID_RESOURCE', 'alice', 'POST', path, change([wrong]));
    assert.match(String(body['detail']), /unknown/);
    const renamed = { kind: 'consumer', id: 'other', before: null, after: { id: 'another' } };
    await api.refused('INVALID_RESOURCE', 'alice', 'POST', path, change([renamed]));
    assert.equal(api.store.revision, revision);
  });

  it('reads no file and no variable of the service', async () => {
    const path = '/v1/resources:change';
    for (const [key, value] of [
      ['appSecretFrom', { env: 'HOME' }],
      ['appSecretFrom', { file: '/etc/hostname' }],
    ] as const) {
      const after = { id: 'leak', consumer: 'acme', method: 'hmac', appKey: 'leak-key', state: 'active', [key]: value };
      const sent = change([{ kind: 'credential', id: 'leak', before: null, after }]);
      const { body } = await api.refused('INVALID_RESOURCE', 'alice', 'POST', path, sent);
      assert.match(String(body['detail']), /cannot be read here/);
    }
  });

  it('gives no credential to another consumer, and keeps no secret that is not there', async () => {
    const path = '/v1/resources:change';
    const [stored] = await list('alice', { kind: 'credential', ids: ['initech-hmac'] });
    const own = { ...(stored?.['resource'] as Body), consumer: 'acme' };
    const keeps = { appSecret: 'appSecret' };
    const moved = change([{ kind: 'credential', id: 'initech-hmac', before: 1, after: own, keeps }]);
    const { body } = await api.refused('INVALID_RESOURCE', 'alice', 'POST', path, moved);
    assert.match(String(body['detail']), /do not change hands/);
    const after = { id: 'fresh', consumer: 'acme', method: 'hmac', appKey: 'fresh-key', state: 'active' };
    const empty = change([{ kind: 'credential', id: 'fresh', before: null, after, keeps }]);
    await api.refused('INVALID_RESOURCE', 'alice', 'POST', path, empty);
  });

  it('compares secrets, without a word of those that it has', async () => {
    const ask = async (who: string, secrets: readonly string[]): Promise<readonly unknown[]> => {
      const body = { items: [{ id: 'initech-hmac', secrets }] };
      return itemsOf(await api.done(who, 'POST', '/v1/credentials:compare', { body })).map(({ paths }) => paths);
    };
    const { resource } = (await api.store.find('credential', 'initech-hmac')) ?? assert.fail();
    assert.ok(resource.material.kind === 'shared-secret');
    const secret = resource.material.appSecret.reveal().toString('utf8');
    assert.deepEqual(await ask('alice', [secret, 'another-secret-of-some']), [['appSecret', null]]);
    const body = { items: [{ id: 'initech-hmac', secrets: [secret] }] };
    await api.refused('NOT_FOUND', 'petra', 'POST', '/v1/credentials:compare', { body });
    await api.refused('FORBIDDEN', 'victor', 'POST', '/v1/credentials:compare', { body });
  });

  it('takes no token of an operator that no command would issue', async () => {
    const path = '/v1/resources:change';
    const [stored] = await list('alice', { kind: 'operator', ids: ['petra'] });
    const resource = stored?.['resource'] as Body & { tokens: readonly Body[] };
    const time = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
    const token = {
      id: 'abc',
      hash: hash('sha256', 'x', 'hex'),
      createdAt: time(api.now),
      expiresAt: time(api.now + 60),
    };
    const sent = (tokens: readonly Body[]) =>
      change([{ kind: 'operator', id: 'petra', before: stored?.['revision'], after: { ...resource, tokens } }]);
    const forever = { ...token, expiresAt: time(api.now + 400 * 86_400) };
    await api.refused('INVALID_RESOURCE', 'alice', 'POST', path, sent([...resource.tokens, forever]));
    const old = { ...token, createdAt: time(api.now - 3600) };
    await api.refused('INVALID_RESOURCE', 'alice', 'POST', path, sent([...resource.tokens, old]));
    await api.refused('INVALID_RESOURCE', 'alice', 'POST', path, sent([{ ...token, hash: undefined }]));
    await api.done('alice', 'POST', path, sent([...resource.tokens, token]));
    assert.equal((await api.ask('petra', 'GET', '/v1/operators/me')).status, 200, 'the former token stays');
  });
});
