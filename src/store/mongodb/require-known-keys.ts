import type { Db, Sort } from 'mongodb';
import type { Sealer } from '../../keyring/sealed.ts';
import { collectionNames, type CredentialDocument } from './documents.ts';
import { MongodbUnavailable, withFaults } from './faults.ts';

/** Credentials looked at from either end: a few damaged ones do not make a key ring the wrong one. */
const SAMPLE = 50;

const orders: readonly Sort[] = [{ _id: 1 }, { _id: -1 }];

type SealedParts = Pick<CredentialDocument, 'appSecret' | 'sealedAppKey'>;

/**
 * Makes sure that the key ring is the one of this database: it has a key of at least one of the secrets there, if there
 * are any. Costs two reads of a hundred credentials together. Rejects with {@link MongodbUnavailable} (`key-ring`), which
 * says what to do.
 */
export async function requireKnownKeys(
  db: Db,
  { keyIds }: Pick<Sealer, 'keyIds'>,
  signal?: AbortSignal,
): Promise<void> {
  const used = await withFaults(async () => await readUsedKeyIds(db, signal));
  if (used.size === 0 || keyIds.some((keyId) => used.has(keyId))) return;
  throw new MongodbUnavailable(
    'key-ring',
    `the key ring is not the one of the database "${db.databaseName}": its secrets are sealed with ${[...used].join(', ')}, and the ring has ${keyIds.join(', ')}; correct POSTERN_KEYRING, or add the missing key from its backup; when that ring is lost for good, "postern credential rotate ID --new-key-ring" gives a new secret`,
  );
}

async function readUsedKeyIds(db: Db, signal: AbortSignal | undefined): Promise<ReadonlySet<string>> {
  const used = new Set<string>();
  const credentials = db.collection<SealedParts>(collectionNames.credentials);
  const projection = { 'appSecret.keyId': 1, 'sealedAppKey.keyId': 1 };
  for (const sort of orders) {
    const options = { projection, sort, limit: SAMPLE, ...(signal === undefined ? {} : { signal }) };
    for await (const { appSecret, sealedAppKey } of credentials.find({}, options)) {
      for (const keyId of [appSecret?.keyId, sealedAppKey?.keyId]) {
        // Hand-made documents can hold anything; what looks like no key id is not repeated.
        if (typeof keyId === 'string' && KEY_ID.test(keyId)) used.add(keyId);
      }
    }
  }
  return used;
}

const KEY_ID = /^[a-z0-9-]{1,63}$/;
