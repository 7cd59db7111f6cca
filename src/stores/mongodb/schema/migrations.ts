import type { AnyBulkWriteOperation, Db, Document } from 'mongodb';
import { APP_KEY_PATTERN, hashAppKey } from '../../../model/app-key.ts';

/**
 * Leads the documents of one version to the next, by the version that each begins with. A migration that was
 * interrupted runs again from its beginning, so it skips what is done already. Collections, validators and indexes of
 * the newest version are made after the last one; a migration removes what would stand in its way. A version without a
 * row needs nothing else: 3, 4, 7 and 11 add collections, 5, 8, 9, 10 and 12 let more be stored, 6, 13 and 15 do both.
 */
export const migrations: Readonly<Partial<Record<number, (db: Db) => Promise<void>>>> = {
  1: migrateFrom1,
  12: migrateFrom12,
};

const BATCH = 1000;
const FORMER_INDEX = 'appKey_1';

/**
 * Version 1 preceded the first release: a credential had one `method`, and was found by its `appKey`. Version 2 has
 * `methods` and finds it by `appKeyHash`. Of an App Key of method `key`, which is a secret, only the hash stays.
 */
async function migrateFrom1(db: Db): Promise<void> {
  if ((await db.listCollections({ name: 'credentials' }).toArray()).length === 0) return;
  await db.command({ collMod: 'credentials', validator: {}, validationLevel: 'off' });
  const credentials = db.collection<{ _id: string } & Document>('credentials');
  const indexes = await credentials.indexes();
  if (indexes.some(({ name }) => name === FORMER_INDEX)) await credentials.dropIndex(FORMER_INDEX);

  let batch: AnyBulkWriteOperation<{ _id: string } & Document>[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await credentials.bulkWrite(batch, { ordered: false });
    batch = [];
  };
  for await (const document of credentials.find({ method: { $exists: true } }, { batchSize: BATCH })) {
    const update = migrateCredential(document);
    if (update === null) continue;
    batch.push({ updateOne: { filter: { _id: document._id, method: { $exists: true } }, update } });
    if (batch.length === BATCH) await flush();
  }
  await flush();
}

/** Null for a document that a hand made unreadable: it stays, and its readers report it. */
function migrateCredential({ method, appKey }: Document): Document | null {
  if (typeof method !== 'string' || typeof appKey !== 'string' || !APP_KEY_PATTERN.test(appKey)) return null;
  return {
    $set: { methods: [method], appKeyHash: hashAppKey(appKey) },
    $unset: { method: '', ...(method === 'key' ? { appKey: '' } : {}) },
  };
}

/**
 * Version 13 knows since when each credential is not used, also those that never were. The server copies it by itself:
 * about half a minute for a million credentials.
 */
async function migrateFrom12(db: Db): Promise<void> {
  const there = new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
  if (!there.has('credentials')) return;
  if (there.has('usage')) await db.command({ collMod: 'usage', validator: {}, validationLevel: 'off' });
  const idleSince = { $max: ['$createdAt', '$notBefore'] };
  const latest = [{ $set: { idleSince: { $max: ['$$new.idleSince', '$lastUsedAt'] } } }];
  const intoUsage = { into: 'usage', whenMatched: latest, whenNotMatched: 'insert' };
  await db
    .collection('credentials')
    .aggregate([{ $match: { createdAt: { $type: 'date' } } }, { $project: { idleSince } }, { $merge: intoUsage }])
    .toArray();
}
