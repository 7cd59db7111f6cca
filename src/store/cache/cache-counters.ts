/** What a credential cache has done since it began. The cache alone counts up. */
export interface CacheCounters {
  /** Answered at once by an entry that is fresh enough. */
  hits: number;
  /** Not in memory: the store had to be asked, or was not there to be asked. */
  misses: number;
  /** Answered by an entry older than it should be, because the store was away or slow. */
  stale: number;
  /** Refused without a look-up: of all App Keys that anybody holds it is none. */
  filtered: number;
  /** Refused from memory: the store said a moment ago that nobody holds the App Key. */
  negativeHits: number;
  /** Entries that made room for others. */
  evictions: number;
  /** Look-ups that were not made, because too many were asked for. */
  refusedLookUps: number;
  /** Reads that were sent to the store, whatever for. */
  reads: number;
  /** Reads that were made once more, because what they read was changed meanwhile. */
  repeatedReads: number;
  /** Entries that a change made invalid. */
  invalidations: number;
}

/** Counters at nought. */
export function createCacheCounters(): CacheCounters {
  return {
    hits: 0,
    misses: 0,
    stale: 0,
    filtered: 0,
    negativeHits: 0,
    evictions: 0,
    refusedLookUps: 0,
    reads: 0,
    repeatedReads: 0,
    invalidations: 0,
  };
}
