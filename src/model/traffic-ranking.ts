import { hourOf, type TrafficCount, type TrafficSource } from './traffic-count.ts';

/** Consumers in each ranking. */
export const RANKED = 5;

const DAY_HOURS = 24;
const WEEK_HOURS = 168;

/** Where the spans of a ranking begin, in whole hours since 1970-01-01T00:00:00Z; each ends where the next begins. */
export interface RankingHours {
  readonly week: number;
  /** The last day of that week. */
  readonly before: number;
  /** The 24 hours up to now, the one of now included. */
  readonly today: number;
}

/** The spans of a ranking that is made now. */
export function rankingHours(nowSeconds: number): RankingHours {
  const today = hourOf(nowSeconds) - DAY_HOURS + 1;
  return { week: today - WEEK_HOURS, before: today - DAY_HOURS, today };
}

/** A consumer with its requests: of today by what became of them, and all of the day and the week before. */
export interface RankedConsumer {
  readonly consumerId: string;
  readonly allowed: number;
  readonly refused: number;
  readonly limited: number;
  readonly before: number;
  readonly week: number;
}

/** The consumers that stand out, each list with the most first. */
export interface TrafficRanking {
  /** How many consumers sent a request in all of that time. */
  readonly callers: number;
  /** The most refused today. */
  readonly fails: readonly RankedConsumer[];
  /** The most more than in the day before. */
  readonly grows: readonly RankedConsumer[];
  /** None today, the most in the week before. */
  readonly silent: readonly RankedConsumer[];
}

/** The counts of requests, where a store ranks all consumers itself. */
export interface RankingSource extends TrafficSource {
  /** Absent where counts have to be read for it. Rejects with `StoreUnavailable`. */
  readonly rank?: (hours: RankingHours) => Promise<TrafficRanking>;
}

/** All requests of today. */
export function requestsToday({ allowed, refused, limited }: RankedConsumer): number {
  return allowed + refused + limited;
}

/** Ranks consumers by their counts, which are read once. */
export async function rankCounts(
  counts: AsyncIterable<TrafficCount> | Iterable<TrafficCount>,
  hours: RankingHours,
): Promise<TrafficRanking> {
  const sums = new Map<string, Sums>();
  for await (const { consumerId, hour, codes } of counts) {
    if (consumerId === null || hour < hours.week) continue;
    let sum = sums.get(consumerId);
    if (sum === undefined) sums.set(consumerId, (sum = emptyOf(consumerId)));
    for (const [code, count] of Object.entries(codes)) {
      if (hour >= hours.today) sum[fieldOf(code)] += count;
      else sum.week += count;
      if (hour >= hours.before && hour < hours.today) sum.before += count;
    }
  }
  const all: readonly RankedConsumer[] = [...sums.values()];
  return {
    callers: all.filter((each) => requestsToday(each) + each.week > 0).length,
    fails: most(all, ({ refused }) => refused),
    grows: most(all, (each) => requestsToday(each) - each.before),
    silent: most(all, (each) => (requestsToday(each) === 0 ? each.week : 0)),
  };
}

type Sums = { -readonly [K in keyof RankedConsumer]: RankedConsumer[K] };

function emptyOf(consumerId: string): Sums {
  return { consumerId, allowed: 0, refused: 0, limited: 0, before: 0, week: 0 };
}

/** Under which of the counts a code is. */
export function fieldOf(code: string): 'allowed' | 'limited' | 'refused' {
  if (code === 'ALLOWED') return 'allowed';
  return code === 'RATE_LIMITED' ? 'limited' : 'refused';
}

function most(all: readonly RankedConsumer[], by: (each: RankedConsumer) => number): readonly RankedConsumer[] {
  return all
    .filter((each) => by(each) > 0)
    .sort((one, other) => by(other) - by(one) || (one.consumerId < other.consumerId ? -1 : 1))
    .slice(0, RANKED);
}
