import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type Db, MongoClient } from 'mongodb';
import { type FailPoint, setFailPoint } from './fail-point.ts';
import { sharedServer } from './shared-server.ts';

/** An empty database of the shared server for one suite of tests. */
export interface DatabaseInUse {
  /** Leads to the database, as `POSTERN_STORE` has it. Within a test only, like all of this. */
  readonly uri: () => string;
  /** The database itself, to look into what the tested code wrote. */
  readonly db: () => Db;
  /** Makes commands fail; other suites of the process do not run at that time. */
  readonly failPoint: (failPoint: FailPoint) => Promise<AsyncDisposable>;
}

/** Gives the calling `describe` a database of its own, for milliseconds after the first call in the process. */
export function useDatabase(): DatabaseInUse {
  const name = `test-${randomBytes(6).toString('hex')}`;
  let uri: string | undefined;
  let client: MongoClient | undefined;
  const within = <T>(value: T | undefined): T => {
    assert.ok(value !== undefined, 'the database is there within tests only');
    return value;
  };
  before(async function () {
    this.timeout(60_000);
    uri = (await sharedServer()).uri(name);
    client = await new MongoClient(uri).connect();
  });
  after(async () => {
    await client?.db().dropDatabase();
    await client?.close();
  });
  return {
    uri: () => within(uri),
    db: () => within(client).db(),
    failPoint: async (failPoint) => await setFailPoint(within(uri), failPoint),
  };
}
