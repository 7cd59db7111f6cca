import assert from 'node:assert/strict';
import { StoreUnavailable } from '../../../../src/check/store/credential-source.ts';
import { itemsOf, type MemoryApi } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';

const any = { 'if-match': '*' };

describe('management API: a POST with an Idempotency-Key', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });
  const body = { consumer: 'globex', method: 'hmac' };
  const issue = async (key: string, who = 'paula', more: object = {}): ReturnType<MemoryApi['ask']> =>
    await api.ask(who, 'POST', '/v1/credentials:issue', {
      body: { ...body, ...more },
      headers: { 'idempotency-key': key },
    });

  it('is done once, and gives the same secret again', async () => {
    const first = await issue('"one"');
    const again = await issue('one');
    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.equal(typeof first.body['appSecret'], 'string');
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.equal(first.headers.get('idempotency-replayed'), null);
    assert.equal(again.headers.get('location'), first.headers.get('location'));
    const all = itemsOf(await api.ask('alice', 'GET', '/v1/credentials?consumer=globex'));
    assert.equal(all.length, 2);
    assert.notDeepEqual((await issue('two')).body['id'], first.body['id']);
  });

  it('refuses the key for another request, and keeps it apart for another operator', async () => {
    const first = await issue('one');
    const headers = { 'idempotency-key': 'one' };
    await api.refused('IDEMPOTENCY_MISMATCH', 'paula', 'POST', '/v1/credentials:issue', {
      body: { ...body, id: 'other' },
      headers,
    });
    await api.refused('IDEMPOTENCY_MISMATCH', 'paula', 'POST', '/v1/consumers', { body, headers });
    const other = await issue('one', 'petra');
    assert.equal(other.status, 201);
    assert.notEqual(other.body['id'], first.body['id']);
  });

  it('gives no answer of before to an operator who has lost rights', async () => {
    await issue('one');
    const paula = await api.store.find('operator', 'paula');
    assert.ok(paula !== null);
    const after = { ...paula.resource, role: 'viewer' as const };
    const by = { actor: 'test', action: 'test' };
    await api.store.commit([{ kind: 'operator', id: 'paula', before: paula, after }], by);
    assert.equal((await issue('one')).body['code'], 'IDEMPOTENCY_MISMATCH');
    assert.equal((await issue('two')).body['code'], 'FORBIDDEN');
  });

  it('keeps nothing of what was refused, so that it can be asked again', async () => {
    assert.equal((await issue('one', 'paula', { consumer: 'nobody' })).body['code'], 'NOT_FOUND');
    assert.equal((await issue('one')).status, 201);
    api.store.beforeCommit = () => {
      throw new StoreUnavailable('MongoDB cannot be reached', { cause: null });
    };
    assert.equal((await issue('two')).body['code'], 'STORE_UNAVAILABLE');
    api.store.beforeCommit = null;
    assert.equal((await issue('two')).status, 201);
  });

  it('refuses the key where it is not known what the request did, and while it runs', async () => {
    api.store.beforeCommit = () => {
      throw new Error('a defect');
    };
    assert.equal((await issue('one')).body['code'], 'INTERNAL');
    api.store.beforeCommit = null;
    assert.equal((await issue('one')).body['code'], 'IDEMPOTENCY_CONFLICT');
    let atOnce: Awaited<ReturnType<typeof issue>> | undefined;
    api.store.beforeCommit = async () => {
      api.store.beforeCommit = null;
      atOnce = await issue('two');
    };
    assert.equal((await issue('two')).status, 201);
    assert.equal(atOnce?.body['code'], 'IDEMPOTENCY_CONFLICT');
  });

  it('does not take a key of another form, and needs none to plan', async () => {
    const headers = { 'idempotency-key': 'a b' };
    for (const query of ['', '?dryRun=true']) {
      const path = `/v1/credentials:issue${query}`;
      await api.refused('MALFORMED_REQUEST', 'paula', 'POST', path, { body, headers });
    }
    const asked = { body, headers: { 'idempotency-key': 'one' } };
    await api.done('paula', 'POST', '/v1/credentials:issue?dryRun=true', asked);
    assert.equal((await issue('one')).status, 201);
  });
});

describe('management API: undoing a change', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });
  const newest = async (): Promise<string> => {
    const [event] = itemsOf(await api.done('alice', 'GET', '/v1/audit?limit=1'));
    return String(event?.['event']);
  };
  const edit = async (id: string, body: object): Promise<string> => {
    await api.done('alice', 'PATCH', `/v1/consumers/${id}`, { body, headers: any });
    return await newest();
  };

  it('gives every field back what it had, with a reason, and can be planned', async () => {
    const event = await edit('acme', { name: 'Wrong' });
    const planned = await api.done('paula', 'POST', `/v1/audit/${event}:revert?dryRun=true`);
    assert.deepEqual([planned.body['dryRun'], planned.body['revision']], [true, null]);
    assert.equal((await api.store.find('consumer', 'acme'))?.resource.name, 'Wrong');
    const done = await api.done('paula', 'POST', `/v1/audit/${event}:revert?reason=OPS-17`);
    assert.deepEqual(done.body['notes'], []);
    assert.equal((await api.store.find('consumer', 'acme'))?.resource.name, null);
    const { body } = await api.done('alice', 'GET', `/v1/audit/${await newest()}`);
    assert.deepEqual([body['action'], body['actor'], body['reason']], ['api audit revert', 'paula', 'OPS-17']);
    assert.equal((body['reverts'] as { event: string }).event, event);
  });

  it('refuses what was changed since, and what was stopped', async () => {
    const event = await edit('acme', { name: 'One' });
    await edit('acme', { name: 'Two' });
    const since = await api.refused('CONFLICT', 'alice', 'POST', `/v1/audit/${event}:revert`);
    assert.match(String(since.body['detail']), /has changed since/);
    const stopped = await edit('acme', { enabled: false });
    const refused = await api.refused('CONFLICT', 'alice', 'POST', `/v1/audit/${stopped}:revert`);
    assert.match(
      String(refused.body['detail']),
      /bring back what was stopped.*; to bring it back, ask with revive=true$/,
    );
    await api.done('alice', 'POST', `/v1/audit/${stopped}:revert?revive=true`);
    assert.equal((await api.store.find('consumer', 'acme'))?.resource.enabled, true);
  });

  it('says what helps as requests, never as commands', async () => {
    const details: string[] = [];
    const refused = async (event: string): Promise<void> => {
      const { body } = await api.refused('CONFLICT', 'alice', 'POST', `/v1/audit/${event}:revert`);
      details.push(String(body['detail']));
    };
    await api.done('alice', 'POST', '/v1/consumers', { body: { id: 'hooli' } });
    const made = await newest();
    const issue = { consumer: 'hooli', id: 'hooli-hmac', method: 'hmac' };
    await api.done('alice', 'POST', '/v1/credentials:issue', { body: issue });
    await refused(made);
    await api.done('alice', 'DELETE', '/v1/consumers/hooli', { headers: any });
    const events = itemsOf(await api.done('alice', 'GET', '/v1/audit?limit=2'));
    const credential = events.find(({ kind }) => kind === 'credential');
    await refused(String(credential?.['event']));
    await api.done('alice', 'PATCH', '/v1/operators/victor', { body: { name: 'V' }, headers: any });
    await refused(await newest());
    assert.match(details[0] ?? '', /; DELETE \/v1\/consumers\/hooli deletes it with all that it has$/);
    assert.match(
      details[1] ?? '',
      /Issue a new one: POST \/v1\/credentials:issue with \{"consumer":"hooli","method":"hmac"\}$/,
    );
    assert.match(details[2] ?? '', /make it with PATCH \/v1\/operators\/ID$/);
    for (const detail of details) assert.doesNotMatch(detail, /postern|--/);
  });

  it('is held to role and reach, for all of a command too', async () => {
    const event = await edit('acme', { name: 'One' });
    await api.refused('FORBIDDEN', 'victor', 'POST', `/v1/audit/${event}:revert`);
    const other = await edit('initech', { name: 'One' });
    await api.refused('NOT_FOUND', 'paula', 'POST', `/v1/audit/${other}:revert`);
    const headers = any;
    await api.done('alice', 'PATCH', '/v1/endpoints/orders', { body: { description: 'x' }, headers });
    const endpoint = await newest();
    await api.refused('FORBIDDEN', 'paula', 'POST', `/v1/audit/${endpoint}:revert`);
    await api.done('petra', 'POST', `/v1/audit/${endpoint}:revert`);
    const [acme, initech] = [await api.store.find('consumer', 'acme'), await api.store.find('consumer', 'initech')];
    assert.ok(acme !== null && initech !== null);
    const both = [acme, initech].map((before) => {
      const after = { ...before.resource, description: 'both' };
      return { kind: 'consumer', id: after.id, before, after } as const;
    });
    await api.store.commit(both, { actor: 'ada', action: 'apply' });
    const [, second] = itemsOf(await api.done('alice', 'GET', '/v1/audit?limit=2'));
    const path = `/v1/audit/${String(second?.['event'])}:revert?scope=command`;
    const partly = await api.refused('CONFLICT', 'paula', 'POST', path);
    assert.match(String(partly.body['detail']), /a part of what was changed with it is beyond reach/);
    const { body } = await api.done('alice', 'POST', path);
    assert.equal((body['changes'] as unknown[]).length, 2);
  });
});

describe('management API: operators', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });

  it('see themselves, whatever their role, and nobody else', async () => {
    const { body } = await api.done('paula', 'GET', '/v1/operators/me');
    assert.deepEqual(
      [body['id'], body['role'], body['selector'], body['permissions']],
      ['paula', 'operator', { team: 'payments' }, ['read', 'read-traces', 'change-consumers']],
    );
    for (const who of ['paula', 'petra', 'victor']) {
      await api.refused('FORBIDDEN', who, 'GET', '/v1/operators');
      await api.refused('FORBIDDEN', who, 'GET', '/v1/operators/alice');
      await api.refused('FORBIDDEN', who, 'PATCH', `/v1/operators/${who}`, { body: { role: 'admin' }, headers: any });
      await api.refused('FORBIDDEN', who, 'POST', '/v1/operators', { body: { id: 'eve', role: 'admin' } });
      await api.refused('FORBIDDEN', who, 'POST', `/v1/operators/${who}/tokens:issue`, { body: {} });
      await api.refused('FORBIDDEN', who, 'DELETE', '/v1/operators/alice', { headers: any });
    }
  });

  it('are added, changed and removed by admins who reach everything', async () => {
    const made = await api.done('alice', 'POST', '/v1/operators', {
      body: { id: 'bob', role: 'support', selector: { team: 'payments' } },
    });
    assert.deepEqual([made.status, made.headers.get('etag')], [201, '"1"']);
    const issued = await api.done('alice', 'POST', '/v1/operators/bob/tokens:issue', { body: { expiresAt: '30d' } });
    const token = String(issued.body['token']);
    assert.equal((await api.done(token, 'GET', '/v1/operators/me')).body['id'], 'bob');
    const shown = await api.done('alice', 'GET', '/v1/operators/bob');
    assert.ok(!JSON.stringify(shown.body).includes(token.split('.')[1] ?? token));
    assert.ok(!JSON.stringify(shown.body).includes('hash'));
    await api.done('alice', 'PATCH', '/v1/operators/bob', { body: { selector: { region: 'eu' } }, headers: any });
    assert.deepEqual((await api.done(token, 'GET', '/v1/operators/me')).body['selector'], {
      team: 'payments',
      region: 'eu',
    });
    await api.done('alice', 'POST', `/v1/operators/bob/tokens/${String(issued.body['id'])}:revoke`);
    await api.refused('UNAUTHENTICATED', token, 'GET', '/v1/operators/me');
    await api.refused('NOT_FOUND', 'alice', 'POST', '/v1/operators/bob/tokens/ffffffff:revoke');
    await api.done('alice', 'DELETE', '/v1/operators/bob', { headers: any });
    await api.refused('NOT_FOUND', 'alice', 'GET', '/v1/operators/bob');
    const long = { body: { expiresAt: '400d' } };
    const refused = await api.refused('INVALID_RESOURCE', 'alice', 'POST', '/v1/operators/victor/tokens:issue', long);
    assert.deepEqual(refused.body['errors'], [
      { pointer: '/expiresAt', detail: 'a token works for a year at most, such as 365d' },
    ]);
    await api.refused('INVALID_RESOURCE', 'alice', 'POST', '/v1/operators', { body: { id: 'me', role: 'admin' } });
  });

  it('are never without an admin who reaches everything', async () => {
    for (const body of [{ enabled: false }, { role: 'operator' }, { selector: { team: 'payments' } }]) {
      const answer = await api.refused('CONFLICT', 'alice', 'PATCH', '/v1/operators/alice', { body, headers: any });
      assert.match(String(answer.body['detail']), /the last enabled admin without labels/);
    }
    await api.refused('CONFLICT', 'alice', 'DELETE', '/v1/operators/alice', { headers: any });
    await api.add('andrea', 'admin');
    await api.done('alice', 'PATCH', '/v1/operators/alice', { body: { enabled: false }, headers: any });
    await api.refused('CONFLICT', 'andrea', 'DELETE', '/v1/operators/andrea', { headers: any });
  });

  it('are never without one when two admins remove each other at the same moment', async () => {
    await api.add('andrea', 'admin');
    const waiting: (() => void)[] = [];
    api.store.beforeCommit = async () => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 2) for (const goOn of waiting) goOn();
      });
    };
    const answers = await Promise.all([
      api.ask('alice', 'DELETE', '/v1/operators/andrea', { headers: any }),
      api.ask('andrea', 'DELETE', '/v1/operators/alice', { headers: any }),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    assert.match(String(refused?.body['detail']), /the last enabled admin without labels/);
  });
});
