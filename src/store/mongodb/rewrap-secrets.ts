import type { AnyBulkWriteOperation, Collection, Db, Filter } from 'mongodb';
import type { Clock } from '../../clock.ts';
import { CannotOpen, type Sealed, type SealedFor, type Sealer } from '../../keyring/sealed.ts';
import type { Rewrapped, RewrapWork, UnopenedCredential } from '../../manage/resource-store.ts';
import { type AuditDocument, collectionNames, type CredentialDocument, type MetaDocument } from './documents.ts';
import { iterateWithFaults, withFaults } from './faults.ts';

/** How many secrets of a database are sealed with each key of a ring, by the ids of the keys, most first. */
export async function countSealed(db: Db): Promise<ReadonlyMap<string, number>> {
  const counts = await withFaults(() =>
    db
      .collection<CredentialDocument>(collectionNames.credentials)
      .aggregate<{ readonly _id: unknown; readonly count: number }>([
        { $project: { keyIds: ['$sealedAppKey.keyId', '$appSecret.keyId', '$retiringSecret.appSecret.keyId'] } },
        { $unwind: '$keyIds' },
        { $match: { keyIds: { $ne: null } } },
        { $group: { _id: '$keyIds', count: { $sum: 1 } } },
        { $sort: { count: -1, _id: 1 } },
      ])
      .toArray(),
  );
  return new Map(counts.map(({ _id, count }) => [String(_id), count]));
}

/** The sealed secrets of a credential, by where they stand in its document. */
const places = [
  { field: 'sealedAppKey', what: 'app-key', sealedIn: (document) => document.sealedAppKey },
  { field: 'appSecret', what: 'app-secret', sealedIn: (document) => document.appSecret },
  {
    field: 'retiringSecret.appSecret',
    what: 'app-secret',
    sealedIn: (document) => document.retiringSecret?.appSecret,
  },
] as const satisfies readonly {
  readonly field: string;
  readonly what: SealedFor['what'];
  readonly sealedIn: (document: CredentialDocument) => Sealed | undefined;
}[];

/** Finds credentials with a secret that was sealed with another key than this one. */
function dueFilter(currentKeyId: string): Filter<CredentialDocument> {
  // What is absent counts as null.
  return { $or: places.map(({ field }) => ({ [`${field}.keyId`]: { $nin: [currentKeyId, null] } })) };
}

/**
 * Seals the secrets of a credential anew with the current key, as a change that the server makes only while the document
 * is as it was read; null when none is due. Revision and times stay: what callers see does not change. Throws `CannotOpen`.
 */
export function rewrapCredential(
  document: CredentialDocument,
  sealer: Sealer,
): AnyBulkWriteOperation<CredentialDocument> | null {
  const { _id, revision } = document;
  const unchanged: Record<string, unknown> = { _id, revision };
  const changed: Record<string, Sealed> = {};
  for (const { field, what, sealedIn } of places) {
    const sealed = sealedIn(document);
    if (sealed === undefined || sealed.keyId === sealer.currentKeyId) continue;
    if (!isWhole(sealed)) throw new CannotOpen('damaged', sealed.keyId);
    const belongsTo = { credentialId: _id, what };
    unchanged[`${field}.nonce`] = sealed.nonce;
    changed[field] = sealer.seal(sealer.open(sealed, belongsTo), belongsTo);
  }
  if (Object.keys(changed).length === 0) return null;
  return { updateOne: { filter: unchanged, update: { $set: changed } } };
}

/** Hands that edit a database leave anything behind. */
function isWhole({ keyId, nonce, ciphertext }: Sealed): boolean {
  return [keyId, nonce, ciphertext].every((part: unknown) => typeof part === 'string');
}

/** What {@link rewrapSecrets} works with. */
export interface RewrapPorts extends RewrapWork {
  readonly db: Db;
  readonly clock: Clock;
}

/** The id in the audit trail of what concerns every credential. */
const EVERY_CREDENTIAL = '*';

const BATCH = 500;
const WRITE_AHEAD = 1000;

/** Credentials that others changed while they were looked at are due again: looked at once more each time. */
const MAX_ROUNDS = 5;

/** How many credentials have a secret that was sealed with another than the current key. */
export async function countDue(db: Db, currentKeyId: string): Promise<number> {
  return await withFaults(() => credentialsOf(db).countDocuments(dueFilter(currentKeyId)));
}

/**
 * Seals every secret anew that was sealed with another than the current key. Each credential by itself, only while it is
 * as it was read, so that replicas serve and operators make changes meanwhile, and a stop anywhere loses nothing.
 * Revisions stay, because nothing changes that callers see; one audit event, made first, tells of the whole. Rejects with
 * `MongodbUnavailable`.
 */
export async function rewrapSecrets(ports: RewrapPorts): Promise<Rewrapped> {
  const { db, sealer, onProgress, isStopped } = ports;
  const total = await countDue(db, sealer.currentKeyId);
  const unopened = new Map<string, string>();
  let count = 0;
  if (total > 0) await recordStart(ports, total);
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    let written = 0;
    let seen = 0;
    for await (const batch of batchesOf(credentialsOf(db), sealer.currentKeyId)) {
      written += await writeBatch(credentialsOf(db), resealed(batch, sealer, unopened));
      seen += batch.length;
      onProgress(Math.min(count + written + unopened.size, total), total);
      if (isStopped()) return { count: count + written, unopened: list(unopened), isStopped: true };
    }
    count += written;
    if (seen === written + unopened.size) break;
  }
  return { count, unopened: list(unopened), isStopped: false };
}

function credentialsOf(db: Db): Collection<CredentialDocument> {
  return db.collection<CredentialDocument>(collectionNames.credentials);
}

async function* batchesOf(
  credentials: Collection<CredentialDocument>,
  currentKeyId: string,
): AsyncGenerator<readonly CredentialDocument[]> {
  const due = credentials.find(dueFilter(currentKeyId), { sort: { _id: 1 }, batchSize: WRITE_AHEAD });
  let batch: CredentialDocument[] = [];
  for await (const document of iterateWithFaults(due)) {
    batch.push(document);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function resealed(
  batch: readonly CredentialDocument[],
  sealer: Sealer,
  unopened: Map<string, string>,
): AnyBulkWriteOperation<CredentialDocument>[] {
  return batch.flatMap((document) => {
    try {
      return rewrapCredential(document, sealer) ?? [];
    } catch (error) {
      if (!(error instanceof CannotOpen)) throw error;
      unopened.set(document._id, error.message);
      return [];
    }
  });
}

async function writeBatch(
  credentials: Collection<CredentialDocument>,
  operations: AnyBulkWriteOperation<CredentialDocument>[],
): Promise<number> {
  if (operations.length === 0) return 0;
  const { modifiedCount } = await withFaults(() => credentials.bulkWrite(operations, { ordered: false }));
  return modifiedCount;
}

async function recordStart({ db, sealer, clock, actor }: RewrapPorts, total: number): Promise<void> {
  const state = await withFaults(() => db.collection<MetaDocument>(collectionNames.meta).findOne({ _id: 'state' }));
  const event: AuditDocument = {
    at: new Date(clock.nowMs()),
    actor,
    action: 'keyring rewrap',
    storeRevision: state?.revision ?? 0,
    kind: 'credential',
    id: EVERY_CREDENTIAL,
    before: { sealedWithOtherKeys: total },
    after: { sealedWith: sealer.currentKeyId },
  };
  await withFaults(() => db.collection<AuditDocument>(collectionNames.audit).insertOne({ ...event }));
}

function list(unopened: ReadonlyMap<string, string>): readonly UnopenedCredential[] {
  return [...unopened].map(([id, reason]) => ({ id, reason }));
}
