import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChangeStream, ClientSession, Document, MongoClient, ResumeToken, Timestamp } from 'mongodb';
import type { Clock } from '../../../clock.ts';
import type { RawDocument } from '../mapping/document-fault.ts';

/** The collections that decide checks; a role of the service can be bound to them. */
export const followedCollections = ['endpoints', 'consumers', 'credentials', 'grants'] as const;
export type FollowedCollection = (typeof followedCollections)[number];

/** One changed document. It may be told twice, and may tell a state that is newer than the change. */
export interface Change {
  readonly collection: FollowedCollection;
  /** The `_id`: of any type where others than Postern wrote it. */
  readonly id: unknown;
  /** Of an endpoint: the document as it is now; null when it was deleted. */
  readonly document: RawDocument | null;
  readonly isDeleted: boolean;
  /** Of a credential that was made, or whose App Key was changed: the hash that finds it now. */
  readonly appKeyHash: string | null;
}

/** After what a change stream goes on: the token of its last answer, or a moment, what happened then included. */
export type StreamPosition = { readonly resumeAfter: ResumeToken } | { readonly startAtOperationTime: Timestamp };

/** The stream cannot tell what happened since its position: everything has to be read anew. */
export class FeedGap extends Error {
  override readonly name = 'FeedGap';
}

/** What following takes, and whom it tells. */
export interface FollowPorts {
  readonly client: MongoClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  onChange(change: Change, clusterTime: Timestamp | undefined, session: ClientSession): void;
  /** Everything up to this moment of the clock was told. */
  onConfirmed(confirmedMs: number): void;
  /** Where to go on after an error. */
  onPosition(position: StreamPosition): void;
}

/**
 * How long the server waits for a change before it answers that there is none. Of credentials less: a replica believes that an App Key is
 * nobody's only while such answers come (ADR 6).
 */
const awaitMs: Readonly<Record<FollowedCollection, number>> = {
  endpoints: 500,
  consumers: 500,
  credentials: 200,
  grants: 500,
};
/** Changes handed on in one go; checks must not wait for the rest of a large batch. */
const CHANGES_PER_TURN = 100;
/** So many of the largest endpoints fit into one answer. */
const BATCH_SIZE = 500;

const told: Readonly<Record<FollowedCollection, Document>> = {
  endpoints: { fullDocument: 1 },
  consumers: {},
  credentials: { 'fullDocument.appKeyHash': 1, 'updateDescription.updatedFields.appKeyHash': 1 },
  grants: {},
};

const documentChanges: ReadonlySet<unknown> = new Set(['insert', 'update', 'replace', 'delete']);

/**
 * Follows one collection until the signal is aborted. Rejects with {@link FeedGap}, or with the driver's error when the
 * stream broke and can go on after its last position.
 *
 * Confirmations come from a primary only: a secondary that was cut off from the others would confirm for ever what they
 * may have changed.
 */
export async function followCollection(
  collection: FollowedCollection,
  start: StreamPosition,
  { client, clock, signal, ...ports }: FollowPorts,
): Promise<void> {
  const session = client.startSession({ causalConsistency: true });
  const project = { operationType: 1, clusterTime: 1, documentKey: 1, ...told[collection] };
  const stream = client
    .db()
    .collection(collection)
    .watch([{ $project: project }], {
      ...start,
      ...(collection === 'endpoints' ? { fullDocument: 'updateLookup' } : {}),
      session,
      maxAwaitTimeMS: awaitMs[collection],
      batchSize: BATCH_SIZE,
      readPreference: 'primary',
    });
  const stop = (): void => {
    void closeQuietly(stream, session);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    let askedMs = clock.nowMs();
    let inBatch = 0;
    while (!signal.aborted) {
      const event = (await stream.tryNext()) as ChangeEvent | null;
      if (isAborted(signal)) return;
      if (event === null && stream.closed) throw new FeedGap('the stream ended');
      if (event !== null) {
        if (!documentChanges.has(event.operationType)) throw new FeedGap(`told of "${event.operationType}"`);
        ports.onChange(changeOf(collection, event), event.clusterTime, session);
        inBatch += 1;
      }
      ports.onPosition({ resumeAfter: stream.resumeToken });
      // With the last of a batch the driver takes the token of the batch; else that of the event itself.
      const isBatchDone = event === null || stream.resumeToken !== event._id;
      if (isBatchDone) {
        // The server answers with less than it may only when it has nothing more to tell.
        if (inBatch < BATCH_SIZE) ports.onConfirmed(askedMs);
        inBatch = 0;
        askedMs = clock.nowMs();
      }
      if (inBatch % CHANGES_PER_TURN === CHANGES_PER_TURN - 1) await nextTurn();
    }
  } catch (error) {
    // Closing the stream ends its last question with an error.
    if (!isAborted(signal)) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await closeQuietly(stream, session);
  }
}

interface ChangeEvent {
  readonly _id: unknown;
  readonly operationType: string;
  readonly clusterTime?: Timestamp;
  readonly documentKey?: { readonly _id: unknown };
  readonly fullDocument?: RawDocument | null;
  readonly updateDescription?: { readonly updatedFields?: RawDocument };
}

function changeOf(collection: FollowedCollection, event: ChangeEvent): Change {
  const { documentKey, fullDocument = null, updateDescription } = event;
  const appKeyHash = fullDocument?.['appKeyHash'] ?? updateDescription?.updatedFields?.['appKeyHash'];
  return {
    collection,
    id: documentKey?._id,
    document: collection === 'endpoints' ? fullDocument : null,
    isDeleted: event.operationType === 'delete',
    appKeyHash: typeof appKeyHash === 'string' ? appKeyHash : null,
  };
}

/** The server may be gone: then there is nothing left to close. */
async function closeQuietly(stream: ChangeStream, session: ClientSession): Promise<void> {
  await Promise.allSettled([stream.close(), session.endSession()]);
}

/** Asked anew after every wait. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
