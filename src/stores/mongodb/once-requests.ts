import type { Db } from 'mongodb';
import { CannotOpen, type Sealed, type Sealer } from '../../model/keyring/sealed.ts';
import type { FormerRequest, OnceAnswer, OnceRequests } from '../../resources/changes/idempotency.ts';
import { Secret } from '../../model/secret.ts';
import { byDeadline, DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { collectionOf, type IdempotencyDocument } from './documents.ts';
import { isDuplicate } from './duplicates.ts';
import { withFaults } from './faults.ts';

/**
 * {@link OnceRequests} in the collection `idempotency`, which a TTL index empties. Answers are sealed as secrets are.
 * It takes `find`, `insert`, `update` and `remove`. Does not own the client.
 */
export function createOnceRequests(db: Db, sealer: Sealer, timeoutMs = DEFAULT_TIMEOUT_MS): OnceRequests {
  const requests = collectionOf(db, 'idempotency');
  const inTime = async <T>(work: () => Promise<T>): Promise<T> =>
    await withFaults(() => byDeadline(AbortSignal.timeout(timeoutMs), work));
  return {
    begin: async ({ id, createdAt, expiresAt, ...rest }) => {
      const times = { createdAt: new Date(createdAt * 1000), expiresAt: new Date(expiresAt * 1000) };
      const isTaken = await inTime(async () => {
        try {
          await requests.insertOne({ _id: id, ...rest, ...times });
          return false;
        } catch (error) {
          if (isDuplicate(error)) return true;
          throw error;
        }
      });
      if (!isTaken) return null;
      const former = await inTime(() => requests.findOne({ _id: id }, { readPreference: 'primary' }));
      // It ended at this moment: as one that runs, which a client tries again.
      return former === null ? { request: rest.request, answer: null } : readFormer(former, sealer);
    },
    finish: async (id, answer) => {
      const sealed = sealer.seal(Secret.fromText(JSON.stringify(answer)), belongsTo(id));
      await inTime(() => requests.updateOne({ _id: id }, { $set: { answer: { ...sealed } } }));
    },
    forget: async (id) => {
      await inTime(() => requests.deleteOne({ _id: id }));
    },
  };
}

function belongsTo(id: string): { readonly credentialId: string; readonly what: 'answer' } {
  return { credentialId: id, what: 'answer' };
}

function readFormer({ _id, request, answer }: IdempotencyDocument, sealer: Sealer): FormerRequest {
  if (answer === undefined) return { request, answer: null };
  try {
    const opened = sealer.open(answer as unknown as Sealed, belongsTo(_id));
    return { request, answer: JSON.parse(opened.reveal().toString('utf8')) as OnceAnswer };
  } catch (error) {
    if (error instanceof CannotOpen) return { request, answer: null };
    throw error;
  }
}
