import type { AnyBulkWriteOperation, Db, Filter } from 'mongodb';
import type { Clock } from '../../base/clock.ts';
import { CannotOpen, type Sealed, type SealedFor, type Sealer } from '../../model/keyring/sealed.ts';
import type { Rewrapped, RewrapWork } from '../../resources/changes/resource-store.ts';
import { collectionOf, type CredentialDocument } from './documents.ts';
import { iterateWithFaults, withFaults } from './faults.ts';

/** How many secrets of a database are sealed with each key of a ring, by the ids of the keys, most first. */
export async function countSealed(db: Db): Promise<ReadonlyMap<string, number>> {
  const counts = collectionOf(db, 'credentials').aggregate<{ readonly _id: unknown; readonly count: number }>([
    { $project: { keyIds: places.map(({ field }) => `$${field}.keyId`) } },
    { $unwind: '$keyIds' },
    { $match: { keyIds: { $type: 'string' } } },
    { $group: { _id: '$keyIds', count: { $sum: 1 } } },
    { $sort: { count: -1, _id: 1 } },
  ]);
  return new Map((await withFaults(() => counts.toArray())).map(({ _id, count }) => [String(_id), count]));
}

/** How many credentials have a secret that was sealed with another key than this one. */
export async function countDue(db: Db, currentKeyId: string): Promise<number> {
  return await withFaults(() => collectionOf(db, 'credentials').countDocuments(dueFilter(currentKeyId)));
}

/** The sealed secrets of a credential, by their field in its document. */
const places: readonly {
  readonly field: string;
  readonly what: SealedFor['what'];
  readonly sealedIn: (document: CredentialDocument) => Sealed | undefined;
}[] = [
  { field: 'sealedAppKey', what: 'app-key', sealedIn: ({ sealedAppKey }) => sealedAppKey },
  { field: 'appSecret', what: 'app-secret', sealedIn: ({ appSecret }) => appSecret },
  {
    field: 'retiringSecret.appSecret',
    what: 'app-secret',
    sealedIn: ({ retiringSecret: former }) => former?.appSecret,
  },
];

function dueFilter(currentKeyId: string): Filter<CredentialDocument> {
  // What is absent counts as null.
  return { $or: places.map(({ field }) => ({ [`${field}.keyId`]: { $nin: [currentKeyId, null] } })) };
}

/**
 * Seals the secrets of a credential again with the current key, as a change that the server makes only while the
 * document is as it was read; null when none is due. Revision and times stay: what callers see does not change. Throws
 * `CannotOpen`.
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

/** An edit by hand can leave anything behind. */
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
const READ_AT_ONCE = 1000;

/** Credentials that others changed at the same time are still due: each further round tries them once more. */
const MAX_ROUNDS = 5;

/**
 * Seals every secret again that was sealed with another than the current key. Each credential is changed alone, and
 * only while it is as it was read, so that replicas serve, operators make changes, and a stop anywhere loses nothing.
 * Revisions stay, because nothing changes that callers see; one audit event, written first, covers all of it. Rejects
 * with `MongodbUnavailable`.
 */
export async function rewrapSecrets(ports: RewrapPorts): Promise<Rewrapped> {
  const { db, sealer, onProgress, isStopped } = ports;
  const total = await countDue(db, sealer.currentKeyId);
  const unopened = new Map<string, string>();
  const outcome = (count: number, wasStopped: boolean): Rewrapped => ({
    count,
    unopened: [...unopened].map(([id, reason]) => ({ id, reason })),
    isStopped: wasStopped,
  });
  let count = 0;
  if (total > 0) await recordStart(ports, total);
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    let written = 0;
    let seen = 0;
    for await (const batch of dueBatches(db, sealer.currentKeyId)) {
      written += await rewrapBatch(db, batch, sealer, unopened);
      seen += batch.length;
      onProgress(Math.min(count + written + unopened.size, total), total);
      if (isStopped()) return outcome(count + written, true);
    }
    count += written;
    if (seen === written + unopened.size) break;
  }
  return outcome(count, false);
}

async function* dueBatches(db: Db, currentKeyId: string): AsyncGenerator<readonly CredentialDocument[]> {
  const options = { sort: { _id: 1 }, batchSize: READ_AT_ONCE } as const;
  let batch: CredentialDocument[] = [];
  for await (const document of iterateWithFaults(
    collectionOf(db, 'credentials').find(dueFilter(currentKeyId), options),
  )) {
    batch.push(document);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Gives how many credentials were changed; adds those that do not open to `unopened`, with the reason. */
async function rewrapBatch(
  db: Db,
  batch: readonly CredentialDocument[],
  sealer: Sealer,
  unopened: Map<string, string>,
): Promise<number> {
  const operations = batch.flatMap((document) => {
    try {
      return rewrapCredential(document, sealer) ?? [];
    } catch (error) {
      if (!(error instanceof CannotOpen)) throw error;
      unopened.set(document._id, error.message);
      return [];
    }
  });
  if (operations.length === 0) return 0;
  return (await withFaults(() => collectionOf(db, 'credentials').bulkWrite(operations, { ordered: false })))
    .modifiedCount;
}

async function recordStart({ db, sealer, clock, actor }: RewrapPorts, total: number): Promise<void> {
  await withFaults(async () => {
    const state = await collectionOf(db, 'meta').findOne({ _id: 'state' });
    await collectionOf(db, 'audit').insertOne({
      at: new Date(clock.nowMs()),
      actor,
      action: 'keyring rewrap',
      storeRevision: state?.revision ?? 0,
      kind: 'credential',
      id: EVERY_CREDENTIAL,
      before: { sealedWithOtherKeys: total },
      after: { sealedWith: sealer.currentKeyId },
    });
  });
}
