import type { MongoClient } from 'mongodb';
import { connectMongodb } from '../connect.ts';
import { collectionNames } from '../documents.ts';
import { MongodbUnavailable, withFaults } from '../faults.ts';

/** Of a store with thousands of grants, enough to tell. */
const MAX_HOLDERS = 100;

/** Finds the endpoints and grants that have limits, in words; null when the database cannot be read. */
export async function findLimitHolders(uri: string): Promise<readonly string[] | null> {
  let client: MongoClient | null = null;
  try {
    client = connectMongodb(uri, 'checks');
    const db = client.db();
    return await withFaults(async () => {
      const endpoints = db
        .collection<{ readonly _id: string }>(collectionNames.endpoints)
        .find({ 'trafficControl.limits.0': { $exists: true } }, { projection: { _id: 1 }, limit: MAX_HOLDERS });
      const grants = db
        .collection<{ readonly endpointId: string; readonly consumerId: string }>(collectionNames.grants)
        .find({ 'limits.0': { $exists: true } }, { projection: { endpointId: 1, consumerId: 1 }, limit: MAX_HOLDERS });
      return [
        ...(await endpoints.toArray()).map(({ _id: id }) => `endpoint ${id}`),
        ...(await grants.toArray()).map(({ endpointId, consumerId }) => `grant of ${consumerId} on ${endpointId}`),
      ].slice(0, MAX_HOLDERS);
    });
  } catch (error) {
    if (!(error instanceof MongodbUnavailable)) throw error;
    return null;
  } finally {
    await client?.close();
  }
}
