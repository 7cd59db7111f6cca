import assert from 'node:assert/strict';
import { type Answer, itemsOf, type MemoryApi } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';

const headers = { 'if-match': '*' };
const HOUR = 3600;

describe('an operator of one team', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
    await api.add('peter', 'admin', { selector: { team: 'people' } });
    // It would keep the consumer from being deleted by its own team.
    await api.done('alice', 'DELETE', '/v1/grants/orders/initech', { headers });
  });

  /** The newest event about something, as somebody who sees all has it. */
  async function newestEvent(query: string): Promise<string> {
    const [event] = itemsOf(await api.done('alice', 'GET', `/v1/audit?limit=1&${query}`));
    return String(event?.['event']);
  }

  /** Everything that an answer says, without what differs by request. */
  const said = ({ body }: Answer): string => JSON.stringify({ ...body, requestId: '' });

  describe('by undoing', () => {
    it('gets back no grant for a group that she may not change', async () => {
      const grant = '/v1/grants/orders/tier%3Dgold';
      await api.done('alice', 'DELETE', grant, { headers });
      const event = await newestEvent('endpoint=orders');
      const { revision } = api.store;
      for (const query of ['', '&scope=command', '&dryRun=true', '&revive=true']) {
        for (const who of ['paula', 'petra']) {
          await api.refused('FORBIDDEN', who, 'POST', `/v1/audit/${event}:revert?${query.slice(1)}`);
        }
      }
      assert.equal(api.store.revision, revision);
      assert.equal(await api.store.find('grant', 'orders/tier=gold'), null);
    });

    it('changes nothing of an endpoint with the role that changes consumers', async () => {
      await api.done('alice', 'PATCH', '/v1/endpoints/orders', { body: { enabled: false }, headers });
      const event = await newestEvent('endpoint=orders');
      await api.refused('FORBIDDEN', 'paula', 'POST', `/v1/audit/${event}:revert?revive=true`);
      await api.done('petra', 'POST', `/v1/audit/${event}:revert?revive=true`);
    });
  });

  it('is held by the store to the rights that she has when the change is made', async () => {
    const taken = { role: 'viewer', enabled: true } as const;
    for (const change of [taken, { role: 'operator', enabled: false } as const]) {
      api.store.beforeCommit = async () => {
        api.store.beforeCommit = null;
        const before = await api.store.find('operator', 'paula');
        assert.ok(before !== null);
        const after = { ...before.resource, ...change };
        await api.store.commit([{ kind: 'operator', id: 'paula', before, after }], { actor: 'alice', action: 'test' });
      };
      const asked = { body: { name: 'Acme' }, headers };
      await api.refused('REVISION_CHANGED', 'paula', 'PATCH', '/v1/consumers/acme', asked);
      assert.equal((await api.store.find('consumer', 'acme'))?.resource.name, null);
      const restored = await api.store.find('operator', 'paula');
      assert.ok(restored !== null);
      const after = { ...restored.resource, role: 'operator', enabled: true } as const;
      await api.store.commit([{ kind: 'operator', id: 'paula', before: restored, after }], {
        ...{ actor: 'alice', action: 'test' },
      });
    }
  });

  describe('of an id that another team had before', () => {
    beforeEach(async () => {
      const asked = { body: { consumer: 'initech', method: 'hmac', id: 'initech-new' } };
      await api.done('peter', 'POST', '/v1/credentials:issue?reason=HR-7', asked);
      await api.done('peter', 'PATCH', '/v1/consumers/initech?reason=HR-8', { body: { name: 'Secret' }, headers });
      api.now += 600;
      await api.done('peter', 'DELETE', '/v1/consumers/initech', { headers });
      api.now += 600;
      const body = { id: 'initech', labels: { team: 'payments' } };
      await api.done('paula', 'POST', '/v1/consumers', { body });
    });

    it('sees nothing of its audit trail, and undoes nothing of it', async () => {
      const seen = itemsOf(await api.done('paula', 'GET', '/v1/audit?consumer=initech'));
      assert.deepEqual(
        seen.map(({ actor, kind, before }) => [actor, kind, before]),
        [['paula', 'consumer', null]],
      );
      const all = itemsOf(await api.done('alice', 'GET', '/v1/audit?consumer=initech'));
      const foreign = all.filter(({ actor }) => actor === 'peter').map(({ event }) => String(event));
      assert.ok(foreign.length >= 4, String(foreign.length));
      for (const event of foreign) {
        await api.refused('NOT_FOUND', 'paula', 'GET', `/v1/audit/${event}`);
        await api.refused('NOT_FOUND', 'paula', 'POST', `/v1/audit/${event}:revert?dryRun=true`);
        await api.refused('NOT_FOUND', 'paula', 'POST', `/v1/audit/${event}:revert?dryRun=true&scope=command`);
      }
    });

    it('leaves what it was to the team that had it', async () => {
      const own = itemsOf(await api.done('peter', 'GET', '/v1/audit?limit=10'));
      assert.deepEqual(
        own.map(({ kind, id, after }) => [`${String(kind)}/${String(id)}`, after === null]),
        [
          ['consumer/initech', true],
          ['credential/initech-new', true],
          ['credential/initech-hmac', true],
          ['consumer/initech', false],
          ['credential/initech-new', false],
        ],
      );
      const deletion = await newestEvent('consumer=initech&actor=peter');
      // What is there now belongs to others, and is not named.
      const undone = await api.refused('CONFLICT', 'peter', 'POST', `/v1/audit/${deletion}:revert?dryRun=true`);
      assert.doesNotMatch(said(undone), /payments|paula/);
    });

    it('sees no usage of its time', async () => {
      const hour = Math.floor(api.now / HOUR);
      const codes = { ALLOWED: 7 };
      api.traffic.push({ endpointId: 'orders', consumerId: 'initech', hour: hour - 1, codes });
      api.traffic.push({ endpointId: 'orders', consumerId: 'initech', hour, codes });
      api.traffic.push({ endpointId: 'orders', consumerId: 'initech', hour: hour + 1, codes: { ALLOWED: 1 } });
      // Within the next hour, and within the life of the tokens.
      api.now += 1700;
      for (const query of ['consumer=initech&by=hour', 'by=consumer', 'label=team%3Dpayments&by=endpoint']) {
        const { body } = await api.done('paula', 'GET', `/v1/usage?${query}`);
        assert.equal((body['total'] as { allowed: number }).allowed, 1, query);
      }
      const { body } = await api.done('alice', 'GET', '/v1/usage?consumer=initech');
      assert.equal((body['total'] as { allowed: number }).allowed, 15);
      const rankedFor = async (who: string): Promise<unknown> =>
        (
          (await api.done(who, 'GET', '/v1/usage/ranking')).body['grows'] as { consumer: string; allowed: number }[]
        ).map(({ consumer, allowed }) => [consumer, allowed]);
      assert.deepEqual(await rankedFor('paula'), [['initech', 1]]);
      assert.deepEqual(await rankedFor('alice'), [['initech', 15]]);
    });
  });

  it('has refusals explained by what is hers, not by what is there now', async () => {
    api.refusals.push({
      ...{ id: '1'.padStart(24, '0'), atMs: api.now * 1000, requestId: 'r-1', endpointId: 'stock', method: 'GET' },
      ...{ path: '/stock', code: 'AUTHENTICATION_FAILED', detail: 'no', isObserved: false, consumerId: 'globex' },
      ...{ credentialId: 'globex-hmac', sourceAddress: null, stringToSign: null, leftOut: 0 },
      ownedBy: ['["team","payments"]'],
    });
    const asked = { body: { labels: { team: 'people' }, description: 'theirs' }, headers };
    for (const path of ['consumers/globex', 'endpoints/stock']) await api.done('alice', 'PATCH', `/v1/${path}`, asked);
    const { body } = await api.done('paula', 'GET', '/v1/refusals/r-1');
    assert.doesNotMatch(JSON.stringify(body), /revoked|theirs|people/);
    await api.refused('NOT_FOUND', 'peter', 'GET', '/v1/refusals/r-1');
    assert.deepEqual(itemsOf(await api.done('peter', 'GET', '/v1/refusals')), []);
    assert.match(JSON.stringify((await api.done('alice', 'GET', '/v1/refusals/r-1')).body), /revoked/);
  });

  it('keeps the usage of a consumer that gets a label that is not hers', async () => {
    api.traffic.push({
      endpointId: 'orders',
      consumerId: 'acme',
      hour: Math.floor(api.now / HOUR) - 1,
      codes: { ALLOWED: 3 },
    });
    await api.done('paula', 'PATCH', '/v1/consumers/acme', { body: { labels: { region: 'eu' } }, headers });
    const { body } = await api.done('paula', 'GET', '/v1/usage?consumer=acme');
    assert.equal((body['total'] as { allowed: number }).allowed, 3);
  });

  describe('who meets what is beyond reach', () => {
    const endpoint = (id: string, prefix: string): object => ({
      ...{ id, labels: { team: 'payments' }, authentication: 'key' },
      match: { paths: [{ prefix }], methods: ['POST'] },
    });

    /** What is asked, and what of others its answer must not say. */
    const meetings: readonly (readonly [method: string, path: string, body: object, named: RegExp])[] = [
      ['POST', '/v1/endpoints', endpoint('mine', '/salaries/list'), /salaries"|GET|such as/],
      ['POST', '/v1/endpoints', endpoint('salaries', '/other'), /people|edit that one/],
      ['POST', '/v1/consumers', { id: 'initech', labels: { team: 'payments' } }, /people|edit that one/],
      ['POST', '/v1/credentials:issue', { id: 'initech-hmac', consumer: 'acme', method: 'hmac' }, /initech"|people/],
    ];

    it('learns no name of it, and leaves a trace, also by a dry run', async () => {
      for (const [method, path, body, named] of meetings) {
        for (const query of ['?dryRun=true&reason=just%20looking', '?reason=just%20looking']) {
          const { revision } = api.store;
          const answer = await api.refused('CONFLICT', 'petra', method, `${path}${query}`, { body });
          assert.doesNotMatch(said(answer), named);
          assert.equal(api.store.revision, revision);
          const [newest] = itemsOf(await api.done('alice', 'GET', '/v1/audit?limit=1'));
          const { actor, action, reason, storeRevision, before, after, refused } = newest ?? {};
          assert.deepEqual(
            [actor, action, reason, storeRevision, before, after],
            ['petra', `api refused ${method} ${path}`, 'just looking', 0, null, null],
          );
          assert.match(String(refused), /salaries|initech/);
          const event = String(newest?.['event']);
          for (const who of ['petra', 'peter']) await api.refused('NOT_FOUND', who, 'GET', `/v1/audit/${event}`);
          await api.refused('CONFLICT', 'alice', 'POST', `/v1/audit/${event}:revert`);
        }
      }
    });

    it('leaves a trace where a grant elsewhere keeps a consumer, also by a dry run', async () => {
      for (const dryRun of ['true', 'false']) {
        const path = `/v1/consumers/acme?dryRun=${dryRun}&reason=just%20looking`;
        const answer = await api.refused('CONFLICT', 'paula', 'DELETE', path, { headers });
        assert.doesNotMatch(said(answer), /salaries/);
        const [newest] = itemsOf(await api.done('alice', 'GET', '/v1/audit?limit=1'));
        const { actor, action, reason, storeRevision, kind, id, refused } = newest ?? {};
        assert.deepEqual(
          [actor, action, reason, storeRevision, kind, id],
          ['paula', 'api refused DELETE /v1/consumers/{id}', 'just looking', 0, 'grant', 'salaries/acme'],
        );
        assert.match(String(refused), /the grant "salaries\/acme"/);
      }
    });

    it('leaves a trace where a part of a command is beyond reach', async () => {
      const changes = await Promise.all(
        ['acme', 'initech'].map(async (id) => {
          const before = await api.store.find('consumer', id);
          assert.ok(before !== null);
          return { kind: 'consumer', id, before, after: { ...before.resource, name: 'Both' } } as const;
        }),
      );
      await api.store.commit(changes, { actor: 'alice', action: 'apply' });
      const event = await newestEvent('consumer=acme');
      const path = `/v1/audit/${event}:revert?scope=command&dryRun=true`;
      const answer = await api.refused('CONFLICT', 'paula', 'POST', path);
      assert.doesNotMatch(said(answer), /initech/);
      const [newest] = itemsOf(await api.done('alice', 'GET', '/v1/audit?limit=1'));
      const { actor, action, storeRevision, kind, id, refused } = newest ?? {};
      assert.deepEqual(
        [actor, action, storeRevision, kind, id],
        ['paula', 'api refused POST /v1/audit/{event}:revert', 0, 'consumer', 'initech'],
      );
      assert.match(String(refused), /the consumer "initech" was changed with it/);
      await api.done('paula', 'POST', `/v1/audit/${event}:revert?dryRun=true`);
    });

    it('learns no credential by an App Key that was one', async () => {
      const asked = (consumer: string): object => ({ consumer, methods: ['key'], appKey: 'an-app-key-of-people' });
      await api.done('peter', 'POST', '/v1/credentials:import', { body: { ...asked('initech'), id: 'theirs' } });
      const held = await api.refused('CONFLICT', 'petra', 'POST', '/v1/credentials:import', { body: asked('acme') });
      assert.doesNotMatch(said(held), /theirs/);
      await api.done('peter', 'DELETE', '/v1/consumers/initech', { headers });
      const former = await api.refused('CONFLICT', 'petra', 'POST', '/v1/credentials:import', { body: asked('acme') });
      assert.doesNotMatch(said(former), /theirs|initech/);
    });

    it('is slowed down after twenty in a minute', async () => {
      const body = { id: 'initech', labels: { team: 'payments' } };
      for (let turn = 0; turn < 20; turn += 1) {
        await api.refused('CONFLICT', 'petra', 'POST', '/v1/consumers?dryRun=true', { body });
      }
      await api.refused('TOO_MANY_REQUESTS', 'petra', 'POST', '/v1/consumers?dryRun=true', { body });
      const kept = itemsOf(await api.done('alice', 'GET', '/v1/audit?revision=0&limit=100'));
      assert.equal(kept.length, 20);
      await api.done('petra', 'GET', '/v1/consumers');
    });
  });
});
