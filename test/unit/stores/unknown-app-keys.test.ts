import assert from 'node:assert/strict';
import { signedByHmac } from '../../support/partner/hmac.ts';
import { asCheck } from '../../support/partner/signed-gateway.ts';
import { testGateway } from '../../support/pipeline/gateway.ts';
import { keyEndpoint, partnerEndpoint, catalogOf } from '../../support/pipeline/resources.ts';
import { type TestCache, testCache } from '../../support/store/cache.ts';
import { hashOf, held, keyOf } from '../../support/store/held.ts';
import { settle } from '../../support/time/manual-time.ts';

const endpoints = [
  keyEndpoint(),
  keyEndpoint({ id: 'watched', paths: [{ prefix: '/watched' }], options: { mode: 'observe' } }),
  partnerEndpoint('hmac', { id: 'signed', paths: [{ prefix: '/signed' }] }),
] as const;

/** A cache whose filter has these App Keys and whose feed lives. */
async function filtered(...ids: readonly string[]): Promise<TestCache> {
  const test = testCache();
  // The first moments of the clock of a test are those in which a feed was never complete.
  await test.time.advance(100_000);
  const reading = test.appKeys.begin();
  for (const id of ids) reading.add(hashOf(id));
  reading.end();
  test.feed.isLive = true;
  return test;
}

/** What callers with these App Keys get, in the order given: the status, or `waits`. */
async function statusesOf({ cache, time }: TestCache, ids: readonly string[], path = '/orders'): Promise<string[]> {
  const catalog = { ...catalogOf({ endpoints }), credentials: cache };
  const gateway = testGateway({ catalog: () => catalog, clock: time });
  const statuses: string[] = [];
  for (const id of ids) {
    const appKey = keyOf(id);
    const request =
      path === '/signed'
        ? asCheck(signedByHmac({ target: path, appKey, secret: 'not the secret of anybody' }))
        : { path: `${path}?appKey=${appKey}` };
    const answer = gateway.send(request).then(({ kind, ...rest }) => ('status' in rest ? String(rest.status) : kind));
    statuses.push(await Promise.race([answer, settle().then(() => 'waits')]));
  }
  return statuses;
}

describe('an App Key without a holder', () => {
  it('is refused at once and without a look-up while the filter of all App Keys is current', async () => {
    const test = await filtered('a');
    for (let at = 0; at < 5000; at += 1) assert.equal(test.cache.findByAppKey(`nobody-${String(at)}`), null);
    assert.equal(test.reader.asked.length, 0);
    assert.deepEqual([test.cache.counters.filtered, test.cache.counters.misses], [5000, 0]);
    assert.equal(test.cache.isFilterCurrent, true);
  });

  it('is looked up when the feed has not confirmed for more than two seconds, and when App Keys may have been missed', async () => {
    const test = await filtered('a');
    test.feed.confirmedMs = test.time.nowMs();
    test.feed.isLive = false;
    await test.time.advance(2000);
    assert.equal(test.cache.findByAppKey('nobody-1'), null);
    await test.time.advance(1);
    assert.equal(test.cache.isFilterCurrent, false);
    void test.cache.findByAppKey('nobody-1');
    assert.deepEqual(test.reader.asked, [test.reader.next.appKeyHash]);
    test.reader.next.answer(null);
    test.feed.isLive = true;
    assert.equal(test.cache.findByAppKey('nobody-2'), null);
    test.appKeys.lose();
    void test.cache.findByAppKey('nobody-2');
    assert.equal(test.reader.asked.length, 2);
    test.reader.next.answer(null);
  });

  it('is looked up to find out whether the store is back', async () => {
    const test = await filtered('a');
    test.reader.outlook = 'down';
    assert.throws(() => test.cache.findByAppKey('nobody-1'), { name: 'StoreUnavailable' });
    test.reader.outlook = 'trial';
    const finding = test.cache.findByAppKey('nobody-1');
    test.reader.next.answer(null);
    assert.equal(await finding, null);
    assert.equal(test.reader.asked.length, 1);
  });

  it('is found from the moment a change brings it', async () => {
    const test = await filtered();
    assert.equal(test.cache.findByAppKey(keyOf('new')), null);
    test.cache.credentialChanged('new', hashOf('new'));
    const finding = test.cache.findByAppKey(keyOf('new'));
    test.reader.next.answer(held('new'));
    assert.equal((await finding)?.credential.id, 'new');
  });
});

describe('partners whom a replica has not seen', () => {
  it('are served during a flood of invented App Keys, with the filter current', async () => {
    const test = await filtered('a', 'b');
    const finding = test.cache.findByAppKey(keyOf('a'));
    for (let at = 0; at < 5000; at += 1) assert.equal(test.cache.findByAppKey(`nobody-${String(at)}`), null);
    test.reader.next.answer(held('a'));
    assert.equal((await finding)?.credential.id, 'a');
    assert.equal(test.cache.counters.refusedLookUps, 0);
  });

  it('go first with a filter that is out of date', async () => {
    const test = await filtered('a');
    test.feed.isLive = false;
    await test.time.advance(10_000);
    flood(test);
    const finding = test.cache.findByAppKey(keyOf('a'));
    test.reader.open.find(({ appKeyHash }) => appKeyHash === hashOf('a'))?.answer(held('a'));
    assert.equal(await Promise.resolve(finding).then((found) => found?.credential.id), 'a');
    await end(test);
  });
});

/** One more than there is room for. */
function flood(test: TestCache): void {
  for (let at = 0; at < 6 + 256 + 1; at += 1) {
    try {
      void Promise.resolve(test.cache.findByAppKey(`flood-${String(at)}`)).catch(() => null);
    } catch {
      continue;
    }
  }
}

async function end(test: TestCache): Promise<void> {
  for (let rounds = 0; rounds < 60 && test.reader.open.length > 0; rounds += 1) {
    for (const read of [...test.reader.open]) read.answer(null);
    await settle();
  }
}

describe('the status of a caller who is refused', () => {
  const kinds = ['nobody', 'foreign', 'revoked', 'nobody-else'];

  /** `foreign` and `revoked` are in memory. */
  async function prepared(): Promise<TestCache> {
    const test = await filtered('foreign', 'revoked', 'unseen');
    for (const id of ['foreign', 'revoked']) {
      const finding = test.cache.findByAppKey(keyOf(id));
      const found = held(id);
      const credential =
        id === 'foreign'
          ? { ...found.credential, methods: ['oauth2' as const] }
          : { ...found.credential, state: 'revoked' as const };
      test.reader.next.answer({ ...found, credential });
      await finding;
    }
    await settle();
    return test;
  }

  const states: Readonly<Record<string, readonly [string, (test: TestCache) => Promise<void> | void]>> = {
    'while all is well': ['401', () => undefined],
    'in a flood of invented App Keys': ['401', flood],
    'when the store does not answer look-ups': [
      '503',
      (test) => {
        test.reader.outlook = 'down';
      },
    ],
    'when look-ups of real App Keys find no room': [
      '503',
      (test) => {
        for (let at = 0; at < 10 + 1024 + 1; at += 1) test.appKeys.note(hashOf(`real-${String(at)}`));
        for (let at = 0; at < 10 + 1024 + 1; at += 1) {
          try {
            void Promise.resolve(test.cache.findByAppKey(keyOf(`real-${String(at)}`))).catch(() => null);
          } catch {
            continue;
          }
        }
      },
    ],
    'in a flood without a current filter': [
      '503',
      async (test) => {
        test.feed.isLive = false;
        test.feed.confirmedMs = test.time.nowMs();
        await test.time.advance(2500);
        flood(test);
      },
    ],
  };

  for (const [state, [status, bring]] of Object.entries(states)) {
    for (const path of ['/orders', '/signed']) {
      it(`is ${status} for all of them ${state}, on ${path}`, async () => {
        const test = await prepared();
        await bring(test);
        assert.deepEqual(
          await statusesOf(test, kinds, path),
          kinds.map(() => status),
        );
        await end(test);
      });
    }
  }

  it('is that of the reason again a second after the last one who could not be known', async () => {
    const test = await prepared();
    test.feed.isLive = false;
    test.feed.confirmedMs = test.time.nowMs();
    await test.time.advance(2500);
    flood(test);
    await end(test);
    test.feed.isLive = true;
    assert.deepEqual(await statusesOf(test, kinds), ['503', '503', '503', '503']);
    await test.time.advance(1000);
    assert.deepEqual(await statusesOf(test, kinds), ['401', '401', '401', '401']);
  });

  it('changes nothing for callers whose credentials are right, nor in observe mode', async () => {
    const test = await prepared();
    const finding = test.cache.findByAppKey(keyOf('unseen'));
    const found = held('unseen');
    test.reader.next.answer({ ...found, credential: { ...found.credential, methods: ['key'] } });
    await finding;
    test.reader.outlook = 'down';
    assert.deepEqual(await statusesOf(test, ['unseen', 'foreign']), ['allowed', '503']);
    assert.deepEqual(await statusesOf(test, ['foreign'], '/watched'), ['allowed']);
  });
});
