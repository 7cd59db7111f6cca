import { BSON, type ClientSession, type Document, type MongoClient, type Timestamp } from 'mongodb';
import { forGroups } from '../documents.ts';
import type { StoreRevision } from '../../../model/store-revision.ts';
import { readRevision } from '../commit/store-revision.ts';
import type { RawDocument } from '../mapping/document-fault.ts';
import { type ChangeEvent, followStream, poll, type StreamPosition, type StreamPorts } from './change-stream.ts';
import type { WholeCollections } from './live-catalog.ts';

/** The collections that decide checks; a role of the service can be bound to them. */
export const followedCollections = ['endpoints', 'consumers', 'credentials', 'grants', 'plans'] as const;
export type FollowedCollection = (typeof followedCollections)[number];

/** One changed document. It may come twice, and may show a state that is newer than the change. */
export interface Change {
  readonly collection: FollowedCollection;
  /** The `_id`: of any type where a hand wrote it. */
  readonly id: unknown;
  /**
   * Of an endpoint, a plan, or a grant for a group: the document as it is now; null when it was deleted, or is of
   * another kind.
   */
  readonly document: RawDocument | null;
  readonly isDeleted: boolean;
  /** Of a credential that was created, or whose App Key was changed: the hash that finds it now. */
  readonly appKeyHash: string | null;
}

/** Collections whose documents are held in memory as a whole: of grants those for groups. */
const heldWhole: readonly FollowedCollection[] = ['endpoints', 'grants', 'plans'];

/** What following a collection takes, and what it calls. */
export interface FollowPorts extends Omit<StreamPorts, 'onEvent'> {
  readonly client: MongoClient;
  readonly onChange: (change: Change, clusterTime: Timestamp | undefined, session: ClientSession) => void;
}

/** Shorter than of others: a replica takes an App Key for unknown only while such answers come (ADR 6). */
const CREDENTIALS_AWAIT_MS = 200;

const fieldsOf: Readonly<Record<FollowedCollection, Document>> = {
  endpoints: { fullDocument: 1 },
  plans: { fullDocument: 1 },
  consumers: {},
  credentials: { 'fullDocument.appKeyHash': 1, 'updateDescription.updatedFields.appKeyHash': 1 },
  // Those of single consumers are looked up with their credentials, and there can be a million.
  grants: { fullDocument: { $cond: [{ $gt: ['$fullDocument.consumerSelector', null] }, '$fullDocument', '$$REMOVE'] } },
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
    client,
    session,
    collection,
    start,
    pipeline: [{ $project: project }],
    operationTypes: ['insert', 'update', 'replace', 'delete'],
    options: {
      ...(heldWhole.includes(collection) ? { fullDocument: 'updateLookup' } : {}),
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
    document: heldWhole.includes(collection) ? fullDocument : null,
    isDeleted: event.operationType === 'delete',
    appKeyHash: typeof appKeyHash === 'string' ? appKeyHash : null,
  };
}

/** What polling takes, and what it calls. */
export interface PollPorts extends Pick<StreamPorts, 'clock' | 'signal' | 'onConfirmed'> {
  readonly client: MongoClient;
  readonly pollIntervalMs: number;
  /** All of them, when one differs from the last time. */
  readonly onRead: (documents: WholeCollections) => void;
  /** The revision that was read before them, which were taken since; null when there is none. */
  readonly onRevision: (revision: StoreRevision | null) => void;
}

/**
 * Reads all endpoints, plans and grants for groups repeatedly until the signal is aborted, for servers without change
 * streams: whole, because an edit by hand changes no revision. Only when they differ to the byte they are parsed.
 * Rejects with the driver's errors.
 */
export async function pollCollections({ client, onRead, onRevision, ...ports }: PollPorts): Promise<void> {
  const { clock, signal, onConfirmed } = ports;
  const db = client.db();
  const read = async (name: FollowedCollection, filter: Document): Promise<readonly Buffer[]> => {
    const cursor = db.collection<RawDocument>(name).find(filter, { raw: true, signal }).sort({ _id: 1 });
    return (await cursor.toArray()) as unknown as Buffer[];
  };
  let known: readonly (readonly Buffer[])[] | null = null;
  await poll(async () => {
    const askedMs = clock.nowMs();
    const revision = await readRevision(db, { signal });
    const found = [await read('endpoints', {}), await read('grants', forGroups), await read('plans', {})];
    const isSame = known !== null && found.every((documents, index) => hasSameBytes(documents, known?.[index] ?? []));
    if (!isSame) {
      known = found.map((documents) => documents.map((bytes) => Buffer.from(bytes)));
      const [endpoints = [], groupGrants = [], plans = []] = known.map((documents) =>
        documents.map((bytes) => BSON.deserialize(bytes)),
      );
      onRead({ endpoints, groupGrants, plans });
    }
    onRevision(revision);
    onConfirmed(askedMs);
  }, ports);
}

function hasSameBytes(known: readonly Buffer[], found: readonly Buffer[]): boolean {
  return known.length === found.length && known.every((bytes, index) => found[index]?.equals(bytes) === true);
}
