import type { AnyBulkWriteOperation, Db } from 'mongodb';
import { chunksOf, type Usage, type UsageSource } from '../../manage/resource-store.ts';
import type { CredentialUse, UsageSink } from '../usage-recorder.ts';
import { DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { collectionNames, type UsageDocument } from './documents.ts';
import { withFaults } from './faults.ts';

/** Each write is well within the time that a connection for checks gives an answer. */
const USES_AT_ONCE = 1000;

/**
 * {@link UsageSink} on MongoDB. The later time wins, so that replicas write beside each other and again what may have
 * been written. It takes `insert`, `update` and `find` on the one collection. Does not own the client.
 */
export function createUsageSink(db: Db): UsageSink {
  const usage = db.collection<UsageDocument>(collectionNames.usage);
  return {
    write: async (batch) => {
      for (const uses of chunksOf(batch, USES_AT_ONCE)) {
        await withFaults(() => usage.bulkWrite(uses.map(raise), { ordered: false, writeConcern: { w: 1 } }));
      }
    },
  };
}

function raise({
  credentialId,
  lastUsedAt,
  retiringSecretLastUsedAt,
}: CredentialUse): AnyBulkWriteOperation<UsageDocument> {
  const latest = {
    lastUsedAt: new Date(lastUsedAt * 1000),
    ...(retiringSecretLastUsedAt === null
      ? {}
      : { retiringSecretLastUsedAt: new Date(retiringSecretLastUsedAt * 1000) }),
  };
  return { updateOne: { filter: { _id: credentialId }, update: { $max: latest }, upsert: true } };
}

const IDS_AT_ONCE = 10_000;

/** {@link UsageSource} on MongoDB. Does not own the client. */
export function createUsageSource(db: Db, timeoutMs = DEFAULT_TIMEOUT_MS): UsageSource {
  return {
    usageOf: async (credentialIds) => {
      const usage = new Map<string, Usage>();
      for (const ids of chunksOf(credentialIds, IDS_AT_ONCE)) {
        const documents = await withFaults(() =>
          db
            .collection<UsageDocument>(collectionNames.usage)
            .find({ _id: { $in: [...ids] } }, { signal: AbortSignal.timeout(timeoutMs) })
            .toArray(),
        );
        for (const { _id, lastUsedAt, retiringSecretLastUsedAt } of documents) {
          usage.set(_id, {
            lastUsedAt: secondsOf(lastUsedAt),
            retiringSecretLastUsedAt: secondsOf(retiringSecretLastUsedAt),
          });
        }
      }
      return usage;
    },
  };
}

/** Null for what a hand made something else than a date. */
function secondsOf(date: unknown): number | null {
  return date instanceof Date && !Number.isNaN(date.getTime()) ? Math.floor(date.getTime() / 1000) : null;
}
