import type { Db } from 'mongodb';
import { collectionNames, type CredentialDocument } from '../documents.ts';
import { withFaults } from '../faults.ts';

/** How many secrets of a database are sealed with each key of a ring, by the ids of the keys, most first. */
export async function countSealed(db: Db): Promise<ReadonlyMap<string, number>> {
  const counts = await withFaults(() =>
    db
      .collection<CredentialDocument>(collectionNames.credentials)
      .aggregate<{ readonly _id: unknown; readonly count: number }>([
        { $project: { keyIds: ['$sealedAppKey.keyId', '$appSecret.keyId', '$retiringSecret.appSecret.keyId'] } },
        { $unwind: '$keyIds' },
        { $match: { keyIds: { $ne: null } } },
        { $group: { _id: '$keyIds', count: { $sum: 1 } } },
        { $sort: { count: -1, _id: 1 } },
      ])
      .toArray(),
  );
  return new Map(counts.map(({ _id, count }) => [String(_id), count]));
}
