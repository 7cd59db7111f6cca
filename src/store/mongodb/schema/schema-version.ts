import type { Db } from 'mongodb';
import { collectionNames } from '../documents.ts';
import { MongodbUnavailable, withFaults } from '../faults.ts';
import { SCHEMA_VERSION } from './collections.ts';
import type { SchemaRecord } from './schema-lease.ts';

/** The version of a database's schema; null for one that Postern has not been used with, or that is just being made. */
export async function readSchemaVersion(db: Db, signal?: AbortSignal): Promise<number | null> {
  const meta = db.collection<SchemaRecord>(collectionNames.meta);
  const options = { projection: { version: 1 }, ...(signal === undefined ? {} : { signal }) };
  const record = await withFaults(() => meta.findOne({ _id: 'schema' }, options));
  return record?.version ?? null;
}

/**
 * Makes sure that the database has the schema of this version, for those who may not change it, such as `postern serve`:
 * it takes `find` on `meta` only. Rejects with {@link MongodbUnavailable} (`schema`), which says what to do.
 */
export async function requireSchema(db: Db, signal?: AbortSignal): Promise<void> {
  const version = await readSchemaVersion(db, signal);
  if (version === null) {
    throw new MongodbUnavailable(
      'schema',
      `the database "${db.databaseName}" is empty: no Postern has been used with it; correct its name, or make the schema with \`postern doctor --fix\`, \`postern apply\` or a command that creates something`,
    );
  }
  refuseNewer(db, version);
  if (version < SCHEMA_VERSION) {
    throw new MongodbUnavailable(
      'schema',
      `the database "${db.databaseName}" has schema version ${String(version)}, and this Postern needs ${String(SCHEMA_VERSION)}: bring it up to date with \`postern doctor --fix\`, as a user with the role posternMigrator`,
    );
  }
}

/** Rejects what a newer version wrote: this one would misread it. */
export function refuseNewer(db: Db, version: number): void {
  if (version <= SCHEMA_VERSION) return;
  throw new MongodbUnavailable(
    'schema',
    `the database "${db.databaseName}" has schema version ${String(version)}, and this Postern knows ${String(SCHEMA_VERSION)} at most: a newer Postern has been used with it; use that one`,
  );
}
