import { type Db } from 'mongodb';
import { withClient } from '../mongodb/command.ts';
import { type Fleet } from './fleet.ts';

/** Does something with the database of a fleet. */
export async function withDatabase(
  { environment }: Pick<Fleet, 'environment'>,
  work: (db: Db) => Promise<unknown>,
): Promise<void> {
  await withClient(environment.POSTERN_STORE, async (client) => await work(client.db()));
}

/** Writes which version the schema has, and changes nothing of the schema itself. */
export async function setSchemaVersion(db: Db, version: number): Promise<void> {
  await db.collection<{ _id: string; version: number }>('meta').updateOne({ _id: 'schema' }, { $set: { version } });
}
