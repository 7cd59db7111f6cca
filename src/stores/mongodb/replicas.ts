import { randomBytes } from 'node:crypto';
import type { Db, Document } from 'mongodb';
import type { Replica, ReplicaDirectory } from '../../resources/changes/replicas.ts';
import type { StoreRevision } from '../../model/store-revision.ts';
import type { ReplicaRegister, ReplicaReport } from '../replica-heartbeat.ts';
import { readRevision } from './commit/store-revision.ts';
import { byDeadline, DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { collectionOf } from './documents.ts';
import { withFaults } from './faults.ts';

/** Who a replica is, for as long as its process lives. */
export interface ReplicaIdentity {
  readonly name: string;
  /** Whether an operator gave the name, so that no other replica has it: a former process of it is gone. */
  readonly isOwnName: boolean;
  readonly version: string;
  readonly startedAtSeconds: number;
  /** How long it serves from memory without the database. */
  readonly maxStaleSeconds: number;
}

const REPORT_MS = 3000;
/** More than a replica may serve from memory: until then an operator has to know of it. */
const LEAST_REMEMBERED_SECONDS = 60;
const MARGIN_SECONDS = 10;
/** Texts come from machines and errors. */
const MAX_LENGTH = 300;

/**
 * {@link ReplicaRegister} in the collection `replicas`, from which a TTL index removes what is out of date. It takes
 * `insert`, `update` and `remove` there. Does not own the client.
 */
export function createReplicaRegister(
  db: Db,
  { name, isOwnName, version, startedAtSeconds, maxStaleSeconds }: ReplicaIdentity,
): ReplicaRegister {
  const replicas = collectionOf(db, 'replicas');
  const _id = randomBytes(6).toString('hex');
  const rememberedMs = 1000 * (Math.max(maxStaleSeconds, LEAST_REMEMBERED_SECONDS) + MARGIN_SECONDS);
  const identity = { _id, name: cut(name), version, startedAt: new Date(startedAtSeconds * 1000) };
  const write = async (work: () => Promise<unknown>): Promise<void> => {
    await withFaults(() => byDeadline(AbortSignal.timeout(REPORT_MS), work));
  };
  let hasReported = false;
  return {
    report: async (report) => {
      const said = { ...identity, ...documentOf(report) };
      // Literal: no text is taken for an expression.
      const times = { lastSeenAt: '$$NOW', expiresAt: { $add: ['$$NOW', rememberedMs] } };
      const replacement = { $mergeObjects: [{ $literal: said }, times] };
      await write(() =>
        replicas.updateOne({ _id }, [{ $replaceWith: replacement }], { upsert: true, writeConcern: { w: 1 } }),
      );
      if (hasReported) return;
      if (isOwnName) await write(() => replicas.deleteMany({ name: identity.name, _id: { $ne: _id } }));
      hasReported = true;
    },
    leave: async () => {
      await write(() => replicas.deleteOne({ _id }));
    },
  };
}

function documentOf({ revision, mode, unreadiness }: ReplicaReport): object {
  return {
    mode,
    ready: unreadiness === null,
    ...(unreadiness === null ? {} : { reason: cut(unreadiness) }),
    ...(revision === null ? {} : { revision: revision.latest, underWay: revision.underWay }),
  };
}

function cut(text: string): string {
  return text.slice(0, MAX_LENGTH);
}

/** {@link ReplicaDirectory} on MongoDB. Does not own the client. */
export function createReplicaDirectory(db: Db, timeoutMs = DEFAULT_TIMEOUT_MS): ReplicaDirectory {
  const replicas = collectionOf(db, 'replicas');
  const limited = (): { signal: AbortSignal } => ({ signal: AbortSignal.timeout(timeoutMs) });
  return {
    storeRevision: async () => (await withFaults(() => readRevision(db, limited()))) ?? { latest: 0, underWay: [] },
    list: async () => {
      const since = (field: string): object => ({ $subtract: ['$$NOW', field] });
      const projection = {
        name: 1,
        version: 1,
        mode: 1,
        ready: 1,
        reason: 1,
        revision: 1,
        underWay: 1,
        ageMs: since('$startedAt'),
        silentMs: since('$lastSeenAt'),
        servesForMs: { $subtract: ['$expiresAt', '$$NOW'] },
      };
      const found = replicas.find<Document>({}, { projection, sort: { name: 1, _id: 1 }, ...limited() });
      const all = (await withFaults(() => found.toArray())).map(replicaOf);
      // The server removes those within a minute.
      return all.filter(({ servesForMs }) => servesForMs > 0);
    },
    forget: async (id) => {
      const deadline = AbortSignal.timeout(timeoutMs);
      const gone = await withFaults(() => byDeadline(deadline, () => replicas.deleteOne({ _id: id })));
      return gone.deletedCount > 0;
    },
  };
}

/** The validator keeps the types right. */
function replicaOf(document: Document): Replica {
  const { _id, name, version, mode, ready, reason = '', revision, underWay, ...times } = document;
  const { ageMs, silentMs, servesForMs } = times as Pick<Replica, 'ageMs' | 'silentMs' | 'servesForMs'>;
  const numbers = (underWay ?? []) as readonly number[];
  const known: StoreRevision | null = typeof revision === 'number' ? { latest: revision, underWay: numbers } : null;
  return {
    id: String(_id),
    name: String(name),
    version: String(version),
    mode: String(mode),
    unreadiness: ready === true ? null : String(reason),
    revision: known,
    ageMs,
    silentMs,
    servesForMs,
  };
}
