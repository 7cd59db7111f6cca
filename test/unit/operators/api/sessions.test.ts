import assert from 'node:assert/strict';
import { noLabelOwners } from '../../../../src/model/label-owners.ts';
import { operatorDefaults } from '../../../../src/model/operator.ts';
import { ApiProblem } from '../../../../src/operators/api/problem.ts';
import type { People } from '../../../../src/operators/api/people.ts';
import type { Session } from '../../../../src/resources/changes/sessions.ts';
import { MemoryApi } from '../../../support/api/memory-api.ts';

const ID_TOKEN = 'eyJ.eyJ.c2ln';

describe('management API: sessions of commands', () => {
  let api: MemoryApi;
  const kept = new Map<string, Session>();
  const asked: unknown[] = [];
  let answer: () => ReturnType<People['identify']>;

  beforeEach(async () => {
    kept.clear();
    asked.length = 0;
    const people: People = {
      metadata: {
        resource: 'https://postern.example.com',
        authorization_servers: ['https://login.example.com'],
        bearer_methods_supported: ['header'],
        scopes_supported: ['openid'],
        postern_client_id: 'postern-commands',
      },
      sessions: {
        add: async (session) => {
          await Promise.resolve(kept.set(session.hash, session));
        },
        find: async (hash) => await Promise.resolve(kept.get(hash) ?? null),
        extend: () => Promise.reject(new Error('a session of a command has a fixed end')),
        remove: async (hash) => {
          await Promise.resolve(kept.delete(hash));
        },
      },
      identify: async (tokens) => {
        asked.push(tokens);
        return await answer();
      },
    };
    api = new MemoryApi({}, noLabelOwners, people);
    await api.add('ada', 'support', { subjects: ['sub-ada'] });
    const operator = { ...operatorDefaults, id: 'ada', role: 'support', subjects: ['sub-ada'] } as const;
    answer = async () => await Promise.resolve({ operator, subject: 'sub-ada' });
  });

  async function begin(): Promise<string> {
    return String((await api.done(ID_TOKEN, 'POST', '/v1/sessions')).body['token']);
  }

  it('tell anyone where people sign in (RFC 9728)', async () => {
    const { status, body } = await api.ask(null, 'GET', '/.well-known/oauth-protected-resource');
    assert.deepEqual([status, body['resource']], [200, 'https://postern.example.com']);
    const without = new MemoryApi();
    await without.refused('NOT_FOUND', null, 'GET', '/.well-known/oauth-protected-resource');
    await without.refused('UNAUTHENTICATED', ID_TOKEN, 'POST', '/v1/sessions');
  });

  it('begin with an ID token, and with what came with it', async () => {
    api.now = 1_790_000_000;
    const { status, body } = await api.done(ID_TOKEN, 'POST', '/v1/sessions', { body: { accessToken: 'opaque' } });
    assert.deepEqual([status, body['expiresAt']], [201, '2026-09-21T15:13:20Z']);
    assert.match(String(body['token']), /^pos_[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(asked, [{ idToken: ID_TOKEN, accessToken: 'opaque', address: '192.0.2.1' }]);
    const [session] = kept.values();
    assert.deepEqual([session?.operatorId, session?.subject, session?.tokenId], ['ada', 'sub-ada', null]);
    assert.ok(!JSON.stringify([...kept]).includes(String(body['token'])));
    await api.refused('MALFORMED_REQUEST', ID_TOKEN, 'POST', '/v1/sessions', { body: { accessToken: 'a b' } });
    await api.refused('MALFORMED_REQUEST', ID_TOKEN, 'POST', '/v1/sessions', { body: { other: 1 } });
    await api.refused('MALFORMED_REQUEST', ID_TOKEN, 'POST', '/v1/sessions', { body: '{' });
    assert.equal(asked.length, 1);
  });

  it('are begun anew each time: a key to answer once is refused, not ignored', async () => {
    const headers = { 'idempotency-key': 'one' };
    const { body } = await api.refused('MALFORMED_REQUEST', ID_TOKEN, 'POST', '/v1/sessions', { headers });
    assert.equal(body['detail'], 'a session is begun anew each time: send no Idempotency-Key');
    assert.equal(kept.size, 0);
  });

  it('stand for the operator, as long as there is the subject and the hour lasts', async () => {
    const token = await begin();
    const { body } = await api.done(token, 'GET', '/v1/operators/me');
    assert.deepEqual([body['id'], body['role'], (body['proof'] as { by: string }).by], ['ada', 'support', 'session']);
    await api.refused('FORBIDDEN', token, 'POST', '/v1/consumers', { body: { id: 'acme' } });
    api.now += 3599;
    await api.done(token, 'GET', '/v1/operators/me');
    api.now += 1;
    await api.refused('UNAUTHENTICATED', token, 'GET', '/v1/operators/me');
    await api.refused('UNAUTHENTICATED', `pos_${'A'.repeat(43)}`, 'GET', '/v1/operators/me');
  });

  it('end when a request says so', async () => {
    const [token, other] = [await begin(), await begin()];
    const { body } = await api.done(token, 'DELETE', '/v1/sessions/current');
    assert.deepEqual(body, { ended: true });
    await api.refused('UNAUTHENTICATED', token, 'GET', '/v1/operators/me');
    await api.done(other, 'GET', '/v1/operators/me');
    await api.refused('FORBIDDEN', 'ada', 'DELETE', '/v1/sessions/current');
  });

  it('begin with nothing else, and an ID token opens nothing else', async () => {
    await api.refused('FORBIDDEN', 'ada', 'POST', '/v1/sessions');
    await api.refused('FORBIDDEN', await begin(), 'POST', '/v1/sessions');
    await api.refused('UNAUTHENTICATED', null, 'POST', '/v1/sessions');
    await api.refused('UNAUTHENTICATED', ID_TOKEN, 'GET', '/v1/operators/me');
    await api.refused('UNAUTHENTICATED', ID_TOKEN, 'GET', '/v1/sessions');
    await api.refused('UNAUTHENTICATED', ID_TOKEN, 'POST', '/v1/sessions/');
  });

  it('are refused, or wait, as the provider says', async () => {
    const headers401 = { 'www-authenticate': 'Bearer realm="postern", error="invalid_token"' };
    answer = () => Promise.reject(new ApiProblem('UNAUTHENTICATED', 'no', { headers: headers401 }));
    await api.refused('UNAUTHENTICATED', ID_TOKEN, 'POST', '/v1/sessions');
    answer = () => Promise.reject(new ApiProblem('PROVIDER_UNAVAILABLE', 'down', { retryAfter: 5 }));
    const { headers } = await api.refused('PROVIDER_UNAVAILABLE', ID_TOKEN, 'POST', '/v1/sessions');
    assert.equal(headers.get('retry-after'), '5');
    assert.equal(kept.size, 0);
  });
});
