import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Collection, Db } from 'mongodb';
import { collectionNames } from '../documents.ts';
import { MongodbUnavailable, withFaults } from '../faults.ts';
import { SCHEMA_VERSION } from './collections.ts';

/** A lease whose holder died is free after this. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
const POLL_MS = 100;
/** How long somebody else's work on the schema is waited for. */
const MAX_WAIT_MS = 120_000;

/** The document `meta` `schema`, as long as somebody works on the schema. */
export interface SchemaRecord {
  readonly _id: string;
  readonly version?: number;
  readonly lease?: { readonly holder: string; readonly until: Date };
}

/** The right to change the schema, which one process has at a time. By the server's clock. */
export interface SchemaLease {
  /** Notes a version that was reached; rejects when the lease was lost meanwhile. */
  reach(version: number): Promise<void>;
}

/** Waits for the lease, works, and gives it back, also when the work fails. */
export async function withSchemaLease<T>(db: Db, work: (lease: SchemaLease) => Promise<T>): Promise<T> {
  const meta = db.collection<SchemaRecord>(collectionNames.meta);
  const holder = randomUUID();
  const deadline = AbortSignal.timeout(MAX_WAIT_MS);
  while (!(await acquire(meta, holder))) {
    if (deadline.aborted) {
      throw new MongodbUnavailable(
        'schema',
        'another Postern has been changing the schema for two minutes; try again later',
      );
    }
    await delay(POLL_MS);
  }
  const ended = new AbortController();
  const renewal = renew(meta, holder, ended.signal);
  try {
    return await work({
      reach: async (version) => {
        const { matchedCount } = await meta.updateOne({ _id: 'schema', 'lease.holder': holder }, { $set: { version } });
        if (matchedCount === 0)
          throw new MongodbUnavailable('schema', 'another Postern changed the schema meanwhile; try again');
      },
    });
  } finally {
    ended.abort();
    await renewal;
    await meta.updateOne({ _id: 'schema', 'lease.holder': holder }, { $unset: { lease: '' } });
  }
}

async function acquire(meta: Collection<SchemaRecord>, holder: string): Promise<boolean> {
  // The condition below cannot stand in an upsert.
  const nobody = { holder: 'nobody', until: new Date(0) };
  await meta.updateOne({ _id: 'schema' }, { $setOnInsert: { lease: nobody } }, { upsert: true });
  const isFree = [{ lease: { $exists: false } }, { $expr: { $lt: ['$lease.until', '$$NOW'] } }];
  const { matchedCount } = await meta.updateOne({ _id: 'schema', $or: isFree }, [
    { $set: { lease: { holder, until: { $add: ['$$NOW', LEASE_MS] } } } },
  ]);
  return matchedCount > 0;
}

/** A renewal that fails is left to the next one; {@link SchemaLease.reach} tells whether the lease was lost. */
async function renew(meta: Collection<SchemaRecord>, holder: string, ended: AbortSignal): Promise<void> {
  const until = { $add: ['$$NOW', LEASE_MS] };
  while (await pause(RENEW_MS, ended)) {
    await meta
      .updateOne({ _id: 'schema', 'lease.holder': holder }, [{ $set: { 'lease.until': until } }])
      .catch(() => undefined);
  }
}

/** False when it was ended before its time. */
async function pause(ms: number, ended: AbortSignal): Promise<boolean> {
  return await delay(ms, true, { signal: ended }).catch(() => false);
}

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
