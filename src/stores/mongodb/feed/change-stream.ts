import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ChangeStreamOptions,
  type ClientSession,
  type ClusterTime,
  type Document,
  type MongoClient,
  MongoServerError,
  type ResumeToken,
  type Timestamp,
  type TopologyDescription,
  type TopologyDescriptionChangedEvent,
} from 'mongodb';
import type { Clock } from '../../../base/clock.ts';
import { isAborted, pause } from '../deadline.ts';
import type { RawDocument } from '../mapping/document-fault.ts';
import { timeOfToken } from './stream-time.ts';

/** After what a change stream goes on: the token of its last answer, or a moment, what happened then included. */
export type StreamPosition = { readonly resumeAfter: ResumeToken } | { readonly startAtOperationTime: Timestamp };

/** The stream does not know what happened since its position: everything has to be read again. */
export class FeedGap extends Error {
  override readonly name = 'FeedGap';
}

/** The primary that a stream was read from is the primary no more: the stream goes on at its successor. */
export class PrimaryChanged extends Error {
  override readonly name = 'PrimaryChanged';
}

/** History lost, resume token damaged, stream unable to go on: the position is worth nothing. */
const LOST_POSITION_CODES: readonly unknown[] = [286, 9, 280, 260];

/** Whether a change stream with this error cannot go on after its position: everything has to be read again. */
export function isPositionLost(error: unknown): boolean {
  return error instanceof FeedGap || (error instanceof MongoServerError && LOST_POSITION_CODES.includes(error.code));
}

/** An event of a change stream, with the fields that pipelines project. */
export interface ChangeEvent {
  readonly _id: unknown;
  readonly operationType: string;
  readonly clusterTime?: Timestamp;
  readonly documentKey?: { readonly _id: unknown };
  readonly fullDocument?: RawDocument | null;
  readonly updateDescription?: { readonly updatedFields?: RawDocument };
}

/** What is watched. */
export interface Watched {
  readonly client: MongoClient;
  readonly session: ClientSession;
  readonly collection: string;
  readonly pipeline: Document[];
  readonly start: StreamPosition;
  /** The types of events that can be followed; any other is a {@link FeedGap}. */
  readonly operationTypes: readonly string[];
  readonly options?: Pick<ChangeStreamOptions, 'fullDocument' | 'maxAwaitTimeMS'>;
}

/** What following a stream takes, and what it calls. */
export interface StreamPorts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  onEvent(event: ChangeEvent): void;
  /** Every event up to this moment of the clock has been handed on. */
  onConfirmed(confirmedMs: number): void;
  onPosition?(position: StreamPosition): void;
  /** Every event before this moment of the database has been handed on. */
  onReached?(at: Timestamp): void;
}

/** How long the server waits for a change before it answers that there is none. */
const AWAIT_MS = 500;
/** So many of the largest endpoints fit into one answer. */
const BATCH_SIZE = 500;
/** Changes handed on in one go; checks must not wait for the rest of a large batch. */
const CHANGES_PER_TURN = 100;

/**
 * Follows a change stream until the signal is aborted. Rejects with {@link FeedGap}, or, when the stream can go on
 * after its last position, with {@link PrimaryChanged} or the driver's error.
 *
 * Confirmations come from a primary only: a secondary that was cut off from the others would for ever confirm what may
 * have changed there. A primary that steps down goes on to answer the streams that it has, so they are left then.
 */
export async function followStream(watched: Watched, { clock, signal, ...ports }: StreamPorts): Promise<void> {
  const { client, session, collection, pipeline, start, operationTypes } = watched;
  const stream = client
    .db()
    .collection(collection)
    .watch(pipeline, {
      maxAwaitTimeMS: AWAIT_MS,
      ...watched.options,
      ...start,
      session,
      batchSize: BATCH_SIZE,
      readPreference: 'primary',
    });
  // The server may be down: then there is nothing left to close.
  const close = async (): Promise<void> => {
    await stream.close().catch(() => undefined);
  };
  const stop = (): void => {
    void close();
  };
  signal.addEventListener('abort', stop, { once: true });
  const left = new AbortController();
  const leave = (change: TopologyDescriptionChangedEvent): void => {
    if (!losesPrimary(change)) return;
    left.abort();
    stop();
  };
  client.on('topologyDescriptionChanged', leave);
  try {
    let askedMs = clock.nowMs();
    let inBatch = 0;
    while (!signal.aborted) {
      const event = (await stream.tryNext()) as ChangeEvent | null;
      if (isAborted(signal)) return;
      if (isAborted(left.signal)) throw new PrimaryChanged();
      if (event === null && stream.closed) throw new FeedGap('the stream ended');
      if (event !== null) {
        if (!operationTypes.includes(event.operationType)) throw new FeedGap(`an event "${event.operationType}"`);
        ports.onEvent(event);
        inBatch += 1;
      }
      ports.onPosition?.({ resumeAfter: stream.resumeToken });
      // With the last of a batch the driver takes the token of the batch; else that of the event itself.
      const isBatchDone = event === null || stream.resumeToken !== event._id;
      const reached = isBatchDone ? timeOfToken(stream.resumeToken) : event.clusterTime;
      if (reached !== null && reached !== undefined) ports.onReached?.(reached);
      if (isBatchDone) {
        // The server answers with less than it may only when it has no more changes.
        if (inBatch < BATCH_SIZE) ports.onConfirmed(askedMs);
        inBatch = 0;
        askedMs = clock.nowMs();
      }
      if (inBatch % CHANGES_PER_TURN === CHANGES_PER_TURN - 1) await nextTurn();
    }
  } catch (error) {
    // Closing the stream ends its last request with an error.
    if (!isAborted(signal)) throw isAborted(left.signal) ? new PrimaryChanged() : error;
  } finally {
    client.off('topologyDescriptionChanged', leave);
    signal.removeEventListener('abort', stop);
    await close();
  }
}

function losesPrimary({ previousDescription, newDescription }: TopologyDescriptionChangedEvent): boolean {
  const former = primaryOf(previousDescription);
  return former !== null && former !== primaryOf(newDescription);
}

/** The primary, and of which election; null where none is known, and for servers that are no replica set. */
function primaryOf({ servers }: TopologyDescription): string | null {
  for (const { type, address, electionId } of servers.values()) {
    if (type === 'RSPrimary') return `${address} ${String(electionId)}`;
  }
  return null;
}

/** Reading a collection repeatedly may take this part of the time at most. */
const LARGEST_SHARE = 0.05;

/** Reads repeatedly until the signal is aborted, for servers without change streams. Rejects as `read` does. */
export async function poll(
  read: () => Promise<unknown>,
  { clock, signal, pollIntervalMs }: Pick<StreamPorts, 'clock' | 'signal'> & { readonly pollIntervalMs: number },
): Promise<void> {
  while (!signal.aborted) {
    const startMs = clock.nowMs();
    await read();
    await pause(Math.max(pollIntervalMs, (clock.nowMs() - startMs) / LARGEST_SHARE), signal);
  }
}

/**
 * The newest moment of the database that this process knows of. Reads wait for it, so that what is read after a change
 * was handed on is never older than that change: not from a secondary that lags, nor from a former primary.
 */
export class CausalFloor {
  #operationTime: Timestamp | null = null;
  #clusterTime: ClusterTime | null = null;

  /** Raises the floor to a moment that `session` has seen. Never lowers it; a stand-alone server has no moments. */
  raise(operationTime: Timestamp | undefined, session: ClientSession): void {
    if (operationTime === undefined) return;
    if (this.#operationTime !== null && !operationTime.greaterThan(this.#operationTime)) return;
    this.#operationTime = operationTime;
    // Signed by the server: a node that has not heard of this time takes it only so.
    this.#clusterTime = session.clusterTime?.signature === undefined ? null : session.clusterTime;
  }

  /** Makes the reads of a causally consistent session wait for the floor. */
  applyTo(session: ClientSession): void {
    if (this.#operationTime !== null) session.advanceOperationTime(this.#operationTime);
    if (this.#clusterTime !== null) session.advanceClusterTime(this.#clusterTime);
  }
}
