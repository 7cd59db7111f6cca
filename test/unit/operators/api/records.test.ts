import assert from 'node:assert/strict';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import type { Endpoint } from '../../../../src/model/endpoint.ts';
import { readPlain } from '../../../../src/model/document/read-plain.ts';
import { readEndpoint } from '../../../../src/resources/endpoint.ts';
import { ownedBy } from '../../../../src/model/owned-by.ts';
import { refusalAnswers } from '../../../../src/check/refusal.ts';
import type { RefusalRecord } from '../../../../src/check/refusals/refusal-record.ts';
import { type Answer, itemsOf, MemoryApi } from '../../../support/api/memory-api.ts';

const HOUR = Math.floor(1_790_000_000 / 3600);

function endpointOf(id: string, team: string): Endpoint {
  const match = { paths: [{ prefix: `/${id}` }] };
  const declared = { id, labels: { team }, match, scenario: 'partner-openapi', authentication: 'hmac' };
  const read = readPlain<Endpoint>(declared, readEndpoint);
  assert.ok('value' in read, JSON.stringify(read));
  return read.value;
}

function refusalOf(number: number, more: Partial<RefusalRecord> = {}): RefusalRecord {
  return {
    id: number.toString(16).padStart(24, '0'),
    atMs: 1_789_999_000_000 + Math.floor(number / 2),
    requestId: `request-${String(number)}`,
    ...{ endpointId: 'pay', method: 'GET', path: '/pay', code: 'REQUEST_EXPIRED', detail: 'the date is 400 s old' },
    ...{ isObserved: false, consumerId: 'acme', credentialId: 'acme-1', sourceAddress: null, stringToSign: null },
    ownedBy: ownedBy([{ team: 'payments', tier: 'gold' }, { team: 'payments' }]),
    leftOut: 0,
    ...more,
  };
}

/** `payments` has acme and pay, `orders` has initech and orders; paula and sue reach what is of `payments`. */
describe('management API: what happened, within the reach of operators', () => {
  let api: MemoryApi;

  beforeEach(async () => {
    api = new MemoryApi({
      consumers: [
        { ...consumerDefaults, id: 'acme', labels: { team: 'payments' } },
        { ...consumerDefaults, id: 'initech', labels: { team: 'orders' } },
      ],
      endpoints: [endpointOf('pay', 'payments'), endpointOf('orders', 'orders')],
    });
    await api.add('alice', 'admin');
    await api.add('otto', 'support');
    await api.add('victor', 'viewer');
    await api.add('paula', 'operator', { selector: { team: 'payments' } });
  });

  describe('audit', () => {
    const edit = async (id: string, body: object): Promise<void> => {
      await api.done('alice', 'PATCH', `/v1/consumers/${id}`, { body, headers: { 'if-match': '*' } });
    };
    const idsOf = (answer: Answer): unknown => itemsOf(answer).map(({ kind, id }) => `${String(kind)}/${String(id)}`);

    it('lists the newest first, by filters and by pages', async () => {
      for (let turn = 0; turn < 5; turn += 1) await edit('acme', { name: `Acme ${String(turn)}` });
      await edit('initech', { name: 'Initech' });
      const all = await api.done('alice', 'GET', '/v1/audit?consumer=acme&action=api%20consumer%20edit');
      assert.deepEqual(
        itemsOf(all).map(({ after }) => (after as { name: string }).name),
        ['Acme 4', 'Acme 3', 'Acme 2', 'Acme 1', 'Acme 0'],
      );
      const names: unknown[] = [];
      let path: string | null = '/v1/audit?consumer=acme&limit=2&fields=after';
      while (path !== null) {
        const page = await api.done('alice', 'GET', path);
        names.push(...itemsOf(page).map(({ after }) => (after as { name: string }).name));
        const { nextCursor } = page.body;
        path = typeof nextCursor === 'string' ? `/v1/audit?consumer=acme&limit=2&cursor=${nextCursor}` : null;
      }
      assert.deepEqual(names, ['Acme 4', 'Acme 3', 'Acme 2', 'Acme 1', 'Acme 0']);
      assert.deepEqual(itemsOf(await api.done('alice', 'GET', '/v1/audit?since=2030-01-01T00:00:00Z')), []);
      assert.equal(itemsOf(await api.done('alice', 'GET', '/v1/audit?until=1s&consumer=acme')).length, 0);
      assert.equal(itemsOf(await api.done('alice', 'GET', '/v1/audit?actor=alice')).length, 6);
    });

    it('shows one change with both sides and the fields that differ', async () => {
      await edit('acme', { name: 'Acme Ltd' });
      const [last] = itemsOf(await api.done('otto', 'GET', '/v1/audit?limit=1'));
      const { body } = await api.done('otto', 'GET', `/v1/audit/${String(last?.['event'])}`);
      assert.deepEqual(body['fields'], [{ path: 'name', before: null, after: 'Acme Ltd' }]);
      assert.equal((body['before'] as { id: string }).id, 'acme');
      await api.refused('NOT_FOUND', 'otto', 'GET', `/v1/audit/${'f'.repeat(24)}`);
      await api.refused('MALFORMED_REQUEST', 'otto', 'GET', '/v1/audit/1');
      await api.refused('MALFORMED_REQUEST', 'otto', 'GET', '/v1/audit?since=yesterday');
      await api.refused('MALFORMED_REQUEST', 'otto', 'GET', '/v1/audit?cursor=YWJj');
    });

    it('is not for viewers, and of operators only for those who manage them', async () => {
      await api.refused('FORBIDDEN', 'victor', 'GET', '/v1/audit');
      assert.deepEqual(idsOf(await api.done('otto', 'GET', '/v1/audit')), []);
      const [newest] = itemsOf(await api.done('alice', 'GET', '/v1/audit?limit=1'));
      assert.deepEqual([newest?.['kind'], newest?.['id']], ['operator', 'paula']);
      await api.refused('NOT_FOUND', 'otto', 'GET', `/v1/audit/${String(newest?.['event'])}`);
    });

    it('leaves out what is, or was, beyond reach', async () => {
      await edit('acme', { name: 'Acme' });
      await edit('initech', { name: 'Initech' });
      const [other] = itemsOf(await api.done('alice', 'GET', '/v1/audit?consumer=initech'));
      assert.deepEqual(idsOf(await api.done('paula', 'GET', '/v1/audit')), ['consumer/acme']);
      await api.refused('NOT_FOUND', 'paula', 'GET', `/v1/audit/${String(other?.['event'])}`);
      const beyond = await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/audit?consumer=initech');
      assert.equal(beyond.body['detail'], 'there is no consumer "initech"');
      await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/audit?endpoint=orders');
      // What it was with another team stays there.
      await edit('initech', { labels: { team: 'payments' } });
      assert.deepEqual(idsOf(await api.done('paula', 'GET', '/v1/audit')), ['consumer/acme']);
      await edit('initech', { name: 'Ours' });
      assert.deepEqual(idsOf(await api.done('paula', 'GET', '/v1/audit')), ['consumer/initech', 'consumer/acme']);
      // And what it was here stays here.
      await edit('acme', { labels: { team: 'orders' } });
      await edit('acme', { name: 'Theirs' });
      assert.deepEqual(idsOf(await api.done('paula', 'GET', '/v1/audit')), ['consumer/initech', 'consumer/acme']);
    });

    it('shows what was deleted by its last labels', async () => {
      const headers = { 'if-match': '*' };
      for (const id of ['acme', 'initech']) await api.done('alice', 'DELETE', `/v1/consumers/${id}`, { headers });
      assert.deepEqual(idsOf(await api.done('paula', 'GET', '/v1/audit')), ['consumer/acme']);
    });

    it('passes over everything of which an operator sees nothing, and cuts no page for it', async () => {
      await edit('acme', { name: 'Acme' });
      const many = Array.from({ length: 2100 }, (_, at) => ({ ...consumerDefaults, id: `other-${String(at)}` }));
      const operation = { actor: 'apply', action: 'apply' };
      await api.store.commit(
        many.map((after) => ({ kind: 'consumer', id: after.id, before: null, after })),
        operation,
      );
      const only = await api.done('paula', 'GET', '/v1/audit?limit=10');
      assert.deepEqual([idsOf(only), only.body['nextCursor']], [['consumer/acme'], null]);
    });
  });

  describe('usage', () => {
    const codes = { ALLOWED: 10, RATE_LIMITED: 2, REQUEST_EXPIRED: 1 };
    beforeEach(() => {
      for (const hour of [HOUR - 25, HOUR]) {
        for (const endpointId of ['pay', 'orders']) {
          api.traffic.push({ endpointId, consumerId: null, hour, codes: { ...codes, CREDENTIALS_MISSING: 5 } });
          for (const consumerId of ['acme', 'initech']) api.traffic.push({ endpointId, consumerId, hour, codes });
        }
      }
    });
    const rowsOf = ({ body }: Answer): unknown => body['rows'];

    it('adds up by time, consumer and endpoint, as the command does', async () => {
      const { body } = await api.done('victor', 'GET', '/v1/usage');
      assert.deepEqual(body['rows'], [
        { day: '2026-09-20', allowed: 20, refused: 12, limited: 4, codes: twice({ ...codes, CREDENTIALS_MISSING: 5 }) },
        { day: '2026-09-21', allowed: 20, refused: 12, limited: 4, codes: twice({ ...codes, CREDENTIALS_MISSING: 5 }) },
      ]);
      assert.equal(body['since'], '2026-09-14T00:00:00Z');
      const one = await api.done('victor', 'GET', '/v1/usage?consumer=acme&endpoint=pay&by=endpoint&since=2h');
      assert.deepEqual(rowsOf(one), [{ endpoint: 'pay', allowed: 10, refused: 1, limited: 2, codes }]);
      const top = await api.done('victor', 'GET', '/v1/usage?by=consumer&limit=1');
      assert.deepEqual((rowsOf(top) as object[]).length, 1);
      assert.equal((top.body['total'] as { allowed: number }).allowed, 80);
    });

    it('puts those with the most of one count first, and keeps as many of them as are asked for', async () => {
      const count = { consumerId: null, hour: HOUR };
      api.traffic.push({ ...count, endpointId: 'orders', codes: { ALLOWED: 20 } });
      api.traffic.push({ ...count, endpointId: 'pay', codes: { AUTHENTICATION_FAILED: 9 } });
      const first = async (query: string): Promise<unknown> => {
        const answer = await api.done('victor', 'GET', `/v1/usage?by=endpoint&limit=1${query}`);
        return (rowsOf(answer) as { endpoint: string }[]).map(({ endpoint }) => endpoint);
      };
      assert.deepEqual(await first(''), ['orders']);
      assert.deepEqual(await first('&sort=refused'), ['pay']);
      await api.refused('MALFORMED_REQUEST', 'victor', 'GET', '/v1/usage?by=endpoint&sort=codes');
    });

    it('ends with the span of time that begins before the end', async () => {
      const of = async (until: string): Promise<unknown> => {
        const answer = await api.done('victor', 'GET', `/v1/usage?until=${until}`);
        return (rowsOf(answer) as { day: string }[]).map(({ day }) => day);
      };
      assert.deepEqual(await of('2026-09-21T00:00:00Z'), ['2026-09-20']);
      assert.deepEqual(await of('2026-09-21T00:00:01Z'), ['2026-09-20', '2026-09-21']);
      await api.refused('MALFORMED_REQUEST', 'victor', 'GET', '/v1/usage?since=1d&until=7d');
    });

    it('counts for an operator with labels what is within reach only', async () => {
      const total = async (query: string): Promise<unknown> => {
        const { body } = await api.done('paula', 'GET', `/v1/usage?${query}`);
        return (body['total'] as { allowed: number }).allowed;
      };
      const names = async (by: string): Promise<unknown> => {
        const answer = await api.done('paula', 'GET', `/v1/usage?by=${by}`);
        return (rowsOf(answer) as Record<string, unknown>[]).map((row) => row[by]);
      };
      assert.equal(await total(''), 20);
      assert.equal(await total('consumer=acme'), 20);
      assert.equal(await total('label=team%3Dorders'), 0);
      assert.deepEqual(await names('consumer'), ['acme']);
      assert.deepEqual(await names('endpoint'), ['pay']);
      await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/usage?consumer=initech');
      await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/usage?endpoint=orders');
      await api.refused('NOT_FOUND', 'victor', 'GET', '/v1/usage?consumer=nobody');
    });

    const twice = (counts: Readonly<Record<string, number>>): unknown =>
      Object.fromEntries(Object.entries(counts).map(([code, count]) => [code, 2 * count]));
  });

  describe('refusals', () => {
    it('lists the newest first, by filters and by pages', async () => {
      for (let number = 0; number < 7; number += 1) api.refusals.push(refusalOf(number));
      api.refusals.push(refusalOf(9, { code: 'AUTHENTICATION_FAILED', consumerId: 'initech', endpointId: 'orders' }));
      const seen: unknown[] = [];
      let cursor: unknown = null;
      do {
        const from = typeof cursor === 'string' ? `&cursor=${cursor}` : '';
        const page = await api.done('otto', 'GET', `/v1/refusals?limit=3&consumer=acme${from}`);
        seen.push(...itemsOf(page).map(({ requestId }) => requestId));
        cursor = page.body['nextCursor'];
      } while (cursor !== null);
      assert.deepEqual(
        seen,
        [6, 5, 4, 3, 2, 1, 0].map((number) => `request-${String(number)}`),
      );
      const failed = itemsOf(
        await api.done('otto', 'GET', '/v1/refusals?code=AUTHENTICATION_FAILED&fields=code,status'),
      );
      assert.deepEqual(failed, [{ code: 'AUTHENTICATION_FAILED', status: 401 }]);
    });

    it('says what one means and how to fix it', async () => {
      api.refusals.push(refusalOf(1), refusalOf(10));
      const { body } = await api.done('otto', 'GET', '/v1/refusals/request-1');
      const [only, more] = body['items'] as Record<string, unknown>[];
      assert.ok(only !== undefined && more === undefined);
      const [mistake] = only['mistakes'] as { name: string; fix: string }[];
      assert.deepEqual([only['status'], mistake?.name], [401, 'request-expired']);
      assert.equal(only['message'], refusalAnswers.REQUEST_EXPIRED.message);
      assert.equal(only['advice'], undefined);
      assert.match(mistake?.fix ?? '', /^Set the clock of the machine that signs/);
      assert.match(String(only['meaning']), /^Date is more than 300 seconds from our clock/);
      const missing = await api.refused('NOT_FOUND', 'otto', 'GET', '/v1/refusals/request-2');
      assert.match(String(missing.body['detail']), /no refusal with the request id request-2 is kept/);
    });

    it('lists what no endpoint took to those who reach everything', async () => {
      const unmatched = { consumerId: null, credentialId: null, endpointId: null, ownedBy: undefined };
      const detail = 'the endpoint pay takes GET; the request is POST';
      api.refusals.push(refusalOf(1), refusalOf(2, { ...unmatched, code: 'ENDPOINT_NOT_FOUND', detail }));
      const listed = async (by: string): Promise<readonly unknown[]> =>
        itemsOf(await api.done(by, 'GET', '/v1/refusals?unmatched=true')).map(({ detail }) => detail);
      assert.deepEqual([await listed('otto'), await listed('paula')], [[detail], []]);
      assert.equal(itemsOf(await api.done('otto', 'GET', '/v1/refusals')).length, 1);
      const { body } = await api.done('otto', 'GET', '/v1/refusals/request-2');
      const [only] = body['items'] as Record<string, unknown>[];
      const [mistake] = only?.['mistakes'] as { what: string }[];
      assert.deepEqual([mistake?.what, only?.['consumer'], only?.['notes']], [detail, undefined, []]);
      await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/refusals/request-2');
    });

    it('is not for viewers, and leaves out what is beyond reach', async () => {
      api.refusals.push(
        refusalOf(1),
        refusalOf(2, { consumerId: 'initech', ownedBy: [] }),
        refusalOf(3, { endpointId: 'orders', ownedBy: ownedBy([{ team: 'orders' }]) }),
        refusalOf(4, { endpointId: null, code: 'invalid_client' }),
        // Of a former version.
        refusalOf(5, { ownedBy: undefined }),
      );
      await api.refused('FORBIDDEN', 'victor', 'GET', '/v1/refusals');
      await api.refused('FORBIDDEN', 'victor', 'GET', '/v1/refusals/request-1');
      const seen = itemsOf(await api.done('paula', 'GET', '/v1/refusals')).map(({ requestId }) => requestId);
      assert.deepEqual(seen, ['request-4', 'request-1']);
      assert.equal(itemsOf(await api.done('otto', 'GET', '/v1/refusals')).length, 5);
      for (const number of [2, 3, 5]) {
        await api.refused('NOT_FOUND', 'paula', 'GET', `/v1/refusals/request-${String(number)}`);
      }
      await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/refusals?consumer=initech');
      await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/refusals?endpoint=orders');
    });
  });

  it('keeps who had a replica forgotten, for those who reach everything', async () => {
    const common = { version: '1', mode: 'following', unreadiness: null, ageMs: 1, servesForMs: 1 };
    api.replicas.push({ ...common, id: 'a1', name: 'pod-a', revision: null, silentMs: 90_000 });
    await api.done('alice', 'DELETE', '/v1/replicas/a1?reason=OPS-7');
    await api.refused('NOT_FOUND', 'alice', 'DELETE', '/v1/replicas/a1');
    const forgotten = itemsOf(await api.done('otto', 'GET', '/v1/audit?kind=replica'));
    assert.deepEqual(
      forgotten.map(({ actor, action, reason, id, before, after }) => [actor, action, reason, id, before, after]),
      [['alice', 'api replica forget', 'OPS-7', 'a1', { id: 'a1', name: 'pod-a', version: '1' }, null]],
    );
    assert.deepEqual(itemsOf(await api.done('paula', 'GET', '/v1/audit?kind=replica')), []);
    const event = String(forgotten[0]?.['event']);
    await api.done('otto', 'GET', `/v1/audit/${event}`);
    const { body } = await api.refused('CONFLICT', 'alice', 'POST', `/v1/audit/${event}:revert`);
    assert.match(String(body['detail']), /reports again by itself/);
  });

  it('shows replicas with the revision of the store', async () => {
    const common = { version: '1', mode: 'following', unreadiness: null, ageMs: 60_000, servesForMs: 1 };
    api.replicas.push({ ...common, id: 'a', name: 'one', revision: { latest: 2, underWay: [] }, silentMs: 1000 });
    const answer = await api.done('victor', 'GET', '/v1/replicas');
    assert.equal(answer.body['storeRevision'], 4);
    assert.deepEqual(itemsOf(answer), [
      {
        ...{ id: 'a', name: 'one', version: '1', ready: true, stale: false, mode: 'following', revision: 2, behind: 2 },
        ...{ lastSeenSeconds: 1, ageSeconds: 60 },
        exact: { latest: 2, underWay: [], ageMs: 60_000, silentMs: 1000, servesForMs: 1 },
      },
    ]);
  });
});
