import type { Db } from 'mongodb';
import type { CredentialDirectory } from '../../resources/changes/credential-directory.ts';
import type { Sealer } from '../../model/keyring/sealed.ts';
import { fillKeyEnds } from './fill-key-ends.ts';
import { batchesInTime, DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { collectionOf } from './documents.ts';
import { iterateWithFaults, withFaults } from './faults.ts';
import { recordKinds } from './record-kinds.ts';

/** {@link CredentialDirectory} on MongoDB, by an index of `usage` and what the server counts. Owns no client. */
export function createCredentialDirectory(
  db: Db,
  sealer: Sealer | null,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): CredentialDirectory {
  return {
    withKeyEnd: async function* (end, { after, most }) {
      const behind = after === undefined ? {} : { _id: { $gt: after } };
      const options = { sort: { _id: 1 }, batchSize: most, projection: { _id: 1 } } as const;
      const cursor = collectionOf(db, 'usage').find({ appKeyEnd: end, ...behind }, options);
      for await (const batch of iterateWithFaults(batchesInTime(cursor, timeoutMs))) {
        for (const { _id } of batch) yield _id;
      }
    },
    noteKeyEnds: async (signal) => (sealer === null ? null : await fillKeyEnds(db, sealer, signal)),
    count: async (kind) =>
      await withFaults(() =>
        db.collection(recordKinds[kind].collection).estimatedDocumentCount({ maxTimeMS: timeoutMs }),
      ),
  };
}
