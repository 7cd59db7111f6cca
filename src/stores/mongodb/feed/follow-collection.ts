import { isDeepStrictEqual } from 'node:util';
import { BSON, type ClientSession, type Document, type MongoClient, type Timestamp } from 'mongodb';
import { forGroups } from '../documents.ts';
import type { StoreRevision } from '../../../model/store-revision.ts';
import { readRevision } from '../commit/store-revision.ts';
import type { RawDocument } from '../mapping/document-fault.ts';
import { type ChangeEvent, followStream, poll, type StreamPosition, type StreamPorts } from './change-stream.ts';
import { readClaimNames, type StoredClaimNames } from './claim-names.ts';
import type { WholeCollections } from './live-catalog.ts';

/** The collections that decide checks; a role of the service can be bound to them. */
export const followedCollections = ['endpoints', 'consumers', 'credentials', 'grants', 'plans', 'issuers'] as const;
export type FollowedCollection = (typeof followedCollections)[number];

/** One changed document. It may come twice, and may show a state that is newer than the change. */
export interface Change {
  readonly collection: FollowedCollection;
  /** The `_id`: of any type where a hand wrote it. */
  readonly id: unknown;
  /**
   * Of an endpoint, a plan, an issuer, or a grant for a group: the document as it is now; null when it was deleted, or
   * is of another kind.
   */
  readonly document: RawDocument | null;
  readonly isDeleted: boolean;
  /** Of a credential that was created, or whose App Key was changed: the hash that finds it now. */
  readonly appKeyHash: string | null;
  /** Of a credential that was written as a whole: the claims that it names; null for none. */
  readonly claims: StoredClaimNames | null;
  /** Of a credential: whether its claims were edited, so that they have to be read. */
  readonly areClaimsEdited: boolean;
}

/** Collections whose documents are held in memory as a whole: of grants those for groups. */
const heldWhole: readonly FollowedCollection[] = ['endpoints', 'grants', 'plans', 'issuers'];

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
  issuers: { fullDocument: 1 },
  consumers: {},
  credentials: {
    'fullDocument.appKeyHash': 1,
    'fullDocument.issuer': 1,
    'fullDocument.claimNames': 1,
    'updateDescription.updatedFields.appKeyHash': 1,
    'updateDescription.updatedFields.issuer': 1,
    'updateDescription.updatedFields.claimNames': 1,
  },
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
  const updated = updateDescription?.updatedFields;
  const appKeyHash = fullDocument?.['appKeyHash'] ?? updated?.['appKeyHash'];
  const { issuer: issuerId, claimNames: names } = collection === 'credentials' ? (fullDocument ?? {}) : {};
  return {
    collection,
    id: documentKey?._id,
    document: heldWhole.includes(collection) ? fullDocument : null,
    isDeleted: event.operationType === 'delete',
    appKeyHash: typeof appKeyHash === 'string' ? appKeyHash : null,
    claims: typeof issuerId === 'string' && typeof names === 'string' ? { issuerId, names } : null,
    areClaimsEdited: collection === 'credentials' && (updated?.['issuer'] ?? updated?.['claimNames']) !== undefined,
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
 * Reads all endpoints, plans, issuers and grants for groups repeatedly until the signal is aborted, for servers without
 * change streams: whole, because an edit by hand changes no revision. Only when they differ to the byte they are
 * parsed. Rejects with the driver's errors.
 */
export async function pollCollections({ client, onRead, onRevision, ...ports }: PollPorts): Promise<void> {
  const { clock, signal, onConfirmed } = ports;
  const db = client.db();
  const read = async (name: FollowedCollection, filter: Document): Promise<readonly Buffer[]> => {
    const cursor = db.collection<RawDocument>(name).find(filter, { raw: true, signal }).sort({ _id: 1 });
    return (await cursor.toArray()) as unknown as Buffer[];
  };
  let known: readonly (readonly Buffer[])[] | null = null;
  let knownClaims: readonly StoredClaimNames[] = [];
  await poll(async () => {
    const askedMs = clock.nowMs();
    const revision = await readRevision(db, { signal });
    const found = [
      await read('endpoints', {}),
      await read('grants', forGroups),
      await read('plans', {}),
      await read('issuers', {}),
    ];
    const claimNames = await readClaimNames(db, found[3]?.map(idIn) ?? [], { signal });
    const isSame = known !== null && found.every((documents, index) => hasSameBytes(documents, known?.[index] ?? []));
    if (!isSame || !isDeepStrictEqual(claimNames, knownClaims)) {
      knownClaims = claimNames;
      known = found.map((documents) => documents.map((bytes) => Buffer.from(bytes)));
      const [endpoints = [], groupGrants = [], plans = [], issuers = []] = known.map((documents) =>
        documents.map((bytes) => BSON.deserialize(bytes)),
      );
      onRead({ endpoints, groupGrants, plans, issuers, claimNames });
    }
    onRevision(revision);
    onConfirmed(askedMs);
  }, ports);
}

function idIn(bytes: Buffer): string {
  return String((BSON.deserialize(bytes) as { readonly _id?: unknown })._id);
}

function hasSameBytes(known: readonly Buffer[], found: readonly Buffer[]): boolean {
  return known.length === found.length && known.every((bytes, index) => found[index]?.equals(bytes) === true);
}
