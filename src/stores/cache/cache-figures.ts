/** A number that metrics show. */
export interface Figure {
  readonly kind: 'gauge' | 'counter';
  /** Of the metric (interfaces §6). */
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
}

/** What a credential cache counts, with the last part of the metric's name and its help. */
const counted = {
  hits: ['hits', 'App Keys answered at once by an entry that is fresh enough.'],
  misses: ['misses', 'App Keys that were not in memory.'],
  stale: [
    'stale',
    'App Keys answered by an entry older than it should be, because the database was unreachable or slow.',
  ],
  filtered: ['filtered', 'App Keys refused without a look-up, because they have no holder.'],
  negativeHits: ['negative_hits', 'App Keys refused from memory, because they had no holder a moment ago.'],
  evictions: ['evictions', 'Entries that made room for others.'],
  refusedLookUps: ['refused_look_ups', 'Look-ups that were not made, because there were too many.'],
  reads: ['reads', 'Look-ups that were sent to the database.'],
  repeatedReads: ['repeated_reads', 'Look-ups made once more, because their result changed while it was read.'],
  invalidations: ['invalidations', 'Entries that a change dropped.'],
} as const satisfies Record<string, readonly [name: string, help: string]>;

/** What a credential cache has done since it began. Only the cache counts up. */
export type CacheCounters = Record<keyof typeof counted, number>;

const names = Object.keys(counted) as readonly (keyof CacheCounters)[];

/** Counters at 0. */
export function createCacheCounters(): CacheCounters {
  return Object.fromEntries(names.map((name) => [name, 0])) as CacheCounters;
}

/** Counters as metrics show them. */
export function figuresOf(counters: Readonly<CacheCounters>): readonly Figure[] {
  return names.map((key) => {
    const [name, help] = counted[key];
    return { kind: 'counter', name: `postern_credential_cache_${name}_total`, help, read: () => counters[key] };
  });
}
