import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientSession, type MongoClient, MongoError, MongoServerError, MongoWriteConcernError } from 'mongodb';
import { byDeadline } from '../deadline.ts';
import { uncertain } from '../faults.ts';

/** What one transaction depends on. */
export interface TransactionPorts {
  /** Until when it is tried. What was not sent to be committed by then is never made. */
  readonly deadline: AbortSignal;
  /** Whether what the work wrote is there, confirmed by a majority. Asked when a server did not confirm the commit. */
  readonly isThere: () => Promise<boolean>;
  /** Told again and again while transactions of others hold what the work wants to write. */
  readonly onBlocked: (blockedMs: number) => Promise<void>;
  /** What to reject with when others still hold it at the deadline. */
  readonly blockedError: () => Error;
}

/** A transaction that lasts longer than this is not just another command. */
const BLOCKED_MS = 150;
const MAX_PAUSE_MS = 40;
const COMMIT_PAUSE_MS = 200;
/** How long a transaction that failed is given to end in order; the server forgets it anyway. */
const ABORT_MS = 1000;

const options = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', wtimeoutMS: 5000 },
  readPreference: 'primary',
} as const;

/**
 * Runs work in one transaction, again from its beginning where others were in the way or the primary changed; so work
 * keeps nothing from one attempt to the next. Rejects as the driver does: then nothing was made, and nothing will be. Or,
 * when it is not known at the deadline whether the commit was made, with `MongodbUnavailable` (`uncertain`).
 */
export async function inTransaction<T>(
  client: MongoClient,
  work: (session: ClientSession) => Promise<T>,
  ports: TransactionPorts,
): Promise<T> {
  const { deadline } = ports;
  const session = client.startSession();
  let blockedSince: number | null = null;
  try {
    for (;;) {
      session.startTransaction(options);
      let error: Error | undefined;
      try {
        const result = await byDeadline(deadline, async () => await work(session));
        if (await commit(session, client, ports)) return result;
      } catch (thrown) {
        error = thrown instanceof Error ? thrown : new Error('work in a transaction threw what is no error');
        if (session.inTransaction() && !deadline.aborted) await abort(session);
      }
      // A transaction that is gone from the server (undefined) was ended by others, or with its primary.
      const isBlocked = isWriteConflict(error);
      if (isBlocked) blockedSince ??= performance.now();
      else if (!deadline.aborted) blockedSince = null;
      if (deadline.aborted && blockedSince !== null) throw ports.blockedError();
      if (error !== undefined && (deadline.aborted || !isPassing(error))) throw error;
      deadline.throwIfAborted();
      const blockedMs = blockedSince === null ? 0 : performance.now() - blockedSince;
      if (blockedMs > BLOCKED_MS) await ports.onBlocked(blockedMs);
      await delay(randomInt(MAX_PAUSE_MS) + 1);
    }
  } finally {
    if (deadline.aborted) retire(session, client);
    else await session.endSession();
  }
}

/**
 * Ends a session whose work was left behind: nothing of it is sent any more. Aborting would not do: the driver runs what
 * comes after that outside of a transaction.
 */
function retire(session: ClientSession, client: MongoClient): void {
  session.hasEnded = true;
  // Nobody waits for a server that may be frozen; it ends the transaction in a minute all the same.
  client
    .db('admin')
    .command({ killSessions: [session.id] })
    .catch(() => undefined);
}

/**
 * Commits, and asks again while the answer is lost: a second commit of what is committed does nothing. False when the
 * transaction is gone with nothing made. Rejects when the server refuses it, or with `uncertain` at the deadline.
 */
async function commit(session: ClientSession, client: MongoClient, ports: TransactionPorts): Promise<boolean> {
  const { deadline, isThere } = ports;
  for (let isUnknown = false; ; isUnknown = true) {
    try {
      await byDeadline(deadline, async () => {
        await session.commitTransaction();
      });
      return true;
    } catch (error) {
      const isGone = hasLabel(error, 'TransientTransactionError') && error instanceof MongoServerError;
      if (isGone && !isUnknown) return false;
      if (!isUnknown && isRefusal(error)) {
        await endOnServer(client, session, deadline);
        throw error;
      }
      if (deadline.aborted) throw uncertain();
      // Servers that do not answer this either are asked again.
      if (await byDeadline(deadline, isThere).catch(() => false)) return true;
      if (isGone) return false;
    }
    await delay(COMMIT_PAUSE_MS);
  }
}

/** What a server says that did not commit, and never will: no lost answer, no election, no write concern. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof MongoServerError) || error instanceof MongoWriteConcernError) return false;
  const isPassing = ['UnknownTransactionCommitResult', 'RetryableWriteError'].some((label) => hasLabel(error, label));
  return !isPassing && error.code !== INTERRUPTED;
}

async function abort(session: ClientSession): Promise<void> {
  await byDeadline(AbortSignal.timeout(ABORT_MS), async () => {
    await session.abortTransaction();
  }).catch(() => undefined);
}

/**
 * After a commit that failed the driver takes the transaction for ended; the server may still have it, and its locks for
 * a minute. What was committed stays so.
 */
async function endOnServer(client: MongoClient, { id }: ClientSession, deadline: AbortSignal): Promise<void> {
  // A server that is away forgets by itself.
  await byDeadline(deadline, async () => await client.db('admin').command({ killSessions: [id] })).catch(
    () => undefined,
  );
}

const WRITE_CONFLICT = 112;
/** An operation of a transaction that somebody ended, such as an emergency stop that had to go first. */
const INTERRUPTED = 11601;

function isWriteConflict(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === WRITE_CONFLICT;
}

function isPassing(error: unknown): boolean {
  return (
    hasLabel(error, 'TransientTransactionError') || (error instanceof MongoServerError && error.code === INTERRUPTED)
  );
}

function hasLabel(error: unknown, label: string): boolean {
  return error instanceof MongoError && error.hasErrorLabel(label);
}
