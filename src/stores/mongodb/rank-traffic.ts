import type { Db, Document } from 'mongodb';
import { RANKED, type RankedConsumer, type RankingHours, type TrafficRanking } from '../../model/traffic-ranking.ts';
import { collectionOf } from './documents.ts';
import { withFaults } from './faults.ts';

const DAY_HOURS = 24;
const HOUR_MS = 3_600_000;
/** Past every hour that is counted; the first of a day. */
const LATER = 24 * 10_000_000;

/**
 * Ranks all consumers in the server, which reads a week of counts once and sends a few. Rejects with `StoreUnavailable`
 * after so many milliseconds, when the server stops, too.
 */
export async function rankTraffic(db: Db, hours: RankingHours, timeoutMs: number): Promise<TrafficRanking> {
  const pipeline = [
    { $match: { day: { $gte: dayOf(hours.week) }, consumerId: { $type: 'string' } } },
    { $set: { codes: { $cond: [isObject('$codes'), '$codes', {}] } } },
    { $group: { _id: '$consumerId', ...sumsOf(hours) } },
    {
      $set: {
        refused: { $subtract: ['$requests', { $add: ['$allowed', '$limited'] }] },
        more: { $subtract: ['$requests', '$before'] },
      },
    },
    {
      $facet: {
        callers: [{ $match: { $or: [{ requests: { $gt: 0 } }, { week: { $gt: 0 } }] } }, { $count: 'sum' }],
        fails: mostBy('refused', {}),
        grows: mostBy('more', {}),
        silent: mostBy('week', { requests: 0 }),
      },
    },
  ];
  const options = { maxTimeMS: timeoutMs, signal: AbortSignal.timeout(timeoutMs) };
  const [ranked] = await withFaults(() => collectionOf(db, 'traffic').aggregate(pipeline, options).toArray());
  const listOf = (name: string): readonly RankedConsumer[] => ((ranked?.[name] ?? []) as Document[]).map(readRanked);
  const [callers] = (ranked?.['callers'] ?? []) as readonly { readonly sum: number }[];
  return { callers: callers?.sum ?? 0, fails: listOf('fails'), grows: listOf('grows'), silent: listOf('silent') };
}

function readRanked(document: Document): RankedConsumer {
  const countOf = (name: string): number => Number(document[name]);
  return {
    consumerId: String(document['_id']),
    allowed: countOf('allowed'),
    refused: countOf('refused'),
    limited: countOf('limited'),
    before: countOf('before'),
    week: countOf('week'),
  };
}

function mostBy(field: string, more: Document): readonly Document[] {
  return [{ $match: { [field]: { $gt: 0 }, ...more } }, { $sort: { [field]: -1, _id: 1 } }, { $limit: RANKED }];
}

function sumsOf({ week, before, today }: RankingHours): Document {
  const ofCode =
    (code: string): OfHours =>
    (names) => ({ $sum: names.map((name) => `$codes.${code}.${name}`) });
  return {
    allowed: { $sum: within(today, LATER, ofCode('ALLOWED')) },
    limited: { $sum: within(today, LATER, ofCode('RATE_LIMITED')) },
    requests: { $sum: within(today, LATER, ofAllCodes) },
    before: { $sum: within(before, today, ofAllCodes) },
    week: { $sum: within(week, today, ofAllCodes) },
  };
}

/** What a document counts in hours of its day, which are named. What a hand wrote in place of a number is none. */
type OfHours = (names: readonly string[]) => Document;

const ofAllCodes: OfHours = (names) => {
  const ofCode = { $sum: names.map((name) => `$$code.v.${name}`) };
  return { $sum: { $map: { input: { $objectToArray: '$codes' }, as: 'code', in: ofCode } } };
};

/** What a document counts from an hour up to another. */
function within(from: number, to: number, of: OfHours): Document {
  const [first, last] = [dayOf(from), dayOf(to)];
  // Those of the first day and of the last one; at least a day lies between the two hours.
  const [late, early] = [hoursFrom(from % DAY_HOURS, DAY_HOURS), hoursFrom(0, to % DAY_HOURS)];
  const isOutside = { $or: [{ $lt: ['$day', first] }, { $gt: ['$day', last] }] };
  return {
    $switch: {
      branches: [
        { case: isOutside, then: 0 },
        { case: { $eq: ['$day', first] }, then: of(late) },
        { case: { $eq: ['$day', last] }, then: of(early) },
      ],
      default: of(hoursFrom(0, DAY_HOURS)),
    },
  };
}

function hoursFrom(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from }, (_, index) => String(from + index));
}

function isObject(value: string): Document {
  return { $eq: [{ $type: value }, 'object'] };
}

function dayOf(hour: number): Date {
  return new Date((hour - (hour % DAY_HOURS)) * HOUR_MS);
}
