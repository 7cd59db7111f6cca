import { randomBytes } from 'node:crypto';
import { type Db, type Filter, MongoBulkWriteError, MongoError } from 'mongodb';
import { chunksOf } from '../../resources/changes/resource-store.ts';
import type { TrafficCount, TrafficSelection } from '../../model/traffic-count.ts';
import type { RankingSource } from '../../model/traffic-ranking.ts';
import type { TrafficSink } from '../traffic/traffic-recorder.ts';
import { batchesInTime, DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { collectionOf, type TrafficDocument } from './documents.ts';
import { DUPLICATE_KEY } from './duplicates.ts';
import { iterateWithFaults, translateFault } from './faults.ts';
import { rankTraffic } from './rank-traffic.ts';

const DAY_HOURS = 24;
const HOUR_MS = 3_600_000;
const PROCESS_ID_BYTES = 6;
/**
 * What a hand can make of a document so that nothing can be added: a text where a number is, a field that fits no
 * validator, too large a document (BadValue, TypeMismatch, PathNotViable, DocumentValidationFailure,
 * BSONObjectTooLarge).
 */
const NEVER_TAKEN: readonly unknown[] = [2, 14, 28, 121, 10_334, 17_419];

/**
 * {@link TrafficSink} on MongoDB: one document for each day, endpoint and consumer, to which every replica adds. The
 * document has the number of the last addition of each process, and an addition that it has already does not match it:
 * each counts once, however often it is sent, and whenever the server makes it (ADR 13). Takes `insert` and `update` on
 * the one collection. Does not own the client.
 */
export function createTrafficSink(
  db: Db,
  processId = randomBytes(PROCESS_ID_BYTES).toString('base64url'),
): TrafficSink {
  return {
    add: async (counts, sequence) => {
      const writes = counts.map((count) => additionOf(count, processId, sequence));
      const failed = await writeAll(db, writes);
      // The document has this addition, or another replica made it at the same moment: it is there in both cases.
      const repeated = failed.flatMap(({ code, index }) => (code === DUPLICATE_KEY ? (writes[index] ?? []) : []));
      const unusable = await writeAll(
        db,
        repeated.map(({ updateOne }) => ({ updateOne: { ...updateOne, upsert: false } })),
      );
      const refused = failed.flatMap(({ code, index }) => (code === DUPLICATE_KEY ? [] : (counts[index] ?? [])));
      const idsOfRefused = new Set(unusable.map(({ index }) => repeated[index]?.updateOne.filter._id));
      return [...refused, ...counts.filter((count) => idsOfRefused.has(idOf(count)))];
    },
  };
}

interface Addition {
  readonly updateOne: {
    readonly filter: Filter<TrafficDocument> & { readonly _id: string };
    readonly update: object;
    readonly upsert: boolean;
  };
}

function additionOf(count: TrafficCount, processId: string, sequence: number): Addition {
  const { endpointId, consumerId, hour, codes } = count;
  const latest = `by.${processId}`;
  const hourOfDay = String(hour % DAY_HOURS);
  const added = Object.fromEntries(Object.entries(codes).map(([code, sum]) => [`codes.${code}.${hourOfDay}`, sum]));
  return {
    updateOne: {
      filter: { _id: idOf(count), [latest]: { $not: { $gte: sequence } } },
      update: {
        $inc: added,
        $set: { [latest]: sequence },
        $setOnInsert: { day: dayOf(hour), endpointId, consumerId },
      },
      upsert: true,
    },
  };
}

/** Days come first: what is added to now lies side by side in the index, however much is kept. */
function idOf({ endpointId, consumerId, hour }: TrafficCount): string {
  return `${dayOf(hour).toISOString().slice(0, 10)}/${endpointId}/${consumerId ?? ''}`;
}

function dayOf(hour: number): Date {
  return new Date((hour - (hour % DAY_HOURS)) * HOUR_MS);
}

/** Writes that were not made because of their documents; rejects when the rest may not have been made either. */
async function writeAll(db: Db, writes: readonly Addition[]): Promise<readonly { code: unknown; index: number }[]> {
  if (writes.length === 0) return [];
  // A majority: what a new primary does not know would be lost.
  const options = { ordered: false, writeConcern: { w: 'majority' } } as const;
  try {
    await collectionOf(db, 'traffic').bulkWrite(writes, options);
    return [];
  } catch (error) {
    const failed = failuresOf(error);
    if (failed === null) throw translateFault(error);
    return failed;
  }
}

/** Null when more failed than single documents. */
function failuresOf(error: unknown): readonly { code: unknown; index: number }[] | null {
  if (!(error instanceof MongoBulkWriteError) || (error.errorResponse as unknown) instanceof MongoError) return null;
  if (error.result.getWriteConcernError() !== undefined) return null;
  const failed = [error.writeErrors].flat();
  const isOfDocument = (code: unknown): boolean => code === DUPLICATE_KEY || NEVER_TAKEN.includes(code);
  return failed.length > 0 && failed.every(({ code }) => isOfDocument(code)) ? failed : null;
}

/** Consumers whose documents are asked for at once. */
const CONSUMERS_AT_ONCE = 1000;
const READ_AT_ONCE = 2000;
/** Millions of counts are added up in less. */
const RANKING_MS = 60_000;

/** {@link RankingSource} on MongoDB. Does not own the client. */
export function createTrafficSource(db: Db, timeoutMs = DEFAULT_TIMEOUT_MS): RankingSource {
  return {
    rank: async (hours) => await rankTraffic(db, hours, Math.max(timeoutMs, RANKING_MS)),
    async *counts(selection) {
      const options = { projection: { by: 0 }, batchSize: READ_AT_ONCE } as const;
      for (const filter of filtersOf(selection)) {
        const found = collectionOf(db, 'traffic').find(filter, options);
        for await (const batch of iterateWithFaults(batchesInTime(found, timeoutMs))) {
          for (const document of batch) {
            for (const count of countsOf(document)) if (count.hour >= selection.sinceHour) yield count;
          }
        }
      }
    },
  };
}

function filtersOf({ sinceHour, endpointId, consumers }: TrafficSelection): readonly Filter<TrafficDocument>[] {
  const common = { day: { $gte: dayOf(sinceHour) }, ...(endpointId === undefined ? {} : { endpointId }) };
  if (consumers === null) return [{ ...common, consumerId: null }];
  if (consumers === 'each') return [{ ...common, consumerId: { $ne: null } }];
  return [...chunksOf(consumers, CONSUMERS_AT_ONCE)].map((ids) => ({ ...common, consumerId: { $in: [...ids] } }));
}

/** Nothing of what a hand made otherwise. */
function* countsOf({ day, endpointId, consumerId, codes }: TrafficDocument): Generator<TrafficCount, void, undefined> {
  if (!((day as unknown) instanceof Date) || typeof codes !== 'object') return;
  const firstHour = Math.floor(day.getTime() / HOUR_MS);
  const byHour = new Map<number, Record<string, number>>();
  for (const [code, hours] of Object.entries(codes)) {
    for (const [name, sum] of Object.entries(hours)) {
      const hour = firstHour + Number(name);
      if (!/^\d{1,2}$/.test(name) || typeof (sum as unknown) !== 'number') continue;
      let ofHour = byHour.get(hour);
      if (ofHour === undefined) byHour.set(hour, (ofHour = {}));
      ofHour[code] = sum;
    }
  }
  for (const [hour, ofHour] of byHour) yield { endpointId, consumerId, hour, codes: ofHour };
}
