import type { AnyBulkWriteOperation, Db, Document } from 'mongodb';
import { APP_KEY_PATTERN, hashAppKey } from '../../../model/app-key.ts';
import { collectionNames } from '../documents.ts';

const BATCH = 1000;
const FORMER_INDEX = 'appKey_1';

/**
 * Version 1 was of the time before the first release: a credential had one `method`, and was found by its `appKey`.
 * Version 2 has `methods` and finds it by `appKeyHash`. An App Key of method `key`, which is a secret, stays as its hash
 * only.
 */
async function migrateFrom1(db: Db): Promise<void> {
  const credentials = db.collection<{ _id: string } & Document>(collectionNames.credentials);
  const names = (await db.listCollections({ name: collectionNames.credentials }).toArray()).length;
  if (names === 0) return;
  await db.command({ collMod: collectionNames.credentials, validator: {}, validationLevel: 'off' });
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

/** Null for a document that a hand made nonsense: it stays, and is told by whoever reads it. */
function migrateCredential({ method, appKey }: Document): Document | null {
  if (typeof method !== 'string' || typeof appKey !== 'string' || !APP_KEY_PATTERN.test(appKey)) return null;
  return {
    $set: { methods: [method], appKeyHash: hashAppKey(appKey) },
    $unset: { method: '', ...(method === 'key' ? { appKey: '' } : {}) },
  };
}

/**
 * Leads the documents of one version to the next. A migration that was broken off is done again from its beginning, so
 * that it passes over what is done already. Collections, validators and indexes of the newest version are made after the
 * last one; a migration removes what would stand in its way.
 */
export type Migration = (db: Db) => Promise<void>;

/** By the version that each begins with. */
export const migrations: Readonly<Record<number, Migration>> = {
  1: migrateFrom1,
  // Versions 3 and 4 add a collection each, which needs no more than being made.
  2: () => Promise.resolve(),
  3: () => Promise.resolve(),
};
