import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientSession, type MongoClient, MongoError, MongoServerError } from 'mongodb';
import { uncertain } from '../faults.ts';

/** How long a transaction is tried. */
export interface Patience {
  /** While others change the same: as long as MongoDB lets one transaction last. */
  readonly maxContentionMs: number;
  /** While a server is away in the middle of it: two elections. */
  readonly maxOutageMs: number;
}

const usualPatience: Patience = { maxContentionMs: 60_000, maxOutageMs: 20_000 };
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
export async function inTransaction<T>(
  client: MongoClient,
  work: (session: ClientSession) => Promise<T>,
  { maxContentionMs, maxOutageMs }: Patience = usualPatience,
): Promise<T> {
  await using session = client.startSession();
  const contention = AbortSignal.timeout(maxContentionMs);
  const outage = AbortSignal.timeout(maxOutageMs);
  for (let attempt = 1; ; attempt += 1) {
    session.startTransaction(options);
    try {
      const result = await work(session);
      await commit(session, outage);
      return result;
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction();
      else await endOnServer(client, session);
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

/**
 * After a commit that failed the driver takes the transaction for ended; the server may still have it, and its locks for
 * a minute. What was committed stays so.
 */
async function endOnServer(client: MongoClient, { id }: ClientSession): Promise<void> {
  // A server that is away forgets by itself.
  await client
    .db('admin')
    .command({ killSessions: [id] })
    .catch(() => undefined);
}

function hasLabel(error: unknown, label: string): boolean {
  return error instanceof MongoError && error.hasErrorLabel(label);
}
