import assert from 'node:assert/strict';
import { isPromise, type Pending } from '../../../src/base/pending.ts';
import {
  CredentialUnreadable,
  type HeldCredential,
  StoreUnavailable,
} from '../../../src/check/store/credential-source.ts';
import { type TestCache, testCache } from '../../support/store/cache.ts';
import { hashOf, held, keyOf } from '../../support/store/held.ts';
import { settle } from '../../support/time/manual-time.ts';

/** What a look-up has come to by now: the version found, null for nobody, the message of a fault, or that it waits. */
async function stateOf(finding: Pending<HeldCredential | null>): Promise<string | null> {
  const waits = settle().then(() => 'waits');
  const found = Promise.resolve(finding).then(versionOf, (error: unknown) => {
    assert.ok(error instanceof StoreUnavailable);
    return error.message;
  });
  return await Promise.race([found, waits]);
}

function versionOf(found: HeldCredential | null): string | null {
  return found === null ? null : found.consumer.description;
}

/** What is answered at once, without a promise. */
function atOnce({ cache }: TestCache, id: string): string | null {
  const found = cache.findByAppKey(keyOf(id));
  assert.ok(!isPromise(found), 'must be answered at once');
  return versionOf(found);
}

describe('an App Key that is in the cache', () => {
  it('is answered at once', async () => {
    const test = testCache();
    await test.learn('a');
    assert.equal(atOnce(test, 'a'), '1');
    assert.deepEqual(test.reader.asked, [hashOf('a')]);
    assert.equal(test.cache.counters.hits, 1);
    assert.equal(test.cache.counters.misses, 1);
  });

  it('is answered for good while the change feed is complete', async () => {
    const test = testCache();
    await test.learn('a');
    test.feed.isLive = true;
    await test.time.advance(3_600_000);
    assert.equal(atOnce(test, 'a'), '1');
    assert.equal(test.reader.asked.length, 1);
  });

  it('is made fresh in the background when it is older than 2 s, once at a time', async () => {
    const test = testCache();
    await test.learn('a');
    await test.time.advance(2000);
    assert.equal(atOnce(test, 'a'), '1');
    assert.equal(test.reader.open.length, 0);
    await test.time.advance(1);
    assert.equal(atOnce(test, 'a'), '1');
    assert.equal(atOnce(test, 'a'), '1');
    assert.equal(test.reader.open.length, 1);
    test.reader.next.answer(held('a', 'acme', 2));
    await settle();
    assert.equal(atOnce(test, 'a'), '2');
    await test.time.advance(2000);
    assert.equal(atOnce(test, 'a'), '2');
    assert.equal(test.reader.asked.length, 2);
  });

  it('counts its age from the beginning of the read, not from its end', async () => {
    const test = testCache();
    const finding = test.cache.findByAppKey(keyOf('a'));
    await test.time.advance(1999);
    test.reader.next.answer(held('a'));
    await finding;
    await test.time.advance(2);
    assert.equal(atOnce(test, 'a'), '1');
    assert.equal(test.reader.open.length, 1);
  });

  it('waits for the store when it is older than 5 s, and is answered with what is read', async () => {
    const test = testCache();
    await test.learn('a');
    await test.time.advance(5000);
    assert.equal(atOnce(test, 'a'), '1');
    test.reader.next.fail();
    await test.time.advance(1001);
    const finding = test.cache.findByAppKey(keyOf('a'));
    const other = test.cache.findByAppKey(keyOf('a'));
    assert.equal(await stateOf(finding), 'waits');
    assert.equal(test.reader.open.length, 1);
    test.reader.next.answer(held('a', 'acme', 2));
    assert.equal(await stateOf(finding), '2');
    assert.equal(await stateOf(other), '2');
    assert.equal(test.time.timers, 0);
  });

  it('has no holder any more when a read in the background does not find it', async () => {
    const test = testCache();
    await test.learn('a');
    await test.time.advance(3000);
    assert.equal(atOnce(test, 'a'), '1');
    test.reader.next.answer(null);
    await settle();
    assert.equal(atOnce(test, 'a'), null);
    assert.deepEqual([test.cache.size, test.cache.unknownSize], [0, 1]);
  });
});

describe('a store that does not answer', () => {
  it('costs a known caller 200 ms once; then the entry is served at once for a second, for every caller', async () => {
    const test = testCache();
    await test.learn('a');
    await test.learn('b');
    await test.time.advance(6000);
    const finding = test.cache.findByAppKey(keyOf('a'));
    await test.time.advance(199);
    assert.equal(await stateOf(finding), 'waits');
    await test.time.advance(1);
    assert.equal(await stateOf(finding), '1');
    assert.equal(atOnce(test, 'a'), '1');
    assert.equal(atOnce(test, 'b'), '1');
    assert.equal(test.cache.counters.stale, 3);
    await test.time.advance(1000);
    assert.ok(isPromise(test.cache.findByAppKey(keyOf('b'))));
  });

  it('makes no caller wait whose look-up has been under way for 200 ms', async () => {
    const test = testCache();
    await test.learn('a');
    await test.time.advance(4900);
    assert.equal(atOnce(test, 'a'), '1');
    await test.time.advance(250);
    const finding = test.cache.findByAppKey(keyOf('a'));
    await test.time.advance(0);
    assert.equal(await stateOf(finding), '1');
    assert.equal(test.reader.asked.length, 2);
  });

  it('is noticed by no caller when it fails at once', async () => {
    const test = testCache();
    await test.learn('a');
    await test.time.advance(6000);
    const finding = test.cache.findByAppKey(keyOf('a'));
    test.reader.next.fail();
    assert.equal(await stateOf(finding), '1');
    assert.equal(test.time.timers, 0);
  });

  it('is asked once in a while only when the breaker is open, and entries are served at once', async () => {
    const test = testCache();
    await test.learn('a');
    await test.learn('b');
    test.reader.outlook = 'down';
    await test.time.advance(30_000);
    for (const id of ['a', 'b', 'a', 'b']) assert.equal(atOnce(test, id), '1');
    assert.equal(test.reader.asked.length, 2);
    test.reader.outlook = 'trial';
    assert.equal(atOnce(test, 'a'), '1');
    test.reader.outlook = 'down';
    assert.equal(atOnce(test, 'a'), '1');
    assert.equal(atOnce(test, 'b'), '1');
    assert.equal(test.reader.asked.length, 3);
    test.reader.next.answer(held('a', 'acme', 2));
    await settle();
    assert.equal(atOnce(test, 'a'), '2');
  });

  it('is the end of an entry that was right longer ago than maxStaleSeconds', async () => {
    const test = testCache({ maxStaleSeconds: 60 });
    await test.learn('a');
    test.feed.confirmedMs = test.time.nowMs() + 100_000;
    await test.time.advance(160_000);
    test.reader.outlook = 'down';
    assert.equal(atOnce(test, 'a'), '1');
    await test.time.advance(1);
    assert.throws(() => test.cache.findByAppKey(keyOf('a')), {
      name: 'StoreUnavailable',
      message: 'the store does not answer, and the App Key is not held in memory',
    });
    test.reader.outlook = 'reachable';
    const finding = test.cache.findByAppKey(keyOf('a'));
    test.reader.next.fail();
    assert.equal(await stateOf(finding), 'no primary');
    const another = test.cache.findByAppKey(keyOf('a'));
    test.reader.next.answer(held('a', 'acme', 2));
    assert.equal(await stateOf(another), '2');
  });

  it('shows to callers who are not in memory, at once while the breaker is open', async () => {
    const test = testCache();
    const finding = test.cache.findByAppKey(keyOf('a'));
    test.reader.next.fail();
    assert.equal(await stateOf(finding), 'no primary');
    test.reader.outlook = 'down';
    assert.throws(() => test.cache.findByAppKey(keyOf('a')), StoreUnavailable);
    assert.equal(test.reader.asked.length, 1);
  });

  it('is not meant by a credential that cannot be used: who has an old entry of it is not served', async () => {
    const test = testCache();
    await test.learn('a');
    await test.learn('b');
    await test.time.advance(6000);
    const finding = test.cache.findByAppKey(keyOf('a'));
    test.reader.next.fail(new CredentialUnreadable('its key is not in the key ring'));
    assert.equal(await stateOf(finding), 'its key is not in the key ring');
    assert.ok(isPromise(test.cache.findByAppKey(keyOf('b'))), 'there is no doubt about the store');
  });

  it('does not hide a defect: waiting callers get it, and from the background it is reported', async () => {
    const test = testCache();
    await test.learn('a');
    const defect = new TypeError('a defect');
    await test.time.advance(3000);
    assert.equal(atOnce(test, 'a'), '1');
    test.reader.next.fail(defect);
    await settle();
    assert.deepEqual(test.defects, [defect]);
    await test.time.advance(3000);
    const finding = test.cache.findByAppKey(keyOf('a'));
    test.reader.next.fail(defect);
    await assert.rejects(Promise.resolve(finding), defect);
  });
});

describe('an App Key without a holder', () => {
  it('is looked up once, by however many callers, and then refused from memory for 10 s', async () => {
    const test = testCache();
    const findings = [1, 2, 3].map(() => test.cache.findByAppKey(keyOf('x')));
    assert.equal(test.reader.open.length, 1);
    test.reader.next.answer(null);
    assert.deepEqual(await Promise.all(findings.map(async (finding) => await finding)), [null, null, null]);
    await test.time.advance(9999);
    assert.equal(atOnce(test, 'x'), null);
    assert.equal(test.cache.counters.negativeHits, 1);
    await test.time.advance(1);
    assert.ok(isPromise(test.cache.findByAppKey(keyOf('x'))));
    assert.equal(test.reader.asked.length, 2);
  });

  it('is found as soon as a change brings it', async () => {
    const test = testCache();
    const finding = test.cache.findByAppKey(keyOf('x'));
    test.reader.next.answer(null);
    await finding;
    test.cache.credentialChanged('x', hashOf('x'));
    const again = test.cache.findByAppKey(keyOf('x'));
    test.reader.next.answer(held('x'));
    assert.equal(await stateOf(again), '1');
    assert.equal(test.cache.unknownSize, 0);
  });

  it('is not looked up when it can be no App Key', () => {
    const test = testCache();
    for (const text of ['', 'ä', 'a"b', 'x'.repeat(513), 'a\n', '\\'])
      assert.equal(test.cache.findByAppKey(text), null);
    assert.equal(test.reader.asked.length, 0);
  });

  it('evicts nothing that has a holder', async () => {
    const test = testCache({ maxEntries: 2 });
    await test.learn('a');
    await test.learn('b');
    for (let at = 0; at < 1000; at += 1) {
      const finding = test.cache.findByAppKey(`nobody-${String(at)}`);
      test.reader.next.answer(null);
      await finding;
    }
    assert.equal(atOnce(test, 'a'), '1');
    assert.equal(atOnce(test, 'b'), '1');
    assert.equal(test.cache.unknownSize, 1000);
  });
});

describe('a change', () => {
  const changes: Readonly<Record<string, (test: TestCache) => void>> = {
    'of the credential, with its App Key': ({ cache }) => {
      cache.credentialChanged('a', hashOf('a'));
    },
    'of the credential, with its id only': ({ cache }) => {
      cache.credentialChanged('a', null);
    },
    'of the consumer': ({ cache }) => {
      cache.consumerChanged('acme');
    },
    'of a grant': ({ cache }) => {
      cache.grantChanged('acme');
    },
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`${what} ends the entry at once, also when the store cannot be read then`, async () => {
      const test = testCache();
      await test.learn('a');
      await test.learn('other', 'globex');
      test.feed.isLive = true;
      change(test);
      test.reader.outlook = 'down';
      assert.throws(() => test.cache.findByAppKey(keyOf('a')), StoreUnavailable);
      test.reader.outlook = 'reachable';
      const finding = test.cache.findByAppKey(keyOf('a'));
      test.reader.next.fail();
      assert.equal(await stateOf(finding), 'no primary');
      const again = test.cache.findByAppKey(keyOf('a'));
      test.reader.next.answer(held('a', 'acme', 2));
      assert.equal(await stateOf(again), '2');
      assert.equal(atOnce(test, 'other'), '1');
      assert.equal(test.cache.counters.invalidations, 1);
    });

    it(`${what} while it is read has it read again, for those who asked before too`, async () => {
      const test = testCache();
      const finding = test.cache.findByAppKey(keyOf('a'));
      const { next } = test.reader;
      change(test);
      const later = test.cache.findByAppKey(keyOf('a'));
      next.answer(held('a', 'acme', 1));
      await settle();
      assert.equal(test.reader.open.length, 1);
      assert.equal(test.cache.size, 0);
      test.reader.next.answer(held('a', 'acme', 2));
      assert.equal(await stateOf(finding), '2');
      assert.equal(await stateOf(later), '2');
      assert.equal(atOnce(test, 'a'), '2');
      assert.equal(test.cache.counters.repeatedReads, 1);
    });

    it(`${what} while a caller waits with an old entry keeps that entry from being served`, async () => {
      const test = testCache();
      await test.learn('a');
      await test.time.advance(6000);
      const finding = test.cache.findByAppKey(keyOf('a'));
      change(test);
      await test.time.advance(300);
      assert.equal(await stateOf(finding), 'waits');
      test.reader.next.fail();
      assert.equal(await stateOf(finding), 'no primary');
    });
  }

  it('of a consumer ends all its entries', async () => {
    const test = testCache();
    for (const id of ['a', 'b', 'c']) await test.learn(id);
    test.cache.consumerChanged('acme');
    assert.equal(test.cache.size, 0);
    assert.equal(test.cache.counters.invalidations, 3);
  });

  it('at every read answers who asked before it, after three reads, and is not kept', async () => {
    const test = testCache();
    const finding = test.cache.findByAppKey(keyOf('a'));
    for (const version of [1, 2, 3]) {
      test.cache.consumerChanged('acme');
      test.reader.next.answer(held('a', 'acme', version));
      await settle();
    }
    assert.equal(await stateOf(finding), '3');
    assert.deepEqual([test.cache.size, test.reader.asked.length], [0, 3]);
  });

  it('at every read does not answer who asked after it: they have it read once more', async () => {
    const test = testCache();
    const first = test.cache.findByAppKey(keyOf('a'));
    for (const version of [1, 2]) {
      test.cache.consumerChanged('acme');
      test.reader.next.answer(held('a', 'acme', version));
      await settle();
    }
    test.cache.consumerChanged('acme');
    const later = test.cache.findByAppKey(keyOf('a'));
    test.reader.next.answer(held('a', 'acme', 3));
    assert.equal(await stateOf(first), '3');
    assert.equal(await stateOf(later), 'waits');
    test.reader.next.answer(held('a', 'acme', 4));
    assert.equal(await stateOf(later), '4');
  });

  it('among more than can be remembered counts as one of what is read', async () => {
    const test = testCache();
    const finding = test.cache.findByAppKey(keyOf('a'));
    for (let at = 0; at < 2049; at += 1) test.cache.consumerChanged(`other-${String(at)}`);
    test.reader.next.answer(held('a'));
    await settle();
    assert.equal(test.reader.asked.length, 2);
    for (let at = 0; at < 2048; at += 1) test.cache.consumerChanged(`other-${String(at)}`);
    test.reader.next.answer(held('a', 'acme', 2));
    assert.equal(await stateOf(finding), '2');
    assert.equal(test.cache.size, 1);
  });

  it('of an App Key leaves no entry under the former one', async () => {
    const test = testCache();
    await test.learn('a');
    const finding = test.cache.findByAppKey(keyOf('renamed'));
    test.reader.next.answer({ ...held('a', 'acme', 2) });
    await finding;
    assert.equal(test.cache.size, 1);
    test.cache.credentialChanged('a', null);
    assert.equal(test.cache.size, 0);
  });
});

describe('a member of the store that may lag', () => {
  const UNPROVEN = {
    name: 'StoreUnavailable',
    message: 'it is unknown for too long whether the store answers with its last state',
  };

  it('keeps no entry alive: what it answers is as old as what the feed had confirmed', async () => {
    const test = testCache({ maxStaleSeconds: 60 });
    test.members.mayLag = true;
    test.feed.confirmedMs = test.time.nowMs();
    await test.learn('a');
    await test.time.advance(59_000);
    const finding = test.cache.findByAppKey(keyOf('a'));
    test.reader.next.answer(held('a', 'acme', 2));
    assert.equal(await stateOf(finding), '2');
    await test.time.advance(1000);
    assert.equal(atOnce(test, 'a'), '2');
    await test.time.advance(1);
    assert.throws(() => test.cache.findByAppKey(keyOf('a')), UNPROVEN);
    assert.equal(test.reader.asked.length, 2);
  });

  it('decides nobody, known or not, once the feed confirmed nothing for longer than maxStaleSeconds', async () => {
    const test = testCache({ maxStaleSeconds: 60 });
    test.members.mayLag = true;
    test.feed.confirmedMs = test.time.nowMs() - 60_001;
    assert.throws(() => test.cache.findByAppKey(keyOf('a')), UNPROVEN);
    assert.equal(test.reader.asked.length, 0);
    test.feed.confirmedMs += 1;
    await test.learn('a');
    assert.equal(atOnce(test, 'a'), '1');
  });

  it('does not make what was read before changes were lost younger than it is', async () => {
    const test = testCache({ maxStaleSeconds: 60 });
    test.members.mayLag = true;
    test.feed.confirmedMs = test.time.nowMs();
    await test.time.advance(30_000);
    await test.learn('a');
    test.cache.everythingChanged();
    test.feed.confirmedMs = test.time.nowMs();
    test.reader.outlook = 'down';
    await test.time.advance(30_000);
    assert.equal(atOnce(test, 'a'), '1');
    await test.time.advance(1);
    assert.throws(() => test.cache.findByAppKey(keyOf('a')), StoreUnavailable);
  });
});

describe('changes that were lost', () => {
  it('drop nothing, and entries are confirmed no more until they are read again', async () => {
    const test = testCache();
    await test.learn('a');
    test.feed.isLive = true;
    await test.time.advance(100_000);
    test.feed.isLive = false;
    test.feed.confirmedMs = test.time.nowMs();
    test.cache.everythingChanged();
    test.feed.isLive = true;
    assert.equal(atOnce(test, 'a'), '1');
    await test.time.advance(6000);
    const finding = test.cache.findByAppKey(keyOf('a'));
    assert.equal(await stateOf(finding), 'waits');
    test.reader.next.answer(held('a', 'acme', 2));
    assert.equal(await stateOf(finding), '2');
    await test.time.advance(100_000);
    assert.equal(atOnce(test, 'a'), '2');
  });

  it('leave an entry as old as the feed had confirmed it, so that it serves on while the store is down', async () => {
    const test = testCache({ maxStaleSeconds: 60 });
    await test.learn('a');
    test.feed.confirmedMs = test.time.nowMs() + 1_000_000;
    await test.time.advance(1_050_000);
    test.cache.everythingChanged();
    test.cache.everythingChanged();
    test.reader.outlook = 'down';
    assert.equal(atOnce(test, 'a'), '1');
    await test.time.advance(10_001);
    assert.throws(() => test.cache.findByAppKey(keyOf('a')), StoreUnavailable);
  });

  it('more often than is remembered leave an entry as old as its read', async () => {
    const test = testCache({ maxStaleSeconds: 60 });
    await test.learn('a');
    test.feed.confirmedMs = test.time.nowMs() + 30_000;
    await test.time.advance(61_000);
    test.reader.outlook = 'down';
    for (let at = 0; at < 100; at += 1) test.cache.everythingChanged();
    assert.equal(atOnce(test, 'a'), '1');
    test.cache.everythingChanged();
    assert.throws(() => test.cache.findByAppKey(keyOf('a')), StoreUnavailable);
  });

  it('have what is being read read again', async () => {
    const test = testCache();
    const finding = test.cache.findByAppKey(keyOf('a'));
    test.cache.everythingChanged();
    test.reader.next.answer(held('a'));
    assert.equal(await stateOf(finding), 'waits');
    test.reader.next.answer(held('a', 'acme', 2));
    assert.equal(await stateOf(finding), '2');
  });
});

describe('the bounds of the cache', () => {
  it('hold: the entry used longest ago makes room', async () => {
    const test = testCache({ maxEntries: 2 });
    await test.learn('a');
    await test.learn('b');
    assert.equal(atOnce(test, 'a'), '1');
    await test.learn('c');
    assert.equal(test.cache.size, 2);
    assert.equal(test.cache.counters.evictions, 1);
    assert.equal(atOnce(test, 'a'), '1');
    assert.ok(isPromise(test.cache.findByAppKey(keyOf('b'))));
  });

  it('leave a place for App Keys once seen, however many unknown ones are asked for', async () => {
    const test = testCache({ maxEntries: 1 });
    await test.learn('a');
    await test.learn('b');
    const flood = Array.from({ length: 1000 }, (_, at) => {
      try {
        return test.cache.findByAppKey(`nobody-${String(at)}`);
      } catch (error) {
        assert.ok(error instanceof StoreUnavailable);
        return error.message;
      }
    });
    assert.equal(test.reader.open.length, 6);
    const refused = flood.filter((finding) => finding === 'too many App Keys are being looked up');
    assert.equal(refused.length, 1000 - 6 - 256);
    assert.equal(test.cache.counters.refusedLookUps, refused.length);
    const finding = test.cache.findByAppKey(keyOf('a'));
    const read = test.reader.open.find(({ appKeyHash }) => appKeyHash === hashOf('a'));
    read?.answer(held('a', 'acme', 2));
    assert.equal(await stateOf(finding), '2');
    test.appKeys.note(hashOf('never'));
    const preferred = test.cache.findByAppKey(keyOf('never'));
    test.reader.open.find(({ appKeyHash }) => appKeyHash === hashOf('never'))?.answer(held('never'));
    assert.equal(await stateOf(preferred), '1');
    const waiting = flood.filter((found) => isPromise(found as Pending<unknown>)) as Promise<unknown>[];
    const outcomes = Promise.allSettled(waiting);
    await test.time.advance(250);
    for (const read of [...test.reader.open]) read.answer(null);
    const messages = (await outcomes).map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : (outcome.reason as Error).message,
    );
    assert.equal(messages.filter((message) => message === null).length, 6);
    assert.equal(messages.filter((message) => /waited in vain$/.test(String(message))).length, 256);
    assert.equal(test.time.timers, 0);
  });

  it('let the store be asked for 2000 unknown App Keys at once and 1000 a second, and for known ones whatever', async () => {
    const test = testCache();
    const ask = async (id: string, found: HeldCredential | null): Promise<string | null> => {
      try {
        const finding = test.cache.findByAppKey(keyOf(id));
        for (const read of [...test.reader.open]) read.answer(found);
        await finding;
        return 'read';
      } catch (error) {
        return (error as Error).message;
      }
    };
    for (let at = 0; at < 3000; at += 1) assert.equal(await ask(`k${String(at)}`, held(`k${String(at)}`)), 'read');
    for (let at = 0; at < 2000; at += 1) assert.equal(await ask(`n${String(at)}`, null), 'read');
    assert.equal(await ask('one-more', null), 'too many App Keys are being looked up');
    await test.time.advance(10);
    for (let at = 0; at < 10; at += 1) assert.equal(await ask(`m${String(at)}`, null), 'read');
    assert.equal(await ask('one-more', null), 'too many App Keys are being looked up');
  });

  it('are kept by the background too, which never waits in line', async () => {
    const test = testCache();
    const ids = Array.from({ length: 20 }, (_, at) => `k${String(at)}`);
    for (const id of ids) await test.learn(id);
    await test.time.advance(3000);
    for (const id of ids) assert.equal(atOnce(test, id), '1');
    assert.equal(test.reader.open.length, 5);
    assert.equal(test.cache.counters.refusedLookUps, 0);
  });
});

describe('a clock that is set back', () => {
  it('makes entries old, not young', async () => {
    const test = testCache();
    await test.learn('a');
    const nobody = test.cache.findByAppKey(keyOf('x'));
    test.reader.next.answer(null);
    await nobody;
    test.time.set(test.time.nowMs() - 3_600_000);
    assert.ok(isPromise(test.cache.findByAppKey(keyOf('a'))));
    assert.ok(isPromise(test.cache.findByAppKey(keyOf('x'))));
  });
});

describe('a cache that is disposed of', () => {
  it('refuses who waits, and leaves no timer behind', async () => {
    const test = testCache();
    await test.learn('a');
    await test.time.advance(6000);
    const stale = test.cache.findByAppKey(keyOf('a'));
    const flood = Array.from({ length: 20 }, (_, at) => test.cache.findByAppKey(`nobody-${String(at)}`));
    const outcomes = Promise.allSettled(flood.map(async (finding) => await finding));
    assert.equal(test.time.timers, 2);
    await test.cache[Symbol.asyncDispose]();
    assert.equal(test.time.timers, 0);
    for (const read of [...test.reader.open]) read.fail();
    assert.equal(await stateOf(stale), '1');
    const reasons = (await outcomes).map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : ''));
    assert.equal(reasons.filter((reason) => reason.endsWith('look-ups have ended')).length, 14);
    assert.equal(test.cache.lookUpsUnderWay, 0);
  });
});
