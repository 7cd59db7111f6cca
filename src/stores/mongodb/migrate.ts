import type { Db } from 'mongodb';
import { collectionOf } from './documents.ts';
import { withFaults } from './faults.ts';
import { SCHEMA_VERSION } from './schema/collections.ts';
import { applyCollections, findDifferences, type SchemaDifference } from './schema/differences.ts';
import { migrations } from './schema/migrations.ts';
import { readSchemaVersion, refuseNewer, withSchemaLease } from './schema/schema-version.ts';

/** What {@link ensureSchema} found and did. */
export type SchemaOutcome = 'current' | 'created' | 'migrated';

/**
 * Brings a database to the schema of this version: creates it in an empty one, migrates an older one step by step, and
 * refuses a newer one. Any number of processes may call it at once, and again after a crash at any point. A current
 * database costs one read of `meta`; the rest takes the role posternMigrator. On large databases `db` belongs to a
 * client for `migration` (connect.ts), because an index over a million records takes longer than a command.
 */
export async function ensureSchema(db: Db): Promise<SchemaOutcome> {
  const found = await readSchemaVersion(db);
  if (found === SCHEMA_VERSION) return 'current';
  refuseNewer(db, found ?? 0);
  return await withFaults(() => bringUp(db));
}

/** {@link ensureSchema}, which also fixes what a hand removed or changed of collections, validators and indexes. */
export async function repairSchema(db: Db): Promise<SchemaOutcome> {
  const outcome = await ensureSchema(db);
  if (outcome === 'current') await withFaults(() => withSchemaLease(db, () => applyCollections(db)));
  return outcome;
}

/** What {@link repairSchema} would fix. Takes the rights to list collections and indexes. */
export async function findSchemaDifferences(db: Db): Promise<readonly SchemaDifference[]> {
  return await withFaults(() => findDifferences(db));
}

async function bringUp(db: Db): Promise<SchemaOutcome> {
  return await withSchemaLease(db, async (lease) => {
    const found = await readSchemaVersion(db);
    // Another process was faster.
    if (found === SCHEMA_VERSION) return 'current';
    refuseNewer(db, found ?? 0);
    for (let version = found ?? SCHEMA_VERSION; version < SCHEMA_VERSION; version += 1) {
      await migrations[version]?.(db);
      if (version + 1 < SCHEMA_VERSION) await lease.reach(version + 1);
    }
    await applyCollections(db);
    await collectionOf(db, 'meta').updateOne({ _id: 'state' }, { $setOnInsert: { revision: 0 } }, { upsert: true });
    await lease.reach(SCHEMA_VERSION);
    return found === null ? 'created' : 'migrated';
  });
}
