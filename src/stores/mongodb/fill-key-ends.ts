import type { AnyBulkWriteOperation, Db } from 'mongodb';
import { CannotOpen, type Sealer } from '../../model/keyring/sealed.ts';
import { endOfText } from '../../resources/app-key-end.ts';
import { collectionOf, type CredentialDocument, type UsageDocument } from './documents.ts';
import { iterateWithFaults, withFaults } from './faults.ts';

const BATCH = 500;

/**
 * Notes in `usage` how the App Keys end of the credentials that former versions wrote, once for a database: only a
 * process with the key ring can open them. Others make changes meanwhile, each with the end of its own. Ends early, to
 * begin anew the next time, when the signal says so. Gives how many it noted; null where it was done before.
 */
export async function fillKeyEnds(db: Db, sealer: Sealer, signal: AbortSignal): Promise<number | null> {
  const meta = collectionOf(db, 'meta');
  if ((await withFaults(() => meta.findOne({ _id: 'keyEnds' }))) !== null) return null;
  const projection = { appKey: 1, sealedAppKey: 1 };
  const documents = collectionOf(db, 'credentials').find(
    { $or: [{ appKey: { $exists: true } }, { sealedAppKey: { $exists: true } }] },
    { projection, sort: { _id: 1 }, batchSize: BATCH },
  );
  let noted = 0;
  let writes: AnyBulkWriteOperation<UsageDocument>[] = [];
  const flush = async (): Promise<void> => {
    if (writes.length > 0) {
      noted += (await withFaults(() => collectionOf(db, 'usage').bulkWrite(writes, { ordered: false }))).modifiedCount;
    }
    writes = [];
  };
  for await (const document of iterateWithFaults(documents)) {
    if (signal.aborted) return noted;
    const end = endIn(document, sealer);
    // A credential that is gone since has no use to note, and one that was written since has its own end.
    const filter = { _id: document._id, appKeyEnd: { $exists: false } };
    if (end !== null) writes.push({ updateOne: { filter, update: { $set: { appKeyEnd: end } } } });
    if (writes.length === BATCH) await flush();
  }
  await flush();
  await withFaults(() => meta.updateOne({ _id: 'keyEnds' }, { $set: { version: 1 } }, { upsert: true }));
  return noted;
}

/** Null for one that shows none of its characters, and for what does not open: an edit by hand can leave anything. */
function endIn({ _id, appKey, sealedAppKey }: CredentialDocument, sealer: Sealer): string | null {
  if (typeof appKey === 'string') return endOfText(appKey, false);
  if (sealedAppKey === undefined) return null;
  try {
    const opened = sealer.open(sealedAppKey, { credentialId: _id, what: 'app-key' });
    return endOfText(opened.reveal().toString('utf8'), true);
  } catch (error) {
    if (error instanceof CannotOpen) return null;
    throw error;
  }
}
