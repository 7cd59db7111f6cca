import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../src/base/clock.ts';
import { replayKeyOf, type UsedSignature } from '../../../src/check/replay/replay-guard.ts';
import { StoreUnavailable } from '../../../src/check/store/credential-source.ts';
import { connectMongodb } from '../../../src/stores/mongodb/connect.ts';
import { type ReplayDocument } from '../../../src/stores/mongodb/documents.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { MongoReplayGuard } from '../../../src/stores/mongodb/mongo-replay-guard.ts';
import { type FailPoint } from '../../support/mongodb/fail-point.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { signedByHmac } from '../../support/partner/hmac.ts';
import { asCheck } from '../../support/partner/signed-gateway.ts';
import { usedSignature } from '../../support/partner/used-signature.ts';
import { type RequestParts } from '../../support/pipeline/check-request.ts';
import { partnerEndpoint } from '../../support/pipeline/resources.ts';
import { poll } from '../../support/time/poll.ts';
import { ringText } from '../../support/keyring/test-key-ring.ts';
import { type GatewayUnderTest, startTestGateway } from './gateway-under-test.ts';
import { acme, APP_SECRET, HMAC_APP_KEY, put } from './support.ts';

const hmac = partnerEndpoint('hmac');
const endpoints = [
  ...(acme.endpoints ?? []),
  partnerEndpoint('hmac', { id: 'often', paths: [{ prefix: '/often' }] }),
  partnerEndpoint('hmac', {
    id: 'once',
    paths: [{ prefix: '/once' }],
    options: { ...hmac.options, replayProtection: true },
  }),
];

/** Signed anew with each call. */
function sign(path: string): RequestParts {
  const target = `${path}?${randomUUID()}`;
  return asCheck(signedByHmac({ target, appKey: HMAC_APP_KEY, secret: APP_SECRET }));
}

const outages: Readonly<Record<string, FailPoint>> = {
  'loses the connection': { mode: 'alwaysOn', data: { failCommands: ['insert'], closeConnection: true } },
  'does not answer': { mode: 'alwaysOn', data: { failCommands: ['insert'], blockConnection: true, blockTimeMS: 3000 } },
  'has no primary': { mode: 'alwaysOn', data: { failCommands: ['insert'], errorCode: 10107 } },
  'forbids it': { mode: 'alwaysOn', data: { failCommands: ['insert'], errorCode: 13 } },
  'finds the document wrong': { mode: 'alwaysOn', data: { failCommands: ['insert'], errorCode: 121 } },
  'has no majority that confirms': {
    mode: 'alwaysOn',
    data: { failCommands: ['insert'], writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } },
  },
};

describe('replay protection on MongoDB', function () {
  this.timeout(30_000);
  const database = useDatabase();
  let gateways: readonly GatewayUnderTest[] = [];

  const start = async (): Promise<GatewayUnderTest> => {
    const gateway = await startTestGateway(database.uri(), { KEY_RING: ringText() });
    await gateway.line('ready');
    return gateway;
  };
  const ask = async (request: RequestParts, index = 0): Promise<string> =>
    (await gateways[index]?.check(request)) ?? 'no gateway';

  async function during(failPoint: FailPoint, work: () => Promise<void>): Promise<void> {
    const set = await database.failPoint(failPoint);
    try {
      await work();
    } finally {
      await set[Symbol.asyncDispose]();
    }
  }

  const countOf = (message: string): number => (gateways[0]?.log() ?? '').split(message).length - 1;

  before(async () => {
    await ensureSchema(database.db());
    await put(database.db(), { ...acme, endpoints });
    gateways = await Promise.all([start(), start()]);
    for (const index of [0, 1]) {
      await poll('the connection', async () => ((await ask(sign('/once'), index)) === 'ALLOWED' ? true : null));
    }
  });

  after(async () => {
    for (const gateway of gateways) await gateway[Symbol.asyncDispose]();
  });

  it('takes a signature once, whichever replica is asked', async () => {
    const request = sign('/once');
    assert.deepEqual(
      [await ask(request), await ask(request, 1), await ask(request)],
      ['ALLOWED', '401 REQUEST_REPLAYED', '401 REQUEST_REPLAYED'],
    );
    const again = sign('/often');
    assert.deepEqual([await ask(again), await ask(again, 1)], ['ALLOWED', 'ALLOWED']);
  });

  it('lets exactly one of 100 pass that come to two replicas at once', async () => {
    const request = sign('/once');
    const codes = await Promise.all(Array.from({ length: 100 }, (_, index) => ask(request, index % 2)));
    assert.equal(codes.filter((code) => code === 'ALLOWED').length, 1);
    // A machine that is too slow for all of them may leave some undecided.
    for (const code of codes) assert.match(code, /^(ALLOWED|401 REQUEST_REPLAYED|503 STORE_UNAVAILABLE)$/);
  });

  it('keeps a hash and until when, and nothing else', async () => {
    await database.db().collection('replay').deleteMany({});
    // For as long as the longest skew that an endpoint may be given makes it good.
    const earliest = systemClock.nowSeconds() + 7260;
    assert.equal(await ask(sign('/once')), 'ALLOWED');
    const all = await database.db().collection<ReplayDocument>('replay').find().toArray();
    assert.equal(all.length, 1);
    const [{ _id, expiresAt, ...rest } = { _id: '', expiresAt: new Date(0) }] = all;
    assert.match(_id, /^[\w-]{43}$/);
    assert.ok(expiresAt.getTime() >= earliest * 1000 && expiresAt.getTime() <= (earliest + 30) * 1000);
    assert.deepEqual(rest, {});
  });

  for (const [what, failPoint] of Object.entries(outages)) {
    it(`refuses with 503 when MongoDB ${what}, on these endpoints only, and goes on automatically`, async () => {
      const request = sign('/once');
      const before = countOf('used signatures cannot be remembered; endpoints with replayProtection');
      await ask(sign('/often'));
      await during(failPoint, async () => {
        const codes = await Promise.all(Array.from({ length: 8 }, () => ask(sign('/once'))));
        assert.deepEqual(new Set(codes), new Set(['503 STORE_UNAVAILABLE']));
        assert.equal(await ask(request), '503 STORE_UNAVAILABLE');
        assert.equal(await ask(sign('/often')), 'ALLOWED');
        await poll('the log line', async () => {
          const more = await Promise.all(Array.from({ length: 8 }, () => ask(sign('/once'))));
          assert.deepEqual(new Set(more), new Set(['503 STORE_UNAVAILABLE']));
          return countOf('used signatures cannot be remembered; endpoints with replayProtection') > before
            ? true
            : null;
        });
      });
      await poll('the way back', async () => ((await ask(sign('/once'))) === 'ALLOWED' ? true : null));
      assert.equal(countOf('used signatures are remembered again'), before + 1);
    });
  }

  describe('in a guard of its own', () => {
    const told: string[] = [];
    const signature = (parts: Partial<UsedSignature> = {}): UsedSignature => usedSignature(randomUUID(), parts);
    const openGuard = () =>
      new MongoReplayGuard({
        client: connectMongodb(database.uri(), 'reservations'),
        clock: systemClock,
        observer: { down: (detail) => told.push(detail), up: () => told.push('back') },
      });

    it('counts as used what may have been remembered', async () => {
      await using guard = openGuard();
      const used = signature();
      const unconfirmed = { code: 64, errmsg: 'timed out' };
      await during(
        { mode: { times: 1 }, data: { failCommands: ['insert'], writeConcernError: unconfirmed } },
        async () => {
          await assert.rejects(guard.reserve(used), StoreUnavailable);
        },
      );
      assert.equal(await guard.reserve(used), 'repeated');
    });

    it('asks once more when a connection breaks', async () => {
      await using guard = openGuard();
      await during({ mode: { times: 1 }, data: { failCommands: ['insert'], closeConnection: true } }, async () => {
        assert.equal(await guard.reserve(signature()), 'first');
      });
    });

    it('still knows what the server has not removed yet', async () => {
      await using guard = openGuard();
      const late = signature();
      assert.equal(await guard.reserve(late), 'first');
      await database
        .db()
        .collection<ReplayDocument>('replay')
        .updateOne({ _id: replayKeyOf(late) }, { $set: { expiresAt: new Date(Date.now() - 1000) } });
      const reservation = await guard.reserve(late);
      assert.equal(reservation, 'repeated');
    });

    it('leaves places for others: a credential may write as many at once as places are free, a consumer twice as many', async () => {
      await using guard = openGuard();
      await guard.reserve(signature());
      await during(
        { mode: 'alwaysOn', data: { failCommands: ['insert'], blockConnection: true, blockTimeMS: 300 } },
        async () => {
          const borealis = { credentialId: 'borealis', consumerId: 'borealis' };
          const greedy = Array.from({ length: 600 }, () => guard.reserve(signature()));
          const siblings = Array.from({ length: 200 }, () => guard.reserve(signature({ credentialId: 'acme-new' })));
          const others = Array.from({ length: 20 }, () => guard.reserve(signature(borealis)));
          const reservations = await Promise.allSettled([...greedy, ...siblings, ...others]);
          const refused = reservations.flatMap((each, index) =>
            each.status === 'fulfilled' && typeof each.value === 'object' ? [{ index, value: each.value }] : [],
          );
          // Those of the other may fail by their deadline, but never by the share of the first.
          assert.deepEqual(
            refused,
            [...Array(100).keys()]
              .map((count) => ({ index: 500 + count, value: { retryAfterSeconds: 1 } }))
              .concat([...Array(75).keys()].map((count) => ({ index: 725 + count, value: { retryAfterSeconds: 1 } }))),
          );
        },
      );
    });

    it('is given up once, reported once, and refused without a request', async () => {
      told.length = 0;
      const away = new MongoReplayGuard({
        client: connectMongodb('mongodb://127.0.0.1:1/postern', 'reservations'),
        clock: systemClock,
        observer: { down: (detail) => told.push(detail), up: () => told.push('back') },
      });
      const unreachable = {
        name: 'StoreUnavailable',
        message: /MongoDB does not answer at 127\.0\.0\.1:1 \(ECONNREFUSED\)/,
      };
      // The second time tells of a connection, too: it is tried anew.
      await assert.rejects(away.reserve(signature()), unreachable);
      await Promise.all(Array.from({ length: 8 }, () => assert.rejects(away.reserve(signature()), unreachable)));
      assert.equal(told.length, 1);
      assert.match(told[0] ?? '', unreachable.message);
      await away[Symbol.asyncDispose]();
      await assert.rejects(away.reserve(signature()), StoreUnavailable);
    });
  });
});
