import type { AnyBulkWriteOperation, Db } from 'mongodb';
import { dateField } from '../../model/document/fields.ts';
import { chunksOf, type Usage, type UsageSource } from '../../resources/changes/resource-store.ts';
import type { CredentialUse, UsageSink } from '../usage-recorder.ts';
import { DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { collectionOf, type UsageDocument } from './documents.ts';
import { withFaults } from './faults.ts';

/** Each write is well within the time that a connection for checks gives an answer. */
const USES_AT_ONCE = 1000;
const IDS_AT_ONCE = 10_000;

/**
 * {@link UsageSink} on MongoDB. The later time wins, so that replicas write beside each other and repeat what may have
 * been written. It takes `insert`, `update` and `find` on the one collection. Does not own the client.
 */
export function createUsageSink(db: Db): UsageSink {
  return {
    write: async (batch) => {
      for (const uses of chunksOf(batch, USES_AT_ONCE)) {
        const options = { ordered: false, writeConcern: { w: 1 } } as const;
        await withFaults(() => collectionOf(db, 'usage').bulkWrite(uses.map(raise), options));
      }
    },
  };
}

function raise(use: CredentialUse): AnyBulkWriteOperation<UsageDocument> {
  const { credentialId, lastUsedAt, retiringSecretLastUsedAt: retiring } = use;
  const latest = {
    lastUsedAt: new Date(lastUsedAt * 1000),
    idleSince: new Date(lastUsedAt * 1000),
    ...(retiring === null ? {} : { retiringSecretLastUsedAt: new Date(retiring * 1000) }),
  };
  return { updateOne: { filter: { _id: credentialId }, update: { $max: latest }, upsert: true } };
}

/** {@link UsageSource} on MongoDB. Does not own the client. */
export function createUsageSource(db: Db, timeoutMs = DEFAULT_TIMEOUT_MS): UsageSource {
  return {
    usageOf: async (credentialIds) => {
      const usage = new Map<string, Usage>();
      for (const ids of chunksOf(credentialIds, IDS_AT_ONCE)) {
        const options = { signal: AbortSignal.timeout(timeoutMs) };
        const found = collectionOf(db, 'usage').find(
          { _id: { $in: [...ids] }, lastUsedAt: { $exists: true } },
          options,
        );
        for (const { _id, lastUsedAt, retiringSecretLastUsedAt } of await withFaults(() => found.toArray())) {
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
function secondsOf(raw: unknown): number | null {
  const seconds = dateField(raw);
  return typeof seconds === 'number' ? seconds : null;
}
