import assert from 'node:assert/strict';
import { formatKeyRing } from '../../../src/model/keyring/ring-document.ts';
import { Secret } from '../../../src/model/secret.ts';
import { type UsageDocument } from '../../../src/stores/mongodb/documents.ts';
import { testRingKey } from '../../support/keyring/test-key-ring.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { basic, form } from '../../support/oauth2/oauth2-request.ts';
import { consumer, credential, partnerEndpoint } from '../../support/pipeline/resources.ts';
import { poll } from '../../support/time/poll.ts';
import { release } from '../../support/lifetime/release.ts';
import { type GatewayUnderTest, startTestGateway } from './gateway-under-test.ts';
import { empty, put, type Seed } from './support.ts';

const client = {
  clientId: 'client-of-acme',
  secret: 'the-secret-of-acme-for-tests',
  former: 'the-former-secret-of-acme',
};

const state: Seed = {
  endpoints: [partnerEndpoint('oauth2')],
  consumers: [consumer()],
  credentials: [
    {
      ...credential({
        id: 'acme-oauth2',
        methods: ['oauth2'],
        appKey: client.clientId,
        appSecret: Secret.fromText(client.secret),
        retiringSecret: { appSecret: Secret.fromText(client.former), expiresAt: Date.UTC(2100) / 1000 },
      }),
      appKey: Secret.fromText(client.clientId),
    },
  ],
};

/** The ring that `put` seals with. */
const settings = {
  KEY_RING: formatKeyRing({ currentKeyId: testRingKey(1).id, stagedKeyId: null, keys: [testRingKey(1)] }),
};

/** Posts a form to a gateway's OAuth2 listener, with the client in the header. */
async function post(gateway: GatewayUnderTest, path: string, fields: Record<string, string>, secret = client.secret) {
  const { http } = await gateway.line('ready');
  const response = await fetch(`http://${String(http)}${path}`, {
    method: 'POST',
    headers: [['content-type', 'application/x-www-form-urlencoded'], [...basic(client.clientId, secret)]],
    body: form(fields),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

async function getToken(gateway: GatewayUnderTest, secret?: string): Promise<string> {
  const { status, body } = await post(gateway, '/oauth2/token', { grant_type: 'client_credentials' }, secret);
  assert.equal(status, 200, JSON.stringify(body));
  return String(body['access_token']);
}

const call = async (gateway: GatewayUnderTest, token: string): Promise<string> =>
  await gateway.check({ headers: [['authorization', `Bearer ${token}`]] });

describe('two gateways on one MongoDB', () => {
  const database = useDatabase();
  let first: GatewayUnderTest;
  let second: GatewayUnderTest;

  beforeEach(async () => {
    await empty(database.db());
    await put(database.db(), state);
    [first, second] = await Promise.all([
      startTestGateway(database.uri(), settings),
      startTestGateway(database.uri(), settings),
    ]);
    await Promise.all([first.line('ready'), second.line('ready')]);
  });
  afterEach(() => release(first, second));

  it('accept the tokens of each other', async () => {
    assert.equal(await call(second, await getToken(first)), 'ALLOWED');
    assert.equal(await call(first, await getToken(second)), 'ALLOWED');
  });

  it('refuse a token that was revoked at the other, and one that is started later does, too', async () => {
    const [token, other] = [await getToken(first), await getToken(first)];
    assert.deepEqual([await call(first, token), await call(second, token)], ['ALLOWED', 'ALLOWED']);
    assert.deepEqual(await post(first, '/oauth2/revoke', { token }), { status: 200, body: {} });
    assert.equal(await call(first, token), '401 TOKEN_INVALID');
    await poll('the revocation at the other', async () =>
      (await call(second, token)) === '401 TOKEN_INVALID' ? true : null,
    );
    assert.deepEqual((await post(second, '/oauth2/introspect', { token })).body, { active: false });
    assert.equal(await call(second, other), 'ALLOWED');
    await using third = await startTestGateway(database.uri(), settings);
    await third.line('ready');
    assert.deepEqual([await call(third, token), await call(third, other)], ['401 TOKEN_INVALID', 'ALLOWED']);
  });

  it('end the tokens of a consumer that is disabled', async () => {
    const token = await getToken(first);
    assert.deepEqual([await call(first, token), await call(second, token)], ['ALLOWED', 'ALLOWED']);
    await put(database.db(), { consumers: [consumer({ enabled: false })] });
    for (const gateway of [first, second]) {
      await poll('the token to end', async () => ((await call(gateway, token)) === '401 TOKEN_INVALID' ? true : null));
    }
    const { status, body } = await post(first, '/oauth2/token', { grant_type: 'client_credentials' });
    assert.deepEqual([status, body['error']], [401, 'invalid_client']);
  });

  it('take the former secret, and note that it is still used', async () => {
    await call(first, await getToken(first, client.former));
    await first.gateway.stop(true);
    const usage = await database.db().collection<UsageDocument>('usage').findOne({ _id: 'acme-oauth2' });
    assert.ok(usage?.retiringSecretLastUsedAt instanceof Date);
  });

  it('answer 503, and never that a client is unknown, while MongoDB is down', async () => {
    await using third = await startTestGateway(database.uri(), settings);
    await third.line('ready');
    const token = await getToken(first);
    assert.equal(await call(first, token), 'ALLOWED');
    const failing = await database.failPoint({
      mode: 'alwaysOn',
      data: {
        failCommands: ['find', 'aggregate', 'insert', 'getMore', 'hello'],
        closeConnection: true,
        appName: 'postern',
      },
    });
    try {
      const { status, body } = await post(third, '/oauth2/token', { grant_type: 'client_credentials' });
      assert.deepEqual([status, body['error']], [503, 'temporarily_unavailable']);
      assert.equal((await post(first, '/oauth2/revoke', { token })).status, 503);
      // A client that was seen before gets tokens, and they work.
      assert.equal(await call(first, await getToken(first)), 'ALLOWED');
      assert.equal(await call(third, token), '503 STORE_UNAVAILABLE');
    } finally {
      await failing[Symbol.asyncDispose]();
    }
    await poll('MongoDB to be back', async () =>
      (await post(first, '/oauth2/revoke', { token })).status === 200 ? true : null,
    );
    assert.equal(await call(first, token), '401 TOKEN_INVALID');
  });
});
