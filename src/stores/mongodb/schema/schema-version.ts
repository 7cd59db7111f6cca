import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { isAborted, pause } from '../deadline.ts';
import { collectionOf } from '../documents.ts';
import { MongodbUnavailable, withFaults } from '../faults.ts';
import { SCHEMA_VERSION } from './collections.ts';

/** A lease whose holder died is free after this. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
const POLL_MS = 100;
/** How long to wait while another process works on the schema. */
const MAX_WAIT_MS = 120_000;

/** The right to change the schema, which one process has at a time. By the server's clock. */
export interface SchemaLease {
  /** Stores a version that was reached; rejects when the lease was lost in the meantime. */
  reach(version: number): Promise<void>;
}

/** Waits for the lease, works, and gives it back, also when the work fails. */
export async function withSchemaLease<T>(db: Db, work: (lease: SchemaLease) => Promise<T>): Promise<T> {
  const meta = collectionOf(db, 'meta');
  const holder = randomUUID();
  const own = { _id: 'schema', 'lease.holder': holder } as const;
  const deadline = AbortSignal.timeout(MAX_WAIT_MS);
  while (!(await acquire(db, holder))) {
    if (deadline.aborted)
      throw unavailable('another Postern process has been changing the schema for two minutes; try again later');
    await delay(POLL_MS);
  }
  const ended = new AbortController();
  const renewal = renew(db, holder, ended.signal);
  try {
    return await work({
      reach: async (version) => {
        const { matchedCount } = await meta.updateOne(own, { $set: { version } });
        if (matchedCount === 0) throw unavailable('another Postern process changed the schema; try again');
      },
    });
  } finally {
    ended.abort();
    await renewal;
    await meta.updateOne(own, { $unset: { lease: '' } });
  }
}

async function acquire(db: Db, holder: string): Promise<boolean> {
  const meta = collectionOf(db, 'meta');
  // The condition below cannot be part of an upsert.
  const lease = { holder: 'nobody', until: new Date(0) };
  await meta.updateOne({ _id: 'schema' }, { $setOnInsert: { lease } }, { upsert: true });
  const isFree = [{ lease: { $exists: false } }, { $expr: { $lt: ['$lease.until', '$$NOW'] } }];
  const { matchedCount } = await meta.updateOne({ _id: 'schema', $or: isFree }, [
    { $set: { lease: { holder, until: { $add: ['$$NOW', LEASE_MS] } } } },
  ]);
  return matchedCount > 0;
}

/** A renewal that fails is left to the next one; {@link SchemaLease.reach} rejects when the lease was lost. */
async function renew(db: Db, holder: string, ended: AbortSignal): Promise<void> {
  const until = { $add: ['$$NOW', LEASE_MS] };
  for (;;) {
    await pause(RENEW_MS, ended);
    if (isAborted(ended)) return;
    await collectionOf(db, 'meta')
      .updateOne({ _id: 'schema', 'lease.holder': holder }, [{ $set: { 'lease.until': until } }])
      .catch(() => undefined);
  }
}

/** The version of a database's schema; null for a database without Postern, or one that is being created now. */
export async function readSchemaVersion(db: Db, signal = new AbortController().signal): Promise<number | null> {
  const options = { projection: { version: 1 }, signal };
  const record = await withFaults(() => collectionOf(db, 'meta').findOne({ _id: 'schema' }, options));
  return record?.version ?? null;
}

/**
 * Makes sure that the database has the schema of this version, for those who may not change it, such as `postern
 * serve`: it takes `find` on `meta` only. Rejects with {@link MongodbUnavailable} (`schema`), which says what to do.
 */
export async function requireSchema(db: Db, signal = new AbortController().signal): Promise<void> {
  const version = await readSchemaVersion(db, signal);
  if (version === null) {
    throw unavailable(
      `the database "${db.databaseName}" is empty: no Postern has been used with it; correct its name, or make the schema with \`postern doctor --fix\`, \`postern apply\` or a command that creates something`,
    );
  }
  refuseNewer(db, version);
  if (version < SCHEMA_VERSION) {
    throw unavailable(
      `the database "${db.databaseName}" has schema version ${String(version)}, and this Postern needs ${String(SCHEMA_VERSION)}: bring it up to date with \`postern doctor --fix\`, as a user with the role posternMigrator`,
    );
  }
}

/** Rejects what a newer version wrote: this one would misread it. */
export function refuseNewer(db: Db, version: number): void {
  if (version <= SCHEMA_VERSION) return;
  throw unavailable(
    `the database "${db.databaseName}" has schema version ${String(version)}, and this Postern knows ${String(SCHEMA_VERSION)} at most: a newer Postern has been used with it; use that one`,
  );
}

function unavailable(message: string): MongodbUnavailable {
  return new MongodbUnavailable('schema', message);
}
