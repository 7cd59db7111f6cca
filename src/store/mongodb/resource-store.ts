import type { Db, Filter } from 'mongodb';
import type { Clock } from '../../clock.ts';
import type { Sealer } from '../../keyring/sealed.ts';
import type { Change, Operation } from '../../manage/change.ts';
import type { ResourceKind, ResourceOf, Stored } from '../../manage/resource.ts';
import type { ResourceStore, Selection } from '../../manage/resource-store.ts';
import { checkPlan, inPieces } from './commit/changes.ts';
import { makeChanges, raiseRevision } from './commit/make-changes.ts';
import type { Identified } from './commit/commit-context.ts';
import { inTransaction } from './commit/transaction.ts';
import { isStandAlone } from './connect.ts';
import { iterateWithFaults, MongodbUnavailable, tooLarge, withFaults } from './faults.ts';
import { describeFault, type DocumentFault, type Mapped } from './mapping/document-fault.ts';
import { ensureSchema } from './migrate.ts';
import { readStored, recordKinds } from './record-kinds.ts';
import { requireKnownKeys } from './require-known-keys.ts';
import { readSchemaVersion, requireSchema } from './schema/schema-version.ts';

/**
 * So many changes of the usual size one commit carries on any server; a larger set goes in steps. A transaction lies in
 * the cache until it is committed: 256 MB, the smallest that MongoDB has, took 14 000 new resources, 512 MB 20 000, 1 GB
 * 50 000. More is refused in seconds (`too-large`) with nothing changed.
 */
export const MAX_CHANGES_PER_COMMIT = 10_000;

/** What a {@link MongoResourceStore} works with. */
export interface MongoResourceStorePorts {
  /** Of a client for `commands` (connect.ts). */
  readonly db: Db;
  /** Null for commands that need no secret: what stands for one is worthless then, and nothing can be committed. */
  readonly sealer: Sealer | null;
  readonly clock: Clock;
  /** Told of every record that a hand made unreadable: lists pass over it. */
  readonly onFault: (fault: DocumentFault) => void;
}

/** {@link ResourceStore} on MongoDB. Does not own the client. */
export class MongoResourceStore implements ResourceStore {
  readonly #ports: MongoResourceStorePorts;
  #readable: Promise<void> | null = null;

  constructor(ports: MongoResourceStorePorts) {
    this.#ports = ports;
  }

  async find<K extends ResourceKind>(kind: K, id: string): Promise<Stored<ResourceOf[K]> | null> {
    const { db, sealer } = this.#ports;
    await this.#requireReadable();
    const document = await withFaults(() =>
      db.collection<Identified>(recordKinds[kind].collection).findOne({ _id: id }),
    );
    if (document === null) return null;
    const mapped = readStored(kind, document, sealer);
    if ('fault' in mapped) throw unreadable(mapped.fault);
    return mapped.value;
  }

  async *list<K extends ResourceKind>(kind: K, selection: Selection = {}): AsyncGenerator<Stored<ResourceOf[K]>> {
    const { db, onFault } = this.#ports;
    await this.#requireReadable();
    const collection = db.collection<Identified>(recordKinds[kind].collection);
    for (const filter of filtersOf(selection)) {
      const documents = collection.find(filter, { sort: { _id: 1 }, batchSize: READ_AT_ONCE });
      for await (const document of iterateWithFaults(documents)) {
        const mapped: Mapped<Stored<ResourceOf[K]>> = readStored(kind, document, this.#ports.sealer);
        if ('value' in mapped) yield mapped.value;
        // Nothing is wrong with the record: whoever passed over it would think that it is not there.
        else if (mapped.fault.kind === 'unknown-key') throw unreadable(mapped.fault);
        else onFault(mapped.fault);
      }
    }
  }

  async commit(changes: readonly Change[], operation: Operation): Promise<number> {
    checkPlan(changes);
    const { db, sealer, clock } = this.#ports;
    if (sealer === null) throw new Error('nothing can be committed without a key ring');
    return await withFaults(async () => {
      if (await isStandAlone(db)) throw new MongodbUnavailable('stand-alone', STAND_ALONE);
      await ensureSchema(db);
      if (changes.some(({ kind, after }) => kind === 'credential' && after !== null))
        await requireKnownKeys(db, sealer);
      let attempts = 0;
      return await inTransaction(db.client, async (session) => {
        const storeRevision = await raiseRevision(db, session);
        // From here on nobody else is in the way: what fails again and again is pushed out of a cache too small for it.
        attempts += 1;
        if (attempts > MAX_ATTEMPTS) throw tooLarge();
        const context = { db, session, storeRevision, nowMs: clock.nowMs() };
        await makeChanges(changes, operation, sealer, context);
        return storeRevision;
      });
    });
  }

  /** An empty database has nothing to read; one of another version would be misread. */
  async #requireReadable(): Promise<void> {
    const { db } = this.#ports;
    this.#readable ??= readSchemaVersion(db).then(async (version) => {
      if (version !== null) await requireSchema(db);
    });
    try {
      await this.#readable;
    } catch (error) {
      this.#readable = null;
      throw error;
    }
  }
}

/** Of one commit, once it is its turn. */
const MAX_ATTEMPTS = 5;
const READ_AT_ONCE = 1000;
const IDS_AT_ONCE = 10_000;

const STAND_ALONE =
  'this MongoDB is a stand-alone server, on which a change and its audit event cannot be one: make it a replica set of one (start mongod with --replSet rs0, then rs.initiate() in the shell). Nothing was changed';

/** What is asked, in the order of ids: many ids are asked for in several questions. */
function* filtersOf(selection: Selection): Generator<Filter<Identified>> {
  const { ids, consumerId, consumerIds, endpointId, appKeyHashes } = selection;
  const filters: Filter<Identified>[] = [];
  if (consumerId !== undefined) filters.push({ consumerId });
  if (consumerIds !== undefined) filters.push({ consumerId: { $in: [...consumerIds] } });
  if (endpointId !== undefined) filters.push({ endpointId });
  if (appKeyHashes !== undefined) filters.push({ appKeyHash: { $in: [...appKeyHashes] } });
  const narrowed = filters.length === 0 ? {} : { $and: filters };
  if (ids === undefined) yield narrowed;
  else
    for (const piece of inPieces([...new Set(ids)].sort(), IDS_AT_ONCE))
      yield { ...narrowed, _id: { $in: [...piece] } };
}

function unreadable(fault: DocumentFault): MongodbUnavailable {
  if (fault.kind === 'unknown-key') {
    return new MongodbUnavailable('key-ring', `${describeFault(fault)}; use the key ring that it was sealed with`);
  }
  return new MongodbUnavailable('record', `${describeFault(fault)}; mend it in the MongoDB shell, or delete it there`);
}
