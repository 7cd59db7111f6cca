import assert from 'node:assert/strict';
import { itemsOf, type MemoryApi } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';

describe('management API: secrets that are guessed by comparing', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });

  const path = '/v1/credentials:compare';
  const guess = (id: string, ...secrets: readonly string[]) => ({ body: { items: [{ id, secrets }] } });
  const attempts = async () =>
    itemsOf(await api.done('alice', 'GET', '/v1/audit?limit=100')).filter(({ refused }) => refused !== undefined);

  it('are refused after twenty wrong ones of a credential in a minute, with an audit event', async () => {
    for (let tried = 0; tried < 10; tried += 1) {
      assert.deepEqual(await attempts(), []);
      await api.done('paula', 'POST', path, guess('acme-hmac', `wrong-${String(tried)}`, 'another'));
    }
    const right = (await api.store.find('credential', 'acme-hmac'))?.resource.material;
    assert.ok(right?.kind === 'shared-secret');
    const answer = await api.refused(
      'TOO_MANY_REQUESTS',
      'paula',
      'POST',
      path,
      guess('acme-hmac', right.appSecret.reveal().toString('utf8')),
    );
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    assert.deepEqual(
      (await attempts()).map(({ actor, action, kind, id, refused }) => [actor, action, kind, id, refused]),
      [
        [
          'paula',
          'api refused POST /v1/credentials:compare',
          'credential',
          'acme-hmac',
          '20 wrong secrets were compared with those of the credential "acme-hmac" in a minute',
        ],
      ],
    );
    await api.done('alice', 'POST', path, guess('acme-hmac', 'of another operator'));
    await api.done('paula', 'POST', path, guess('globex-hmac', 'of another credential'));
    api.now += 60;
    await api.done('paula', 'POST', path, guess('acme-hmac', 'in the next minute'));
  });

  it('are not counted where they are right, nor where the credential is beyond reach', async () => {
    const stored = (await api.store.find('credential', 'initech-hmac'))?.resource.material;
    assert.ok(stored?.kind === 'shared-secret');
    const right = guess('initech-hmac', stored.appSecret.reveal().toString('utf8'));
    for (let tried = 0; tried < 25; tried += 1) {
      await api.done('alice', 'POST', path, right);
      await api.refused('NOT_FOUND', 'paula', 'POST', path, guess('initech-hmac', 'wrong'));
    }
    assert.deepEqual(await attempts(), []);
  });

  it('are not told by changes that cannot be made, or are not', async () => {
    const { resource, revision } = (await api.store.find('credential', 'acme-hmac')) ?? assert.fail();
    assert.ok(resource.material.kind === 'shared-secret');
    const selection = { body: { kind: 'credential', ids: ['acme-hmac'] } };
    const [shown] = itemsOf(await api.done('paula', 'POST', '/v1/resources:list', selection));
    const after = shown?.['resource'] as object;
    const right = resource.material.appSecret.reveal().toString('utf8');
    const answersTo = async (query: string, before: number, more: object): Promise<readonly string[]> => {
      const said: string[] = [];
      for (const appSecret of [right, 'a-wrong-secret-of-enough-characters']) {
        const changes = [{ kind: 'credential', id: 'acme-hmac', before, after: { ...after, appSecret } }];
        const asked = { body: { action: 'test', changes, ...more } };
        const { status, body } = await api.ask('paula', 'POST', `/v1/resources:change${query}`, asked);
        said.push(`${String(status)} ${JSON.stringify({ ...body, requestId: '' })}`);
      }
      return said;
    };
    for (const [status, query, before, more] of [
      ['200', '?dryRun=true', revision, {}],
      ['412', '', revision + 1, {}],
      ['412', '', revision, { selector: { team: 'people' } }],
    ] as const) {
      const [one = '', other] = await answersTo(query, before, more);
      assert.ok(one.startsWith(status), one);
      assert.equal(one, other);
    }
    assert.deepEqual((await api.store.find('credential', 'acme-hmac'))?.revision, revision);
  });
});
