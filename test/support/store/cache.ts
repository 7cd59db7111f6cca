import { AppKeyFilter } from '../../../src/stores/cache/app-key-filter.ts';
import { CredentialCache, type CredentialCacheOptions } from '../../../src/stores/credential-cache.ts';
import { ManualReader } from './manual-reader.ts';
import { ManualTime, settle } from '../time/manual-time.ts';
import { held, keyOf } from './held.ts';

/** A cache whose store, clock and change feed a test moves by hand. */
export interface TestCache {
  readonly cache: CredentialCache;
  readonly reader: ManualReader;
  readonly time: ManualTime;
  readonly defects: unknown[];
  /** Empty and not whole. */
  readonly appKeys: AppKeyFilter;
  /** What `confirmedMs` gives; while `isLive`, the present. */
  readonly feed: { confirmedMs: number; isLive: boolean };
  /** Whether members of the store may lag, so that only the feed proves what they answer; false at first. */
  readonly members: { mayLag: boolean };
  /** Has the cache read the credential with this id, and keep it. */
  learn(id: string, consumerId?: string, version?: number): Promise<void>;
}

/** Makes a cache of 100 entries that serve stale for 60 s, with a change feed that was never complete. */
export function testCache(options: Partial<CredentialCacheOptions> = {}): TestCache {
  const reader = new ManualReader();
  const time = new ManualTime();
  const defects: unknown[] = [];
  const feed = { confirmedMs: 0, isLive: false };
  const members = { mayLag: false };
  const appKeys = new AppKeyFilter();
  const cache = new CredentialCache(
    { maxEntries: 100, maxStaleSeconds: 60, ...options },
    {
      reader,
      clock: time,
      startTimer: time.startTimer,
      appKeys,
      appKeysConfirmedMs: () => (feed.isLive ? time.nowMs() : feed.confirmedMs),
      confirmedMs: () => (feed.isLive ? time.nowMs() : feed.confirmedMs),
      provenMs: () => (members.mayLag && !feed.isLive ? feed.confirmedMs : time.nowMs()),
      observer: { defect: (error) => defects.push(error) },
    },
  );
  return {
    cache,
    appKeys,
    reader,
    time,
    defects,
    feed,
    members,
    learn: async (id, consumerId, version) => {
      const finding = cache.findByAppKey(keyOf(id));
      reader.next.answer(held(id, consumerId, version));
      await finding;
      await settle();
    },
  };
}
