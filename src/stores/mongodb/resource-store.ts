import { setTimeout as delay } from 'node:timers/promises';
import { type ClientSession, type Db, type Filter, ObjectId } from 'mongodb';
import type { Clock } from '../../base/clock.ts';
import { MAX_CHANGES_PER_COMMIT } from '../../model/bounds.ts';
import type { Sealer } from '../../model/keyring/sealed.ts';
import type { Change, Operation } from '../../resources/changes/change.ts';
import type { ResourceKind, ResourceOf, Stored } from '../../resources/resource.ts';
import { chunksOf, type ResourceStore, type Selection } from '../../resources/changes/resource-store.ts';
import { checkPlan, deletedIds, type Identified, isUrgent, needsTurn, takeTurn } from './commit/changes.ts';
import { Obstacles } from './commit/obstacles.ts';
import { inTransaction } from './commit/transaction.ts';
import { endRevision, LATEST_BEGIN_MS } from './commit/store-revision.ts';
import { findNamed, withNames } from './named-like.ts';
import { orderOf } from './newest-first.ts';
import { WRITES_AT_ONCE } from './commit/send-in-turn.ts';
import { isCommitted, makeChanges, revisionFor } from './commit/write-changes.ts';
import { isStandAlone } from './connect.ts';
import { batchesInTime, byDeadline, DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { iterateWithFaults, MongodbUnavailable, tooLarge, type UnavailableReason, withFaults } from './faults.ts';
import { forGroups } from './documents.ts';
import { describeFault, type DocumentFault, type Mapped } from './mapping/document-fault.ts';
import type { SecretReading } from './mapping/map-credential.ts';
import { ensureSchema } from './migrate.ts';
import { readStored, recordKinds } from './record-kinds.ts';
import { removeRefusals } from './refusals.ts';
import { requireKnownKeys } from './require-known-keys.ts';
import { SCHEMA_VERSION } from './schema/collections.ts';
import { readSchemaVersion, requireSchema } from './schema/schema-version.ts';

/** What a {@link MongoResourceStore} works with. */
export interface MongoResourceStorePorts {
  /** Of a client for `commands` (connect.ts). */
  readonly db: Db;
  /** Null for commands that need no secret: none is opened then, and changes keep them as they are. */
  readonly sealer: Sealer | null;
  /** Whether records are read, and kept, whose secrets the key ring does not open. */
  readonly keepsUnopened?: boolean;
  /** Whether secrets are sealed with a ring that opens none of those that are there: the former ring is lost. */
  readonly acceptsNewRing?: boolean;
  readonly clock: Clock;
  /** Called for every record that a hand made unreadable: lists pass over it. */
  readonly onFault: (fault: DocumentFault) => void;
  /** Called with whom a commit waits for, in words for people. */
  readonly onWait?: (message: string) => void;
  /** How long to wait for each answer, and to try a commit; 20 s when left out. A large commit gets more. */
  readonly timeoutMs?: number;
}

const sealedReading: SecretReading = { sealer: null, keepsUnopened: true };

/** {@link ResourceStore} on MongoDB. Does not own the client. */
export class MongoResourceStore implements ResourceStore {
  readonly maxChangesPerCommit = MAX_CHANGES_PER_COMMIT;
  readonly #ports: MongoResourceStorePorts;
  readonly #reading: SecretReading;
  #readable: Promise<void> | null = null;

  constructor(ports: MongoResourceStorePorts) {
    this.#ports = ports;
    this.#reading = { sealer: ports.sealer, keepsUnopened: ports.keepsUnopened ?? false };
  }

  async find<K extends ResourceKind>(kind: K, id: string): Promise<Stored<ResourceOf[K]> | null> {
    const { db } = this.#ports;
    await this.#requireReadable();
    const signal = AbortSignal.timeout(this.#ports.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const document = await withFaults(() =>
      db.collection<Identified>(recordKinds[kind].collection).findOne({ _id: id }, { signal }),
    );
    if (document === null) return null;
    const mapped = readStored(kind, document, this.#reading);
    if ('fault' in mapped) throw unreadable(mapped.fault);
    return mapped.value;
  }

  async *list<K extends ResourceKind>(kind: K, selection: Selection = {}): AsyncGenerator<Stored<ResourceOf[K]>> {
    const { db, onFault, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#ports;
    await this.#requireReadable();
    const collection = db.collection<Identified>(recordKinds[kind].collection);
    const { namedLike, isSealed } = selection;
    const reading = isSealed === true ? sealedReading : this.#reading;
    const named = namedLike === undefined ? null : await findNamed(collection, namedLike, timeoutMs);
    const { parts, sort } = await orderOf(collection, selection.newest, timeoutMs);
    for (const narrowed of productOf([...filtersOf(selection)], parts)) {
      const filter = named === null ? narrowed : withNames(narrowed, named);
      const batchSize = Math.min(selection.most ?? READ_AT_ONCE, READ_AT_ONCE);
      const documents = collection.find(filter, { sort, batchSize });
      for await (const batch of iterateWithFaults(batchesInTime(documents, timeoutMs))) {
        for (const document of batch) {
          const mapped: Mapped<Stored<ResourceOf[K]>> = readStored(kind, document, reading);
          if ('value' in mapped) yield mapped.value;
          // Nothing is wrong with the record: without it the list would be incomplete.
          else if (mapped.fault.kind === 'unknown-key') throw unreadable(mapped.fault);
          else onFault(mapped.fault);
        }
      }
    }
  }

  async commit(changes: readonly Change[], operation: Operation): Promise<number> {
    checkPlan(changes);
    const { db, sealer, clock, timeoutMs = DEFAULT_TIMEOUT_MS, onWait = () => undefined } = this.#ports;
    const patienceMs = timeoutMs + Math.floor(changes.length / 1000) * MS_PER_THOUSAND_CHANGES;
    const deadline = AbortSignal.timeout(patienceMs);
    const latestBeginSeconds = clock.nowSeconds() + (patienceMs + LATEST_BEGIN_MS) / 1000;
    return await saysNothingChanged(async () => {
      await this.#requireChangeable(changes, deadline);
      const isStop = isUrgent(changes);
      const commitId = new ObjectId();
      const numbered = { commitId, timeoutMs: patienceMs, w: isStop ? 1 : 'majority' } as const;
      const storeRevision = await revisionFor(db, numbered, deadline);
      const obstacles = new Obstacles({ db, isUrgent: isStop, deadline, onWait });
      let attempts = 0;
      const work = async (session: ClientSession): Promise<void> => {
        // The machine slept: the number may count as given up by now.
        if (clock.nowSeconds() > latestBeginSeconds) throw new MongodbUnavailable('slow', SLEPT);
        if (needsTurn(changes) || operation.keepsManager === true) await takeTurn(db, session);
        // From here on few others are in the way: a change that keeps failing does not fit into the server's cache.
        attempts += 1;
        if (attempts > MAX_ATTEMPTS && changes.length > WRITES_AT_ONCE) throw tooLarge();
        const context = { db, session, commitId, storeRevision, nowMs: clock.nowMs() };
        await makeChanges(changes, operation, sealer, context);
      };
      const isThere = (): Promise<boolean> => isCommitted(db, commitId, deadline);
      await endingRevision(db, commitId, () => inTransaction(db.client, work, { deadline, isThere, obstacles }));
      await this.#forgetRefusals(deletedIds(changes, 'consumer'));
      // Those who wait for their turn get it before the next large commit.
      if (changes.length > WRITES_AT_ONCE) await delay(GAP_MS);
      return storeRevision;
    });
  }

  /** Apart from the commit, which it could make too large. What it leaves, the database removes after seven days. */
  async #forgetRefusals(consumerIds: readonly string[]): Promise<void> {
    const { db, timeoutMs = DEFAULT_TIMEOUT_MS, onWait = () => undefined } = this.#ports;
    if (consumerIds.length === 0) return;
    try {
      await byDeadline(AbortSignal.timeout(timeoutMs), () => removeRefusals(db, consumerIds));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      onWait(`refusals of deleted consumers are not removed, and expire after seven days: ${reason}`);
    }
  }

  async #requireChangeable(changes: readonly Change[], deadline: AbortSignal): Promise<void> {
    const { db, sealer, acceptsNewRing = false } = this.#ports;
    const [standsAlone, version] = await Promise.all([
      byDeadline(deadline, async () => await isStandAlone(db)),
      readSchemaVersion(db, deadline),
    ]);
    if (standsAlone) throw new MongodbUnavailable('stand-alone', STAND_ALONE);
    // Making or migrating a schema takes its own time.
    if (version !== SCHEMA_VERSION) await ensureSchema(db);
    const mayBeForeign = sealer !== null && !acceptsNewRing;
    if (mayBeForeign && changes.some(({ kind, after }) => kind === 'credential' && after !== null))
      await requireKnownKeys(db, sealer, deadline);
  }

  /** An empty database has nothing to read; one of another version would be misread. */
  async #requireReadable(): Promise<void> {
    const { db } = this.#ports;
    const signal = AbortSignal.timeout(this.#ports.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    this.#readable ??= readSchemaVersion(db, signal).then(async (version) => {
      if (version !== null) await requireSchema(db, signal);
    });
    try {
      await this.#readable;
    } catch (error) {
      this.#readable = null;
      throw error;
    }
  }
}

/** Of one large commit, once it is its turn. */
const MAX_ATTEMPTS = 5;
/** Ten times what a machine with nothing else to do needs. */
const MS_PER_THOUSAND_CHANGES = 5000;
const GAP_MS = 60;
const READ_AT_ONCE = 1000;
const IDS_AT_ONCE = 10_000;

const STAND_ALONE =
  'this MongoDB is a stand-alone server, on which a change and its audit event cannot be one: make it a replica set of one (start mongod with --replSet rs0, then rs.initiate() in the shell). Nothing was changed';

const SLEPT = 'this machine slept while the change was under way; try again';

/** Makes a commit, and notes its end, unless it is not known whether it was made: then its number is given up later. */
async function endingRevision(db: Db, commitId: ObjectId, commit: () => Promise<void>): Promise<void> {
  const end = async (): Promise<void> => {
    // The outcome of the commit counts; without this note its number is under way for a few minutes more.
    await byDeadline(AbortSignal.timeout(END_MS), () => endRevision(db, commitId)).catch(() => undefined);
  };
  try {
    await commit();
  } catch (error) {
    if (!(error instanceof MongodbUnavailable && error.reason === 'uncertain')) await end();
    throw error;
  }
  await end();
}

const END_MS = 3000;

/** Runs a commit. A failure whose message does not say what became of the change gets that, too. */
async function saysNothingChanged<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await withFaults(work);
  } catch (error) {
    if (!(error instanceof MongodbUnavailable) || !SILENT_ABOUT_CHANGES.includes(error.reason)) throw error;
    throw new MongodbUnavailable(error.reason, `${error.message}. Nothing was changed`);
  }
}

const SILENT_ABOUT_CHANGES: readonly UnavailableReason[] = ['no-primary', 'slow', 'unreachable'];

/** The filters of a selection, in the order of ids: many ids take several requests. */
function* filtersOf(selection: Selection): Generator<Filter<Identified>> {
  const { ids, consumerId, consumerIds, endpointId, endpointIds, isForGroup, appKeyHashes } = selection;
  const { issuerId, subject, certificateNames, labels = {}, after } = selection;
  const filters: Filter<Identified>[] = [];
  if (consumerId !== undefined) filters.push({ consumerId });
  if (consumerIds !== undefined) filters.push({ consumerId: { $in: [...consumerIds] } });
  if (endpointId !== undefined) filters.push({ endpointId });
  if (endpointIds !== undefined) filters.push({ endpointId: { $in: [...endpointIds] } });
  if (isForGroup === true) filters.push(forGroups);
  if (appKeyHashes !== undefined) filters.push({ appKeyHash: { $in: [...appKeyHashes] } });
  if (issuerId !== undefined) filters.push({ issuer: issuerId });
  if (subject !== undefined) filters.push({ subjects: subject });
  if (certificateNames !== undefined) filters.push({ certificateNames: { $in: [...certificateNames] } });
  for (const [name, value] of Object.entries(labels)) filters.push(carriesLabel(name, value));
  if (after !== undefined) filters.push({ _id: { $gt: after } });
  const narrowed = filters.length === 0 ? {} : { $and: filters };
  if (ids === undefined) yield narrowed;
  else
    for (const piece of chunksOf([...new Set(ids)].sort(), IDS_AT_ONCE))
      yield { ...narrowed, _id: { $in: [...piece] } };
}

/** Each narrowed by each part of an order, one behind the other. */
function* productOf(
  filters: Iterable<Filter<Identified>>,
  parts: readonly Filter<Identified>[],
): Generator<Filter<Identified>> {
  for (const part of parts) {
    for (const filter of filters) yield Object.keys(part).length === 0 ? filter : { $and: [filter, part] };
  }
}

/** Names of labels may hold dots and dollars, which paths of fields cannot. */
function carriesLabel(name: string, value: string): Filter<Identified> {
  const label = { $getField: { field: { $literal: name }, input: '$labels' } };
  return { $expr: { $eq: [label, { $literal: value }] } };
}

function unreadable(fault: DocumentFault): MongodbUnavailable {
  if (fault.kind === 'unknown-key') {
    return new MongodbUnavailable('key-ring', `${describeFault(fault)}; use the key ring that it was sealed with`);
  }
  return new MongodbUnavailable('record', `${describeFault(fault)}; fix it in the MongoDB shell, or delete it there`);
}
