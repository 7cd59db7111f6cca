import { BSON, type ClientSession, type Document, type MongoClient, type Timestamp } from 'mongodb';
import type { RawDocument } from '../mapping/document-fault.ts';
import { type ChangeEvent, followStream, poll, type StreamPosition, type StreamPorts } from './change-stream.ts';

/** The collections that decide checks; a role of the service can be bound to them. */
export const followedCollections = ['endpoints', 'consumers', 'credentials', 'grants'] as const;
export type FollowedCollection = (typeof followedCollections)[number];

/** One changed document. It may come twice, and may show a state that is newer than the change. */
export interface Change {
  readonly collection: FollowedCollection;
  /** The `_id`: of any type where a hand wrote it. */
  readonly id: unknown;
  /** Of an endpoint: the document as it is now; null when it was deleted. */
  readonly document: RawDocument | null;
  readonly isDeleted: boolean;
  /** Of a credential that was created, or whose App Key was changed: the hash that finds it now. */
  readonly appKeyHash: string | null;
}

/** What following a collection takes, and what it calls. */
export interface FollowPorts extends Omit<StreamPorts, 'onEvent'> {
  readonly client: MongoClient;
  readonly onChange: (change: Change, clusterTime: Timestamp | undefined, session: ClientSession) => void;
}

/** Shorter than of others: a replica takes an App Key for unknown only while such answers come (ADR 6). */
const CREDENTIALS_AWAIT_MS = 200;

const fieldsOf: Readonly<Record<FollowedCollection, Document>> = {
  endpoints: { fullDocument: 1 },
  consumers: {},
  credentials: { 'fullDocument.appKeyHash': 1, 'updateDescription.updatedFields.appKeyHash': 1 },
  grants: {},
};

/** Follows one collection until the signal is aborted. Rejects as {@link followStream} does. */
export async function followCollection(
  collection: FollowedCollection,
  start: StreamPosition,
  { client, onChange, ...ports }: FollowPorts,
): Promise<void> {
  await using session = client.startSession({ causalConsistency: true });
  const project = { operationType: 1, clusterTime: 1, documentKey: 1, ...fieldsOf[collection] };
  const watched = {
    ...{ client, session, collection, start, pipeline: [{ $project: project }] },
    operationTypes: ['insert', 'update', 'replace', 'delete'],
    options: {
      ...(collection === 'endpoints' ? { fullDocument: 'updateLookup' } : {}),
      ...(collection === 'credentials' ? { maxAwaitTimeMS: CREDENTIALS_AWAIT_MS } : {}),
    },
  };
  await followStream(watched, {
    ...ports,
    onEvent: (event) => {
      onChange(changeOf(collection, event), event.clusterTime, session);
    },
  });
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

/** What polling takes, and what it calls. */
export interface PollPorts extends Pick<StreamPorts, 'clock' | 'signal' | 'onConfirmed'> {
  readonly client: MongoClient;
  readonly pollIntervalMs: number;
  /** The whole collection, when it differs from the last time. */
  readonly onEndpoints: (documents: readonly RawDocument[]) => void;
}

/**
 * Reads all endpoints repeatedly until the signal is aborted, for servers without change streams: whole, because an
 * edit by hand changes no revision. Only when they differ to the byte they are parsed. Rejects with the driver's
 * errors.
 */
export async function pollEndpoints({ client, onEndpoints, onConfirmed, ...ports }: PollPorts): Promise<void> {
  const { clock, signal } = ports;
  const collection = client.db().collection<RawDocument>('endpoints');
  let known: readonly Buffer[] | null = null;
  await poll(async () => {
    const askedMs = clock.nowMs();
    const found = (await collection.find({}, { raw: true, signal }).sort({ _id: 1 }).toArray()) as unknown as Buffer[];
    if (known === null || !isSame(known, found)) {
      known = found.map((bytes) => Buffer.from(bytes));
      onEndpoints(known.map((bytes) => BSON.deserialize(bytes)));
    }
    onConfirmed(askedMs);
  }, ports);
}

function isSame(known: readonly Buffer[], found: readonly Buffer[]): boolean {
  return known.length === found.length && known.every((bytes, index) => found[index]?.equals(bytes) === true);
}
