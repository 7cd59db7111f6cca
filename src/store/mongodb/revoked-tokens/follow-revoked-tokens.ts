import { setTimeout as delay } from 'node:timers/promises';
import type { ClientSession, MongoClient, Timestamp } from 'mongodb';
import type { Clock } from '../../../clock.ts';
import type { RevokedToken } from '../../../oauth2/revoked-tokens.ts';
import { isStandAlone } from '../connect.ts';
import { collectionNames, type RevokedTokenDocument } from '../documents.ts';
import { FeedGap } from '../feed/follow-collection.ts';
import { requireSchema } from '../schema/schema-version.ts';

/** What following takes, and whom it tells. */
export interface FollowRevokedTokensPorts {
  readonly client: MongoClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Between two readings of a stand-alone server, which has no change streams. */
  readonly pollIntervalMs: number;
  /** May be told twice. */
  readonly onRevoked: (token: RevokedToken) => void;
  /** Every token that was revoked before this moment of the clock was told. */
  readonly onConfirmed: (confirmedMs: number) => void;
}

/** How long the server waits for a change before it answers that there is none. */
const AWAIT_MS = 500;
const BATCH_SIZE = 1000;
/** Reading everything may take this part of the time at most. */
const LARGEST_SHARE = 0.05;

/**
 * Tells all tokens that are revoked, and then each one that is revoked, until the signal is aborted. Rejects with
 * `FeedGap`, the driver's error or `MongodbUnavailable` when it cannot go on: to be called again, which tells everything anew, because
 * a token that is revoked stays so. Asks the primary only: a secondary that was cut off from it would confirm for ever.
 */
export async function followRevokedTokens(ports: FollowRevokedTokensPorts): Promise<void> {
  const { client, signal } = ports;
  const db = client.db();
  await requireSchema(db, signal);
  if (await isStandAlone(db)) {
    await poll(ports);
    return;
  }
  const session = client.startSession({ causalConsistency: true });
  try {
    const since = await readAll(ports, session);
    if (since !== undefined) await watch(ports, session, since);
  } finally {
    await session.endSession();
  }
}

/** Gives a moment before the reading. */
async function readAll(
  { client, clock, signal, onRevoked, onConfirmed }: FollowRevokedTokensPorts,
  session?: ClientSession,
): Promise<Timestamp | undefined> {
  const tokens = client.db().collection<RevokedTokenDocument>(collectionNames.revokedTokens);
  const majority = session === undefined ? {} : ({ session, readConcern: { level: 'majority' } } as const);
  const options = { ...majority, readPreference: 'primary', signal } as const;
  const askedMs = clock.nowMs();
  await tokens.findOne({}, { ...options, projection: { _id: 1 } });
  const since = session?.operationTime;
  for await (const document of tokens.find({}, { ...options, batchSize: BATCH_SIZE })) tell(document, onRevoked);
  onConfirmed(askedMs);
  return since;
}

async function poll(ports: FollowRevokedTokensPorts): Promise<void> {
  const { clock, signal, pollIntervalMs } = ports;
  while (!signal.aborted) {
    const startMs = clock.nowMs();
    await readAll(ports);
    const tookMs = clock.nowMs() - startMs;
    await delay(Math.max(pollIntervalMs, tookMs / LARGEST_SHARE), undefined, { signal });
  }
}

async function watch(
  { client, clock, signal, onRevoked, onConfirmed }: FollowRevokedTokensPorts,
  session: ClientSession,
  since: Timestamp,
): Promise<void> {
  const stream = client
    .db()
    .collection<RevokedTokenDocument>(collectionNames.revokedTokens)
    // Those that expire are removed by the server, which is no news.
    .watch([{ $match: { operationType: { $ne: 'delete' } } }, { $project: { operationType: 1, fullDocument: 1 } }], {
      startAtOperationTime: since,
      session,
      maxAwaitTimeMS: AWAIT_MS,
      batchSize: BATCH_SIZE,
      readPreference: 'primary',
    });
  const stop = (): void => {
    void stream.close().catch(() => undefined);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    let askedMs = clock.nowMs();
    let inBatch = 0;
    for (;;) {
      const event = await stream.tryNext();
      if (isAborted(signal)) return;
      if (event === null && stream.closed) throw new FeedGap('the stream ended');
      if (event !== null) {
        if (event.operationType !== 'insert') throw new FeedGap(`told of "${event.operationType}"`);
        tell(event.fullDocument, onRevoked);
        inBatch += 1;
        // With the last of a batch the driver takes the token of the batch; else that of the event itself.
        if (stream.resumeToken === event._id) continue;
      }
      // The server answers with less than it may only when it has nothing more to tell.
      if (inBatch < BATCH_SIZE) onConfirmed(askedMs);
      inBatch = 0;
      askedMs = clock.nowMs();
    }
  } catch (error) {
    // Closing the stream ends its last question with an error.
    if (!isAborted(signal)) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await stream.close().catch(() => undefined);
  }
}

/** What others than Postern wrote may have any form, and then is no revoked token. */
function tell(document: Partial<RevokedTokenDocument>, onRevoked: (token: RevokedToken) => void): void {
  const { _id: tokenId, credentialId, expiresAt } = document as Readonly<Record<string, unknown>>;
  if (typeof tokenId !== 'string' || typeof credentialId !== 'string' || !(expiresAt instanceof Date)) return;
  onRevoked({ tokenId, credentialId, expiresAt: Math.ceil(expiresAt.getTime() / 1000) });
}

/** Asked anew after every wait. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
