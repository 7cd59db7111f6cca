import { describeGrant, parseGrantId } from '../../../resources/grant.ts';
import { type LimitUnit, limitUnits } from '../../../model/limit.ts';
import { connectMongodb } from '../connect.ts';
import { printable } from '../../../base/text/printable.ts';
import { collectionOf } from '../documents.ts';
import { MongodbUnavailable, withFaults } from '../faults.ts';

const MAX_HOLDERS = 100;

/** A hand may have written another id, which no check reads. */
function describeById(id: string): string {
  const target = parseGrantId(id);
  return target === null ? `grant ${printable(id)}` : describeGrant(target);
}

/**
 * Finds the endpoints, grants and plans that have limits of these units, in words; null when the database cannot be
 * read.
 */
export async function findLimitHolders(
  uri: string,
  units: readonly LimitUnit[] = limitUnits,
): Promise<readonly string[] | null> {
  try {
    await using client = connectMongodb(uri, 'checks');
    const db = client.db();
    return await withFaults(async () => {
      const limit = MAX_HOLDERS;
      const ofUnits = { $in: [...units] };
      const endpoints = collectionOf(db, 'endpoints').find({ 'trafficControl.limits.unit': ofUnits }, { limit });
      const grants = collectionOf(db, 'grants').find({ 'limits.unit': ofUnits }, { limit });
      const plans = collectionOf(db, 'plans').find({ 'limits.unit': ofUnits }, { limit });
      return [
        ...(await endpoints.toArray()).map(({ _id: id }) => `endpoint ${id}`),
        ...(await grants.toArray()).map(({ _id: id }) => describeById(id)),
        ...(await plans.toArray()).map(({ _id: id }) => `plan ${id}`),
      ].slice(0, MAX_HOLDERS);
    });
  } catch (error) {
    if (error instanceof MongodbUnavailable) return null;
    throw error;
  }
}
