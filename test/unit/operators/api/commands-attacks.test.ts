import assert from 'node:assert/strict';
import { hashAppKey } from '../../../../src/model/app-key.ts';
import { itemsOf, type MemoryApi } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';

type Body = Readonly<Record<string, unknown>>;

describe('management API: what commands may not make of what they read', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });

  const path = '/v1/resources:change';
  const change = (changes: readonly Body[]) => ({ body: { action: 'test', changes } });

  const events = async (): Promise<readonly Body[]> => itemsOf(await api.done('alice', 'GET', '/v1/audit?limit=100'));

  describe('an App Key that the store keeps', () => {
    const named = { certificate: { sha256: 'ab'.repeat(32) } };
    const keeps = { appKey: 'appKey' };
    const sent = (method: string, more: Body) => {
      const after = { id: 'acme-key', consumer: 'acme', method, state: 'active', ...more };
      return change([{ kind: 'credential', id: 'acme-key', before: 1, after, keeps }]);
    };

    it('does not become one that everybody may see', async () => {
      const secret = { appSecret: 'a-secret-of-enough-characters-1234' };
      const { body } = await api.refused('INVALID_RESOURCE', 'paula', 'POST', path, sent('hmac', secret));
      assert.match(String(body['detail']), /the App Key of this credential is secret, and/);
      const [shown] = itemsOf(
        await api.done('paula', 'POST', '/v1/resources:list', { body: { kind: 'credential', ids: ['acme-key'] } }),
      );
      assert.equal((shown?.['resource'] as Body)['appKey'], undefined);
    });

    it('is not told as a hash, which a weak one could be guessed from, but to who asks by that hash', async () => {
      const { resource } = (await api.store.find('credential', 'acme-key')) ?? assert.fail();
      const shown = async (who: string, more: Body): Promise<readonly Body[]> =>
        itemsOf(await api.done(who, 'POST', '/v1/resources:list', { body: { kind: 'credential', ...more } }));
      for (const who of ['victor', 'paula', 'alice']) {
        assert.doesNotMatch(JSON.stringify(await shown(who, {})), new RegExp(resource.appKeyHash), who);
        const [held] = await shown(who, { appKeyHashes: [resource.appKeyHash] });
        assert.equal((held?.['known'] as Body)['appKeyHash'], resource.appKeyHash, who);
      }
      const [other] = await shown('alice', { ids: ['acme-key'], appKeyHashes: ['0'.repeat(64)] });
      assert.equal(other, undefined);
    });

    it('is looked for by few at once, by who may set none', async () => {
      const body = {
        kind: 'credential',
        appKeyHashes: Array.from({ length: 1001 }, (_, at) => hashAppKey(String(at))),
      };
      await api.refused('FORBIDDEN', 'victor', 'POST', '/v1/resources:list', { body });
      await api.done('paula', 'POST', '/v1/resources:list', { body });
    });

    it('stays when a command sends a credential of which only the hash is kept', async () => {
      const { resource } = (await api.store.find('credential', 'acme-key')) ?? assert.fail();
      const before = { ...resource, id: 'acme-hash', appKey: null, appKeyHash: hashAppKey('kept-as-hash') };
      await api.store.commit([{ kind: 'credential', id: 'acme-hash', before: null, after: before }], {
        actor: 'test',
        action: 'credential issue',
      });
      const after = { id: 'acme-hash', consumer: 'acme', method: 'key', state: 'active', allowFrom: ['10.0.0.0/8'] };
      await api.done('paula', 'POST', path, change([{ kind: 'credential', id: 'acme-hash', before: 1, after, keeps }]));
      const stored = (await api.store.find('credential', 'acme-hash')) ?? assert.fail();
      assert.deepEqual([stored.resource.appKeyHash, stored.resource.appKey], [before.appKeyHash, null]);
    });

    it('finds no credential that says it is found by a certificate or by claims', async () => {
      const claims = { issuer: 'payments', claims: { sub: 'acme' } };
      for (const [method, what] of [
        ['certificate', named],
        ['jwt', claims],
      ] as const) {
        const { body } = await api.refused('INVALID_RESOURCE', 'paula', 'POST', path, sent(method, what));
        assert.match(String(body['detail']), /has no App Key/, method);
      }
    });

    it('is not what a certificate is found by', async () => {
      const after = { id: 'acme-cert', consumer: 'acme', method: 'certificate', ...named };
      await api.done('paula', 'POST', path, change([{ kind: 'credential', id: 'acme-cert', before: null, after }]));
      const keyed = { id: 'acme-cert', consumer: 'acme', method: 'key', state: 'active' };
      const back = change([{ kind: 'credential', id: 'acme-cert', before: 1, after: keyed, keeps }]);
      await api.refused('INVALID_RESOURCE', 'paula', 'POST', path, back);
      const other = { ...after, certificate: { sha256: 'cd'.repeat(32) } };
      const renewed = change([{ kind: 'credential', id: 'acme-cert', before: 1, after: other }]);
      await api.done('paula', 'POST', path, renewed);
      const { resource } = (await api.store.find('credential', 'acme-cert')) ?? assert.fail();
      assert.notEqual(resource.appKeyHash, hashAppKey('acme-key'));
    });
  });

  describe('an id that another team has', () => {
    const taken = (kind: string, id: string, more: Body = {}): Body => ({
      kind,
      id,
      before: null,
      after: { id, labels: { team: 'payments' }, ...more },
    });
    /** Fails in any case, so that what is asked beside it is never made. */
    const failing: Body = { kind: 'consumer', id: 'globex', before: 77, after: null };

    it('is met as by every other route: without a name, in the audit trail, and not often', async () => {
      const { revision } = api.store;
      for (const query of ['', '?dryRun=true']) {
        const { body } = await api.refused(
          'CONFLICT',
          'paula',
          'POST',
          `${path}${query}`,
          change([taken('consumer', 'initech'), failing]),
        );
        assert.equal(body['detail'], 'the consumer "initech" already exists; take another "id"');
      }
      assert.equal(api.store.revision, revision);
      const kept = (await events()).filter(({ action }) => String(action).startsWith('api refused'));
      assert.deepEqual(
        kept.map(({ actor, action, id }) => [actor, action, id]),
        Array.from({ length: 2 }, () => ['paula', 'api refused POST /v1/resources:change', 'initech']),
      );
      for (let tried = 2; tried < 20; tried += 1) {
        await api.refused('CONFLICT', 'paula', 'POST', path, change([taken('consumer', 'initech')]));
      }
      await api.refused('TOO_MANY_REQUESTS', 'paula', 'POST', path, change([taken('consumer', 'initech')]));
    });

    it('is met so whatever kind it is of', async () => {
      const key = {
        id: 'initech-hmac',
        consumer: 'acme',
        method: 'key',
        state: 'active',
        appKey: 'of-nobody-else-yet',
      };
      const plan = { id: 'people', labels: undefined, consumerSelector: { team: 'payments' } };
      const limits = { endpointSelector: { team: 'payments' }, priority: 77, limits: [{ requests: 1, unit: 'day' }] };
      for (const each of [
        { kind: 'credential', id: 'initech-hmac', before: null, after: key },
        taken('plan', 'people', { ...plan, ...limits }),
        taken('issuer', 'people', { issuer: 'new', jwksUri: 'https://new.example/k', audiences: ['a'] }),
      ]) {
        await api.refused('CONFLICT', 'petra', 'POST', path, change([each, failing]));
      }
    });

    it('says who has it to operators who reach it', async () => {
      const own = change([taken('consumer', 'acme')]);
      await api.refused('REVISION_CHANGED', 'paula', 'POST', path, own);
      assert.deepEqual(
        (await events()).filter(({ action }) => String(action).startsWith('api refused')),
        [],
      );
    });
  });

  describe('an undoing', () => {
    const undoing = (id: string, before: number, after: Body | null, event: Body) => {
      const reverts = { event: event['event'], storeRevision: event['storeRevision'] };
      return { kind: 'consumer', id, before, after, reverts };
    };
    const acme = { id: 'acme', labels: { team: 'payments', tier: 'gold' } };
    let event: Body;
    beforeEach(async () => {
      const body = { name: 'Wrong' };
      await api.done('alice', 'PATCH', '/v1/consumers/acme', { body, headers: { 'if-match': '*' } });
      event = (await events())[0] ?? assert.fail();
    });

    it('is what the event says, and nothing else', async () => {
      for (const after of [{ ...acme, name: 'Other' }, { ...acme, enabled: false }, null]) {
        const { body } = await api.refused(
          'MALFORMED_REQUEST',
          'paula',
          'POST',
          path,
          change([undoing('acme', 2, after, event)]),
        );
        assert.equal(body['detail'], `what is sent is not what undoes the event ${String(event['event'])}`);
      }
      const other = { kind: 'consumer', id: 'new', before: null, after: { id: 'new', labels: { team: 'payments' } } };
      const beside = change([undoing('acme', 2, acme, event), other]);
      const { body } = await api.refused('MALFORMED_REQUEST', 'paula', 'POST', path, beside);
      assert.equal(body['detail'], 'some changes revert nothing');
      await api.refused('MALFORMED_REQUEST', 'paula', 'POST', path, change([undoing('globex', 1, null, event)]));
      await api.done('paula', 'POST', path, change([undoing('acme', 2, acme, event)]));
      assert.deepEqual((await events())[0]?.['reverts'], {
        event: event['event'],
        storeRevision: event['storeRevision'],
      });
    });

    it('is not of what was changed since', async () => {
      const body = { name: 'Since' };
      await api.done('alice', 'PATCH', '/v1/consumers/acme', { body, headers: { 'if-match': '*' } });
      await api.refused('CONFLICT', 'alice', 'POST', path, change([undoing('acme', 2, acme, event)]));
    });
  });

  it('labels of the consumers of other teams are not found out by a selector', async () => {
    const deletion = { kind: 'endpoint', id: 'orders', before: 1, after: null };
    for (const selector of [{ team: 'payments' }, { team: 'people' }]) {
      const { body } = await api.refused('CONFLICT', 'petra', 'POST', path, {
        body: { action: 'test', changes: [deletion], selector },
      });
      assert.match(String(body['detail']), /^grants of others would go with it; delete it without a selector/);
      assert.doesNotMatch(String(body['detail']), /initech/);
    }
    await api.done('petra', 'POST', path, change([deletion]));
  });
});
