import type { Db } from 'mongodb';
import type { Usage, UsageSource } from '../../manage/resource-store.ts';
import { inPieces } from './commit/changes.ts';
import { DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { collectionNames, type UsageDocument } from './documents.ts';
import { withFaults } from './faults.ts';

const IDS_AT_ONCE = 10_000;

/** {@link UsageSource} on MongoDB. Does not own the client. */
export function createUsageSource(db: Db, timeoutMs = DEFAULT_TIMEOUT_MS): UsageSource {
  return {
    usageOf: async (credentialIds) => {
      const usage = new Map<string, Usage>();
      for (const ids of inPieces(credentialIds, IDS_AT_ONCE)) {
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
