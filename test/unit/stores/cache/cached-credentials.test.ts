import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CachedCredentials } from '../../../../src/stores/cache/cached-credentials.ts';
import { bytesOfConsumer, CREDENTIAL_BYTES } from '../../../../src/stores/cache/held-bytes.ts';
import type { HeldCredential } from '../../../../src/check/store/credential-source.ts';
import { type AddressList, addressListField } from '../../../../src/model/address-list.ts';
import { appKeyMaterial } from '../../../../src/model/material.ts';

function held(consumerId: string, index: number, labels: Readonly<Record<string, string>> = {}): HeldCredential {
  return {
    credential: {
      ...{
        id: `${consumerId}-${String(index)}`,
        consumerId,
        methods: ['key'],
        appKeyHash: `${consumerId} ${String(index)}`,
      },
      ...{ material: appKeyMaterial, state: 'active', notBefore: null, expiresAt: null, allowFrom: null },
    },
    consumer: {
      id: consumerId,
      name: null,
      description: '',
      email: null,
      team: null,
      labels: { ...labels },
      enabled: true,
      allowFrom: null,
    },
    grants: new Map(),
  };
}

function cacheOf(bounds: { maxEntries?: number; maxBytes?: number } = {}): CachedCredentials & { evicted: number } {
  const cache = new CachedCredentials({ maxEntries: 1000, maxBytes: 10_000_000, ...bounds }, () => {
    counted.evicted += 1;
  });
  const counted = Object.assign(cache, { evicted: 0 });
  return counted;
}

function put(cache: CachedCredentials, each: HeldCredential): void {
  cache.put(each.credential.appKeyHash, each, { readAtMs: 0, provenMs: 0 });
}

const manyLabels = Object.fromEntries(Array.from({ length: 32 }, (_, at) => [`label-${String(at)}`, 'v'.repeat(63)]));

describe('the memory of cached credentials', () => {
  it('grows and shrinks with the address lists of credential and consumer', () => {
    const cache = cacheOf();
    const plain = held('acme', 1);
    const allowFrom = addressListField(['203.0.113.0/24', '2001:db8::/32', '::1']) as AddressList;
    put(cache, plain);
    const { bytes } = cache;
    put(cache, { ...plain, credential: { ...plain.credential, allowFrom } });
    const withOne = cache.bytes;
    assert.ok(withOne > bytes);
    put(cache, {
      ...plain,
      credential: { ...plain.credential, allowFrom },
      consumer: { ...plain.consumer, allowFrom },
    });
    assert.equal(cache.bytes - withOne, withOne - bytes);
    put(cache, plain);
    assert.equal(cache.bytes, bytes);
  });

  it('holds the consumer of many credentials once, with its labels', () => {
    const cache = cacheOf();
    for (let index = 0; index < 10; index += 1) put(cache, held('acme', index, manyLabels));
    const one = held('acme', 0, manyLabels);
    assert.equal(cache.bytes, 10 * CREDENTIAL_BYTES + bytesOfConsumer(one.consumer, one.grants));
    assert.equal(cache.get('acme 0')?.held.consumer, cache.get('acme 9')?.held.consumer);
  });

  it('keeps what a changed consumer was for no other credential', () => {
    const cache = cacheOf();
    put(cache, held('acme', 0, { tier: 'gold' }));
    put(cache, held('acme', 1, { tier: 'silver' }));
    assert.deepEqual(cache.get('acme 0')?.held.consumer.labels, { tier: 'gold' });
    assert.deepEqual(cache.get('acme 1')?.held.consumer.labels, { tier: 'silver' });
  });

  it('makes room by bytes, the least recently used first', () => {
    const one = held('one', 0, manyLabels);
    const maxBytes = 2 * (CREDENTIAL_BYTES + bytesOfConsumer(one.consumer, one.grants));
    const cache = cacheOf({ maxBytes });
    put(cache, one);
    put(cache, held('two', 0, manyLabels));
    cache.get('one 0');
    put(cache, held('six', 0, manyLabels));
    assert.equal(cache.evicted, 1);
    assert.deepEqual(
      ['one 0', 'two 0', 'six 0'].map((hash) => cache.get(hash) === undefined),
      [false, true, false],
    );
    assert.ok(cache.bytes <= maxBytes);
  });

  it('keeps the newest, even where that alone is beyond the bound', () => {
    const cache = cacheOf({ maxBytes: 1 });
    put(cache, held('one', 0, manyLabels));
    put(cache, held('two', 0, manyLabels));
    assert.equal(cache.size, 1);
    assert.notEqual(cache.get('two 0'), undefined);
  });

  it('keeps its account, whatever comes, changes and goes', () => {
    const step = fc.record({
      what: fc.constantFrom('put', 'put', 'put', 'credential', 'consumer', 'hash'),
      consumer: fc.constantFrom('a', 'b'),
      index: fc.nat(3),
      tier: fc.constantFrom('gold', 'silver'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 6 }), (steps, maxEntries) => {
        const cache = cacheOf({ maxEntries, maxBytes: 9000 });
        for (const { what, consumer, index, tier } of steps) {
          const each = held(consumer, index, { tier });
          if (what === 'put') put(cache, each);
          else if (what === 'credential') cache.invalidateCredential(each.credential.id);
          else if (what === 'consumer') cache.invalidateConsumer(consumer);
          else cache.invalidate(each.credential.appKeyHash);
          const there = ['a', 'b'].flatMap((id) =>
            [0, 1, 2, 3].flatMap((at) => cache.get(`${id} ${String(at)}`) ?? []),
          );
          const consumers = new Map(there.map(({ held: { consumer: one, grants } }) => [one, grants]));
          const shared = [...consumers].map(([one, grants]) => bytesOfConsumer(one, grants));
          assert.equal(cache.bytes, there.length * CREDENTIAL_BYTES + shared.reduce((sum, bytes) => sum + bytes, 0));
          assert.ok(cache.bytes <= 9000 || cache.size === 1);
        }
      }),
    );
  });
});
