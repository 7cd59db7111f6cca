import { type Db } from 'mongodb';
import { collections } from '../../../src/stores/mongodb/schema/collections.ts';

/** Removes every record and begins with revision 0 again; the schema stays, which costs much more to make. */
export async function emptyCollections(db: Db): Promise<void> {
  const others = collections.filter(({ name }) => name !== 'meta');
  await Promise.all(others.map(async ({ name }) => await db.collection(name).deleteMany({})));
  await db.collection<{ _id: string }>('meta').updateOne({ _id: 'state' }, { $set: { revision: 0 } });
}
