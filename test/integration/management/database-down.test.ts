import assert from 'node:assert/strict';
import { type Relay, startRelay } from '../../support/stack/relay.ts';
import { poll } from '../../support/time/poll.ts';
import { changes, type Operation, readOperations } from '../../support/management/operations.ts';
import { type Answer, useManagement } from '../../support/management/use-management.ts';

/** A request of each changing operation that would succeed, in an order in which all do. `{token}` and `{event}` are there. */
const requests: Readonly<Record<string, { readonly path: string; readonly body?: unknown }>> = {
  createEndpoint: {
    path: '/v1/endpoints',
    body: { id: 'new', match: { paths: [{ prefix: '/new' }] }, authentication: 'key' },
  },
  createConsumer: { path: '/v1/consumers', body: { id: 'new' } },
  createGrant: { path: '/v1/grants', body: { endpoint: 'orders', consumer: 'globex' } },
  issueCredential: { path: '/v1/credentials:issue', body: { consumer: 'acme', method: 'key', id: 'issued' } },
  importCredential: {
    path: '/v1/credentials:import',
    body: { consumer: 'acme', methods: ['key'], appKey: 'brought-along-by-acme', id: 'imported' },
  },
  createPlan: {
    path: '/v1/plans',
    body: { id: 'new', priority: 2, limits: [{ requests: 9, unit: 'second' }] },
  },
  createIssuer: {
    path: '/v1/issuers',
    body: { id: 'new', issuer: 'x', jwksUri: 'https://x.example/keys', audiences: ['a'] },
  },
  editIssuer: { path: '/v1/issuers/partner-idp', body: { audiences: ['b'] } },
  deleteIssuer: { path: '/v1/issuers/partner-idp' },
  editPlan: { path: '/v1/plans/gold', body: { priority: 3 } },
  editEndpoint: { path: '/v1/endpoints/orders', body: { description: 'changed' } },
  editConsumer: { path: '/v1/consumers/acme', body: { description: 'changed' } },
  editGrant: { path: '/v1/grants/orders/acme', body: { expiresAt: '2099-01-01T00:00:00Z' } },
  setLimits: {
    path: '/v1/endpoints/orders/limits',
    body: { limits: [{ requests: 9, unit: 'second', per: 'consumer' }] },
  },
  clearLimits: { path: '/v1/endpoints/orders/limits' },
  setGrantLimits: {
    path: '/v1/grants/orders/acme/limits',
    body: { limits: [{ requests: 9, unit: 'second', per: 'consumer' }] },
  },
  clearGrantLimits: { path: '/v1/grants/orders/acme/limits' },
  createOperator: { path: '/v1/operators', body: { id: 'new', role: 'viewer' } },
  issueToken: { path: '/v1/operators/pat/tokens:issue', body: {} },
  revokeToken: { path: '/v1/operators/pat/tokens/{token}:revoke' },
  editOperator: { path: '/v1/operators/pat', body: { name: 'Pat' } },
  revertAuditEvent: { path: '/v1/audit/{event}:revert' },
  editCredential: { path: '/v1/credentials/acme-hmac', body: { allowFrom: ['203.0.113.7'] } },
  rotateCredential: { path: '/v1/credentials/acme-hmac:rotate', body: {} },
  revokeCredential: { path: '/v1/credentials/acme-hmac:revoke' },
  changeResources: {
    path: '/v1/resources:change',
    body: {
      action: 'test',
      changes: [{ kind: 'consumer', id: 'commanded', before: null, after: { id: 'commanded' } }],
    },
  },
  forgetReplica: { path: '/v1/replicas/0123456789ab' },
  deleteOperator: { path: '/v1/operators/pat' },
  deletePlan: { path: '/v1/plans/gold' },
  deleteGrant: { path: '/v1/grants/orders/acme' },
  deleteConsumer: { path: '/v1/consumers/acme' },
  deleteEndpoint: { path: '/v1/endpoints/orders' },
};

describe('the management API while MongoDB is down', function () {
  this.timeout(120_000);
  let relay: Relay;
  const management = useManagement(async (uri) => {
    const { host, pathname } = new URL(uri);
    relay = await startRelay(Number(host.split(':')[1]));
    return `mongodb://127.0.0.1:${String(relay.port)}${pathname}?directConnection=true`;
  });
  const { ask, run } = management;
  let token = '';
  let operations: readonly Operation[] = [];
  const named: Record<string, string> = {};

  before(async () => {
    await run(
      'endpoint create orders --path /orders --authentication hmac --access-condition authenticated-and-authorized',
    );
    for (const id of ['acme', 'globex']) await run(`consumer create ${id}`);
    await run('grant add --endpoint orders --consumer acme');
    await run('credential issue --consumer acme --method hmac --id acme-hmac');
    await run('plan create gold --limit 5/second');
    await run('issuer add partner-idp --issuer idp --jwks-uri https://idp.example/keys --audience a');
    token = await management.newOperator('root', '--role admin');
    await management.newOperator('pat', '--role viewer');
    const pat = await ask('GET', '/v1/operators/pat', { token });
    named['token'] = String((pat.body['tokens'] as readonly { readonly id: string }[])[0]?.id);
    await run('consumer edit globex --name Globex');
    const events = await ask('GET', '/v1/audit?consumer=globex&limit=1', { token });
    named['event'] = String((events.body['items'] as readonly { readonly event: string }[])[0]?.event);
    const [startedAt, expiresAt] = [new Date(), new Date(Date.now() + 3_600_000)];
    const replica = { name: 'gone', version: '1', mode: 'following', ready: true, startedAt, lastSeenAt: startedAt };
    await management.database
      .db()
      .collection<{ _id: string }>('replicas')
      .insertOne({ _id: '0123456789ab', ...replica, expiresAt } as { _id: string });
    // Limits that can be removed.
    for (const path of ['/v1/endpoints/orders/limits', '/v1/grants/orders/acme/limits']) {
      const body = { limits: [{ requests: 5, unit: 'second', per: 'consumer' }] };
      const { status, text } = await ask('PUT', path, { token, body, headers: { 'if-match': '*' } });
      assert.equal(status, 200, text);
    }
    // Sessions are for people of an OpenID Connect provider, who are none here; a token of one's own gets 403.
    operations = (await readOperations(management)).filter((each) => changes(each) && !/Session$/.test(each.id));
    assert.deepEqual(operations.map(({ id }) => id).sort(), Object.keys(requests).sort());
  });
  after(async () => {
    await relay[Symbol.asyncDispose]();
  });

  async function send(id: string): Promise<Answer> {
    const operation = operations.find((each) => each.id === id);
    const { path, body } = requests[id] ?? { path: '' };
    const address = path.replace(/\{(\w+)\}/, (_, name: string) => named[name] ?? '');
    return await ask(operation?.method ?? '', address, {
      token,
      headers: { 'if-match': '*' },
      ...(body === undefined ? {} : { body }),
    });
  }

  const sendAll = async (): Promise<readonly (readonly [string, Answer])[]> =>
    await Promise.all(Object.keys(requests).map(async (id) => [id, await send(id)] as const));

  async function snapshot(): Promise<string> {
    const collections = await management.database.db().collections();
    const texts = collections
      .map(({ collectionName }) => collectionName)
      .sort()
      .map(async (name) => {
        const documents = await management.database.db().collection(name).find().sort({ _id: 1 }).toArray();
        return `${name} ${JSON.stringify(documents)}`;
      });
    return (await Promise.all(texts)).join('\n');
  }

  it('refuses every change with 503 and when to try again, and says so on /readyz', async () => {
    const before = await snapshot();
    relay.cut();
    try {
      for (const [id, { status, headers, body }] of await sendAll()) {
        assert.deepEqual([status, body['code']], [503, 'STORE_UNAVAILABLE'], `${id}: ${JSON.stringify(body)}`);
        assert.match(headers.get('retry-after') ?? '', /^\d+$/, id);
        // Where the database is, is for the log.
        assert.doesNotMatch(JSON.stringify(body), /127\.0\.0\.1|ECONN|POSTERN_STORE/, id);
      }
      await poll('/readyz that says it', async () => {
        const { status, body } = await ask('GET', '/readyz');
        return status === 200 ? null : body['code'];
      });
      assert.equal((await ask('GET', '/readyz')).body['code'], 'STORE_UNAVAILABLE');
      assert.equal((await ask('GET', '/livez')).status, 200);
    } finally {
      relay.restore();
    }
    assert.equal(await snapshot(), before);
  });

  it('leaves nothing half done when the connection ends at the first write, in every changing route', async () => {
    const before = await snapshot();
    await using failing = await management.database.failPoint({
      mode: 'alwaysOn',
      data: { failCommands: ['insert', 'update', 'delete', 'findAndModify'], closeConnection: true },
    });
    assert.ok(failing);
    for (const [id, { status, body }] of await sendAll()) {
      assert.deepEqual([status, body['code']], [503, 'STORE_UNAVAILABLE'], `${id}: ${JSON.stringify(body)}`);
    }
    assert.equal(await snapshot(), before);
  });

  it('makes the same changes when MongoDB is there again', async () => {
    for (const id of Object.keys(requests)) {
      const { status, text } = await send(id);
      assert.ok(status === 200 || status === 201, `${id}: ${String(status)} ${text}`);
    }
  });
});
