import { AppKeyFilter } from '../../../src/stores/cache/app-key-filter.ts';
import { CredentialCache } from '../../../src/stores/credential-cache.ts';
import type { HeldCredential } from '../../../src/check/store/credential-source.ts';
import { startSystemTimer } from '../../../src/base/clock.ts';
import { appKeyOf } from '../seed.ts';
import { skewedNumbers } from './numbers.ts';

/**
 * The share of checks that Postern's cache of so many entries answers from memory, when few consumers call much and many
 * call little (`skewedNumbers`); counted over the second half of the checks. The store behind it answers at once.
 */
export async function hitRatio(count: number, maxEntries: number, checks: number): Promise<number> {
  const held = {
    credential: { id: 'any', consumerId: 'any' },
    consumer: { id: 'any' },
    grants: new Map(),
  } as unknown as HeldCredential;
  let found = 0;
  await using cache = new CredentialCache(
    { maxEntries, maxStaleSeconds: 3600 },
    {
      reader: {
        outlook: 'reachable',
        read: (appKeyHash) =>
          Promise.resolve({
            ...held,
            credential: { ...held.credential, id: String((found += 1)), consumerId: String(found), appKeyHash },
          }),
      },
      // The feed lives: no entry is older than now.
      confirmedMs: () => 0,
      provenMs: () => 0,
      appKeys: new AppKeyFilter(),
      appKeysConfirmedMs: () => 0,
      clock: { nowSeconds: () => 0, nowMs: () => 0, elapsedMs: () => 0 },
      startTimer: startSystemTimer,
      observer: {
        defect: (error) => {
          throw error;
        },
      },
    },
  );
  const numbers = skewedNumbers(count);
  const ask = async (): Promise<void> => {
    await cache.findByAppKey(appKeyOf(numbers.next().value));
  };
  for (let check = 0; check < checks / 2; check += 1) await ask();
  const { hits, misses } = { ...cache.counters };
  for (let check = 0; check < checks / 2; check += 1) await ask();
  const newHits = cache.counters.hits - hits;
  return newHits / (newHits + cache.counters.misses - misses);
}
