import type { Db } from 'mongodb';
import { CannotOpen, type Sealed, type SealedFor, type Sealer } from '../../model/keyring/sealed.ts';
import type { Secret } from '../../model/secret.ts';
import type { JobStore, KeptJob } from '../../resources/changes/jobs.ts';
import { byDeadline, DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { collectionOf, type JobDocument } from './documents.ts';
import { isDuplicate } from './duplicates.ts';
import { withFaults } from './faults.ts';

/**
 * {@link JobStore} in the collection `jobs`, which a TTL index empties. Reads the primary. Secrets are sealed with the
 * key ring. It takes `find`, `insert` and `update`. Does not own the client.
 */
export function createJobStore(db: Db, sealer: Sealer, timeoutMs = DEFAULT_TIMEOUT_MS): JobStore {
  const jobs = collectionOf(db, 'jobs');
  const inTime = async <T>(work: () => Promise<T>): Promise<T> =>
    await withFaults(() => byDeadline(AbortSignal.timeout(timeoutMs), work));
  return {
    start: async ({ id, startedAt, expiresAt, ...rest }) => {
      const times = { startedAt: dateOf(startedAt), seenAt: dateOf(startedAt), expiresAt: dateOf(expiresAt) };
      return await inTime(async () => {
        try {
          await jobs.insertOne({ _id: id, ...rest, ...times, outcomes: [], isEnded: false, isStopped: false });
          return true;
        } catch (error) {
          if (isDuplicate(error)) return false;
          throw error;
        }
      });
    },
    list: async (operatorId, most) => {
      const options = { sort: { startedAt: -1 }, limit: most, readPreference: 'primary' } as const;
      return (await inTime(() => jobs.find({ operatorId }, options).toArray())).map(readJob);
    },
    note: async (id, step, { isDone, text, secret }, seenAt) => {
      const sealed = secret === undefined ? {} : { secret: { ...sealer.seal(secret, belongsTo(id)) } };
      const outcome = { isDone, text, ...sealed };
      await inTime(() =>
        jobs.updateOne(
          { _id: id, outcomes: { $size: step } },
          { $push: { outcomes: outcome }, $set: { seenAt: dateOf(seenAt) } },
        ),
      );
    },
    touch: async (id, seenAt) => {
      const projection = { isStopped: 1 };
      const found = await inTime(() =>
        jobs.findOneAndUpdate({ _id: id }, { $set: { seenAt: dateOf(seenAt) } }, { projection }),
      );
      // What is no longer there was removed with its operator.
      return found === null || found.isStopped;
    },
    end: async (id) => {
      await inTime(() => jobs.updateOne({ _id: id }, { $set: { isEnded: true } }));
    },
    stop: async (operatorId, id) => {
      await inTime(() => jobs.updateOne({ _id: id, operatorId }, { $set: { isStopped: true } }));
    },
    takeSecrets: async (operatorId, id) => {
      const found = await inTime(() =>
        jobs.findOneAndUpdate({ _id: id, operatorId }, { $unset: { 'outcomes.$[].secret': '' } }),
      );
      return (found?.outcomes ?? []).flatMap(({ secret }, index) =>
        secret === undefined
          ? []
          : [{ name: found?.steps[index]?.name ?? '', secret: open(sealer, secret, belongsTo(id)) }],
      );
    },
  };
}

function dateOf(seconds: number): Date {
  return new Date(seconds * 1000);
}

function secondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

function belongsTo(id: string): SealedFor {
  return { credentialId: id, what: 'answer' };
}

function open(sealer: Sealer, sealed: Sealed, what: SealedFor): Secret | null {
  try {
    return sealer.open(sealed, what);
  } catch (error) {
    if (error instanceof CannotOpen) return null;
    throw error;
  }
}

function readJob({ _id, operatorId, key, title, steps, outcomes, isEnded, ...times }: JobDocument): KeptJob {
  return {
    id: _id,
    operatorId,
    key,
    title,
    steps,
    outcomes: outcomes.map(({ isDone, text, secret }) => ({ isDone, text, hasSecret: secret !== undefined })),
    startedAt: secondsOf(times.startedAt),
    seenAt: secondsOf(times.seenAt),
    expiresAt: secondsOf(times.expiresAt),
    isEnded,
  };
}
