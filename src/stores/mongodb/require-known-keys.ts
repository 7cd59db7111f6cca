import type { Db } from 'mongodb';
import { KEY_ID_PATTERN } from '../../model/keyring/ring-content.ts';
import type { Sealer } from '../../model/keyring/sealed.ts';
import { collectionOf } from './documents.ts';
import { MongodbUnavailable, withFaults } from './faults.ts';

/** Credentials looked at from either end: a few damaged ones do not make a key ring the wrong one. */
const SAMPLE = 50;

/**
 * Makes sure that the key ring is the one of this database: it has a key of at least one of the secrets there, if there
 * are any. Costs two reads of a hundred credentials together. Rejects with {@link MongodbUnavailable} (`key-ring`),
 * which says what to do.
 */
export async function requireKnownKeys(db: Db, { keyIds }: Pick<Sealer, 'keyIds'>, signal: AbortSignal): Promise<void> {
  const used = await withFaults(() => readUsedKeyIds(db, signal));
  if (used.size === 0 || keyIds.some((keyId) => used.has(keyId))) return;
  throw new MongodbUnavailable(
    'key-ring',
    `the key ring is not the one of the database "${db.databaseName}": its secrets are sealed with ${[...used].join(', ')}, and the ring has ${keyIds.join(', ')}; correct POSTERN_KEYRING, or add the missing key from its backup; when that ring is lost for good, "postern credential rotate ID --new-key-ring" gives a new secret`,
  );
}

async function readUsedKeyIds(db: Db, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const used = new Set<string>();
  const projection = { 'appSecret.keyId': 1, 'sealedAppKey.keyId': 1 };
  for (const direction of [1, -1] as const) {
    const options = { projection, sort: { _id: direction }, limit: SAMPLE, signal };
    for await (const { appSecret, sealedAppKey } of collectionOf(db, 'credentials').find({}, options)) {
      for (const keyId of [appSecret?.keyId, sealedAppKey?.keyId]) {
        // A document that a hand wrote can hold anything: only what looks like a key id is repeated.
        if (typeof keyId === 'string' && KEY_ID_PATTERN.test(keyId)) used.add(keyId);
      }
    }
  }
  return used;
}
