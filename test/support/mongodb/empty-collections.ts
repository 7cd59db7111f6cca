import { type Db } from 'mongodb';
import { collectionNames } from '../../../src/store/mongodb/documents.ts';

/** Removes every record and begins with revision 0 again; the schema stays, which costs much more to make. */
export async function emptyCollections(db: Db): Promise<void> {
  const { meta, ...others } = collectionNames;
  for (const name of Object.values(others)) await db.collection(name).deleteMany({});
  await db.collection<{ _id: string }>(meta).updateOne({ _id: 'state' }, { $set: { revision: 0 } });
}
