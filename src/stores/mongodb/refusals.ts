import { type AnyBulkWriteOperation, type Db, type Filter, type FindCursor, ObjectId } from 'mongodb';
import { dateField } from '../../model/document/fields.ts';
import { chunksOf } from '../../resources/changes/resource-store.ts';
import {
  isOlder,
  isRecord,
  type RefusalEntry,
  type RefusalRecord,
  type RefusalSelection,
  type RefusalSource,
} from '../../check/refusals/refusal-record.ts';
import type { RefusalSink } from '../../check/refusals/refusal-writer.ts';
import { ownersWith } from '../../model/owned-by.ts';
import { batchesInTime, byDeadline, DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { collectionOf, type RefusalDocument } from './documents.ts';
import { areAllDuplicates } from './duplicates.ts';
import { iterateWithFaults, withFaults } from './faults.ts';

/**
 * {@link RefusalSink} on MongoDB. Documents are only added, under ids of their own, so that a batch can be written
 * again when it is not known what became of it. It takes `insert` on the one collection. Does not own the client.
 */
export function createRefusalSink(db: Db): RefusalSink {
  return {
    write: async (batch) => {
      const operations: AnyBulkWriteOperation<RefusalDocument>[] = batch.map((entry) => ({
        insertOne: { document: documentOf(entry) },
      }));
      await withFaults(async () => {
        try {
          await collectionOf(db, 'refusals').bulkWrite(operations, { ordered: false, writeConcern: { w: 1 } });
        } catch (error) {
          if (!areAllDuplicates(error)) throw error;
        }
      });
    },
  };
}

function documentOf(entry: RefusalEntry): RefusalDocument {
  const { id, atMs, consumerId, leftOut } = entry;
  const own = {
    _id: new ObjectId(id),
    at: new Date(atMs),
    ...(consumerId === null ? {} : { consumerId }),
    ...(leftOut === 0 ? {} : { leftOut }),
  };
  if (!isRecord(entry)) return own;
  const { credentialId, method, path, code, detail, isObserved } = entry;
  const { requestId, endpointId, sourceAddress, stringToSign, ownedBy = [] } = entry;
  return {
    ...own,
    code,
    detail,
    method,
    path,
    ...(credentialId === null ? {} : { credentialId }),
    ...(requestId === null ? {} : { requestId }),
    ...(endpointId === null ? {} : { endpointId }),
    ...(isObserved ? { observed: true } : {}),
    ...(sourceAddress === null ? {} : { sourceAddress }),
    ...(stringToSign === null ? {} : { stringToSign }),
    ...(ownedBy.length === 0 ? {} : { ownedBy }),
  };
}

const READ_AT_ONCE = 500;

/** {@link RefusalSource} on MongoDB. It takes `find`. Does not own the client. */
export function createRefusalSource(db: Db, timeoutMs = DEFAULT_TIMEOUT_MS): RefusalSource {
  return {
    find: (selection) => ({
      records: readRecords(db, selection, timeoutMs),
      countLeftOut: async () => await countLeftOut(db, selection, timeoutMs),
    }),
  };
}

async function* readRecords(db: Db, selection: RefusalSelection, timeoutMs: number): AsyncGenerator<RefusalRecord> {
  const { limit, olderThan } = selection;
  // No limit for the server, which would cut what came in one millisecond anywhere.
  const options = { sort: { at: -1 }, batchSize: Math.min(limit + 1, READ_AT_ONCE) } as const;
  const found = collectionOf(db, 'refusals').find(filterOf(selection), options);
  let left = limit;
  for await (const record of highestFirst(recordsOf(found, timeoutMs))) {
    if (olderThan !== undefined && !isOlder(record, olderThan)) continue;
    if (left === 0) return;
    left -= 1;
    yield record;
  }
}

async function* recordsOf(found: FindCursor<RefusalDocument>, timeoutMs: number): AsyncGenerator<RefusalRecord> {
  for await (const batch of iterateWithFaults(batchesInTime(found, timeoutMs))) {
    for (const document of batch) {
      const record = readRecord(document);
      if (record !== null) yield record;
    }
  }
}

/** Puts those of one millisecond into the order of their ids, which no index has. They are few. */
async function* highestFirst(records: AsyncIterable<RefusalRecord>): AsyncGenerator<RefusalRecord> {
  let together: RefusalRecord[] = [];
  for await (const record of records) {
    if (together[0] !== undefined && together[0].atMs !== record.atMs) {
      yield* together.sort(byId);
      together = [];
    }
    together.push(record);
  }
  yield* together.sort(byId);
}

function byId(one: RefusalRecord, other: RefusalRecord): number {
  return one.id < other.id ? 1 : -1;
}

function filterOf(selection: RefusalSelection): Filter<RefusalDocument> {
  const { code, endpointId, credentialId, requestId, ownedBy } = selection;
  return {
    ...timeAndConsumer(selection),
    // What only says what was left out has no code.
    code: code ?? { $exists: true },
    ...(endpointId === undefined ? {} : { endpointId }),
    ...(ownedBy === undefined ? {} : { ownedBy: { $all: [...ownersWith(ownedBy)] } }),
    ...(credentialId === undefined ? {} : { credentialId }),
    // Ids have no character after "~", so that this is every id that begins so.
    ...(requestId === undefined ? {} : { requestId: { $gte: requestId, $lt: `${requestId}~` } }),
  };
}

function timeAndConsumer(selection: RefusalSelection): Filter<RefusalDocument> {
  const { consumerId, isUnmatched = false, requestId, sinceMs, untilMs, olderThan } = selection;
  const latestMs = Math.min(untilMs ?? Infinity, olderThan?.atMs ?? Infinity);
  const at = {
    ...(sinceMs === undefined ? {} : { $gte: new Date(sinceMs) }),
    ...(latestMs === Infinity ? {} : { $lte: new Date(latestMs) }),
  };
  const ofCallers = requestId === undefined ? { consumerId: { $exists: true } } : {};
  return {
    ...(isUnmatched ? { consumerId: { $exists: false } } : consumerId === undefined ? ofCallers : { consumerId }),
    ...(Object.keys(at).length === 0 ? {} : { at }),
  };
}

/** Null for what another program than Postern wrote. */
function readRecord(document: RefusalDocument): RefusalRecord | null {
  const { _id, at, consumerId, leftOut, code, detail, credentialId, method, path } = document;
  if (dateField(at) instanceof Error || code === undefined) return null;
  return {
    id: _id.toHexString(),
    atMs: at.getTime(),
    code,
    consumerId: consumerId ?? null,
    detail: detail ?? '',
    credentialId: credentialId ?? null,
    method: method ?? '',
    path: path ?? '',
    requestId: document.requestId ?? null,
    endpointId: document.endpointId ?? null,
    isObserved: document.observed ?? false,
    sourceAddress: document.sourceAddress ?? null,
    stringToSign: document.stringToSign ?? null,
    leftOut: leftOut ?? 0,
    ...(document.ownedBy === undefined ? {} : { ownedBy: document.ownedBy }),
  };
}

async function countLeftOut(db: Db, selection: RefusalSelection, timeoutMs: number): Promise<number> {
  const signal = AbortSignal.timeout(timeoutMs);
  const [sum] = await withFaults(() =>
    byDeadline(signal, () =>
      collectionOf(db, 'refusals')
        .aggregate<{ readonly leftOut: number }>(
          [{ $match: timeAndConsumer(selection) }, { $group: { _id: null, leftOut: { $sum: '$leftOut' } } }],
          { signal },
        )
        .toArray(),
    ),
  );
  return sum?.leftOut ?? 0;
}

const CONSUMERS_AT_ONCE = 1000;

/** Removes what was refused to consumers. It takes `remove`. */
export async function removeRefusals(db: Db, consumerIds: readonly string[]): Promise<void> {
  for (const ids of chunksOf(consumerIds, CONSUMERS_AT_ONCE)) {
    await withFaults(() => collectionOf(db, 'refusals').deleteMany({ consumerId: { $in: [...ids] } }));
  }
}
