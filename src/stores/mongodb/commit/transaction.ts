import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type ClientSession,
  type MongoClient,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoWriteConcernError,
} from 'mongodb';
import { byDeadline } from '../deadline.ts';
import { uncertain, unwrapFault } from '../faults.ts';
import type { Obstacles } from './obstacles.ts';

/** What one transaction depends on. */
export interface TransactionPorts {
  /** Until when it is tried. What was not sent to be committed by then is never made. */
  readonly deadline: AbortSignal;
  /** Whether what the work wrote is there, confirmed by a majority. Called when a server did not confirm the commit. */
  readonly isThere: () => Promise<boolean>;
  /** What holds the records that the work wants to write. */
  readonly obstacles: Obstacles;
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
 * keeps nothing from one attempt to the next. Rejects as the driver does: then nothing was made, and nothing will be.
 * Or, when it is not known at the deadline whether the commit was made, with `MongodbUnavailable` (`uncertain`).
 */
export async function inTransaction<T>(
  client: MongoClient,
  work: (session: ClientSession) => Promise<T>,
  ports: TransactionPorts,
): Promise<T> {
  const { deadline, obstacles } = ports;
  let session = client.startSession();
  let blockedSince: number | null = null;
  try {
    for (;;) {
      session.startTransaction(options);
      let error: Error | undefined;
      try {
        const result = await byDeadline(deadline, () => work(session));
        if (await commit(session, client, ports)) return result;
      } catch (failure) {
        const thrown = unwrapFault(failure);
        error = thrown instanceof Error ? thrown : new Error('work in a transaction threw what is no error');
        if (session.inTransaction() && !deadline.aborted) {
          const patience = AbortSignal.timeout(ABORT_MS);
          await byDeadline(patience, () => session.abortTransaction()).catch(() => undefined);
          // An abort that waits for a new primary still goes on: the next attempt gets a session of its own.
          if (session.inTransaction()) {
            leave(session, client);
            session = client.startSession();
          }
        }
      }
      // A transaction that is gone from the server (undefined) was ended by others, or with its primary.
      const isBlocked = isWriteConflict(error);
      if (isBlocked) blockedSince ??= performance.now();
      else if (!deadline.aborted) blockedSince = null;
      if (deadline.aborted && blockedSince !== null) throw obstacles.conflict();
      if (error !== undefined && (deadline.aborted || !isPassing(error))) throw error;
      deadline.throwIfAborted();
      const blockedMs = blockedSince === null ? 0 : performance.now() - blockedSince;
      if (blockedMs > BLOCKED_MS) await obstacles.pass(blockedMs);
      await delay(randomInt(MAX_PAUSE_MS) + 1);
    }
  } finally {
    if (deadline.aborted) leave(session, client);
    else await session.endSession();
  }
}

/**
 * Leaves a session: nothing more of its work is sent, which after an abort the driver would run outside of a
 * transaction.
 */
function leave(session: ClientSession, client: MongoClient): void {
  session.hasEnded = true;
  void endOnServer(client, session);
}

/** Ends a transaction on the server, which would otherwise keep it, and its locks, for a minute. Changes no commit. */
async function endOnServer(client: MongoClient, { id }: ClientSession): Promise<void> {
  const ended = client.db('admin').command({ killSessions: [id] });
  // A server that is down forgets it anyway.
  await ended.catch(() => undefined);
}

/**
 * Commits, and repeats that while the answer is lost: a second commit of what is committed does nothing. False when the
 * transaction is gone with nothing made. Rejects when the server refuses it, or with `uncertain` at the deadline.
 */
async function commit(
  session: ClientSession,
  client: MongoClient,
  { deadline, isThere }: TransactionPorts,
): Promise<boolean> {
  for (let isUnknown = false; ; isUnknown = true) {
    try {
      await byDeadline(deadline, () => session.commitTransaction());
      return true;
    } catch (error) {
      const isGone = hasLabel(error, 'TransientTransactionError') && error instanceof MongoServerError;
      if (isGone && !isUnknown) return false;
      if (!isUnknown && isRefusal(error)) {
        // The driver takes the transaction for ended.
        await byDeadline(deadline, () => endOnServer(client, session)).catch(() => undefined);
        throw error;
      }
      if (deadline.aborted) throw uncertain();
      // Without an answer to this either, it is tried again.
      if (await byDeadline(deadline, isThere).catch(() => false)) return true;
      if (isGone) return false;
    }
    await delay(COMMIT_PAUSE_MS);
  }
}

/** Whether the server says that it did not commit, and never will: no lost answer, no election, no write concern. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof MongoServerError) || error instanceof MongoWriteConcernError) return false;
  const isPassing = ['UnknownTransactionCommitResult', 'RetryableWriteError'].some((label) => hasLabel(error, label));
  return !isPassing && error.code !== INTERRUPTED;
}

const WRITE_CONFLICT = 112;
/** An operation of a transaction that another command ended, such as an emergency stop that had to go first. */
const INTERRUPTED = 11601;

function isWriteConflict(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === WRITE_CONFLICT;
}

function isPassing(error: unknown): boolean {
  if (hasLabel(error, 'TransientTransactionError') || error instanceof MongoNetworkError) return true;
  return error instanceof MongoServerError && error.code === INTERRUPTED;
}

function hasLabel(error: unknown, label: string): boolean {
  return error instanceof MongoError && error.hasErrorLabel(label);
}
