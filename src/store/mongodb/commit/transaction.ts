import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientSession, type MongoClient, MongoError, MongoServerError } from 'mongodb';
import { uncertain } from '../faults.ts';

/** How long others who change the same are waited for: as long as MongoDB lets one transaction last. */
const MAX_CONTENTION_MS = 60_000;
/** How long a server is waited for that is away in the middle of it: two elections. */
const MAX_OUTAGE_MS = 20_000;
const FIRST_PAUSE_MS = 5;
const MAX_PAUSE_MS = 300;

const options = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', wtimeoutMS: 5000 },
  readPreference: 'primary',
} as const;

/**
 * Runs work in one transaction, again from its beginning where others were in the way or the primary changed; so work
 * keeps nothing from one attempt to the next. Gives up sooner than the driver's `withTransaction`, which an operator
 * would have to wait two minutes for. Rejects as the driver does, or, when no server told whether the commit was made,
 * with `MongodbUnavailable` (`uncertain`).
 */
export async function inTransaction<T>(client: MongoClient, work: (session: ClientSession) => Promise<T>): Promise<T> {
  await using session = client.startSession();
  const contention = AbortSignal.timeout(MAX_CONTENTION_MS);
  const outage = AbortSignal.timeout(MAX_OUTAGE_MS);
  for (let attempt = 1; ; attempt += 1) {
    session.startTransaction(options);
    try {
      const result = await work(session);
      await commit(session, outage);
      return result;
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction();
      const deadline = error instanceof MongoServerError ? contention : outage;
      if (!hasLabel(error, 'TransientTransactionError') || deadline.aborted) throw error;
    }
    await delay(randomInt(Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS)) + 1);
  }
}

/** Commits, and asks again while the answer is lost: a second commit of what is committed does nothing. */
async function commit(session: ClientSession, outage: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      if (!hasLabel(error, 'UnknownTransactionCommitResult')) throw error;
      if (outage.aborted) throw uncertain();
    }
    await delay(MAX_PAUSE_MS);
  }
}

function hasLabel(error: unknown, label: string): boolean {
  return error instanceof MongoError && error.hasErrorLabel(label);
}
