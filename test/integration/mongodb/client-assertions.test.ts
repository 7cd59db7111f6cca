import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/clock.ts';
import { publicKeyMaterial } from '../../../src/model/material.ts';
import { Secret } from '../../../src/model/secret.ts';
import type { ReplayDocument, UsageDocument } from '../../../src/stores/mongodb/documents.ts';
import { ringText } from '../../support/keyring/test-key-ring.ts';
import { release } from '../../support/lifetime/release.ts';
import { type FailPoint } from '../../support/mongodb/fail-point.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import {
  ASSERTION_CLIENT,
  assertionFields,
  type AssertionParts,
  clientAssertion,
  partnerKey,
} from '../../support/oauth2/client-assertion.ts';
import { ISSUER } from '../../support/oauth2/forged-token.ts';
import { form } from '../../support/oauth2/oauth2-request.ts';
import { consumer, credential, partnerEndpoint } from '../../support/pipeline/resources.ts';
import { poll } from '../../support/time/poll.ts';
import { type GatewayUnderTest, startTestGateway } from './gateway-under-test.ts';
import { empty, put, type Seed } from './support.ts';

const former = partnerKey('rsa');

const state: Seed = {
  endpoints: [partnerEndpoint('oauth2')],
  consumers: [consumer()],
  credentials: [
    {
      ...credential({
        id: 'acme-key-client',
        methods: ['oauth2'],
        appKey: ASSERTION_CLIENT,
        material: publicKeyMaterial(partnerKey().publicKey, {
          publicKey: former.publicKey,
          expiresAt: Date.UTC(2100) / 1000,
        }),
      }),
      appKey: Secret.fromText(ASSERTION_CLIENT),
    },
  ],
};

/** An assertion of now. */
function assertionNow({ claims = {}, ...parts }: AssertionParts = {}): string {
  const exp = systemClock.nowSeconds() + 60;
  return clientAssertion({ ...parts, claims: { aud: ISSUER, exp, ...(typeof claims === 'string' ? {} : claims) } });
}

/** Asks for a token: status, and error or token. */
async function ask(gateway: GatewayUnderTest, assertion: string): Promise<readonly [status: number, text: string]> {
  const { http } = await gateway.line('ready');
  const response = await fetch(`http://${String(http)}/oauth2/token`, {
    method: 'POST',
    headers: [['content-type', 'application/x-www-form-urlencoded']],
    body: form({ grant_type: 'client_credentials', ...assertionFields(assertion) }),
  });
  const body = (await response.json()) as Record<string, unknown>;
  return [response.status, String(body['error'] ?? body['access_token'])];
}

const statusOf = async (gateway: GatewayUnderTest, assertion = assertionNow()): Promise<number> =>
  (await ask(gateway, assertion))[0];

describe('assertions at two gateways on one MongoDB', () => {
  const database = useDatabase();
  let first: GatewayUnderTest;
  let second: GatewayUnderTest;

  before(async () => {
    await empty(database.db());
    await put(database.db(), state);
    const start = () => startTestGateway(database.uri(), { KEY_RING: ringText() });
    [first, second] = await Promise.all([start(), start()]);
    for (const gateway of [first, second]) {
      await poll('the connection', async () => ((await statusOf(gateway)) === 200 ? true : null));
    }
  });
  after(() => release(first, second));

  it('give tokens that work at the other', async () => {
    const [status, token] = await ask(first, assertionNow());
    assert.equal(status, 200);
    assert.equal(await second.check({ headers: [['authorization', `Bearer ${token}`]] }), 'ALLOWED');
  });

  it('work once, whichever gateway is asked', async () => {
    const assertion = assertionNow();
    assert.equal((await ask(first, assertion))[0], 200);
    for (const gateway of [second, first]) assert.deepEqual(await ask(gateway, assertion), [400, 'invalid_client']);
  });

  it('work once of 20 that come to both at once', async () => {
    const assertion = assertionNow();
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => statusOf(index % 2 === 0 ? first : second, assertion)),
    );
    assert.equal(statuses.filter((status) => status === 200).length, 1);
    assert.deepEqual(
      statuses.filter((status) => status !== 200 && status !== 400),
      [],
    );
  });

  it('are kept as a hash, and longer than they work', async () => {
    const replay = database.db().collection<ReplayDocument>('replay');
    await replay.deleteMany({});
    const exp = systemClock.nowSeconds() + 3600;
    assert.equal(await statusOf(first, assertionNow({ claims: { exp, jti: 'kept' } })), 200);
    const [{ _id, expiresAt, ...rest } = { _id: '', expiresAt: new Date(0) }, ...more] = await replay.find().toArray();
    assert.match(_id, /^[\w-]{43}$/);
    assert.ok(expiresAt.getTime() >= exp * 1000);
    assert.deepEqual([rest, more], [{}, []]);
  });

  it('are taken by the former key, and its use is noted', async () => {
    assert.equal(await statusOf(first, assertionNow({ algorithm: 'PS256', key: former.privateKey })), 200);
    await first.gateway.stop(true);
    const usage = await database.db().collection<UsageDocument>('usage').findOne({ _id: 'acme-key-client' });
    assert.ok(usage?.retiringSecretLastUsedAt instanceof Date);
  });

  const outages: Readonly<Record<string, FailPoint>> = {
    'loses the connection': { mode: 'alwaysOn', data: { failCommands: ['insert'], closeConnection: true } },
    'has no majority that confirms': {
      mode: 'alwaysOn',
      data: { failCommands: ['insert'], writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } },
    },
  };
  for (const [what, failPoint] of Object.entries(outages)) {
    it(`get 503 while MongoDB ${what}, and work again automatically`, async () => {
      const failing = await database.failPoint(failPoint);
      try {
        assert.deepEqual(await ask(second, assertionNow()), [503, 'temporarily_unavailable']);
        const wrong = assertionNow({ key: partnerKey('ed25519', 'stranger').privateKey });
        assert.deepEqual(await ask(second, wrong), [400, 'invalid_client']);
      } finally {
        await failing[Symbol.asyncDispose]();
      }
      await poll('the way back', async () => ((await statusOf(second)) === 200 ? true : null));
    });
  }
});
