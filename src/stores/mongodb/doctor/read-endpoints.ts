import type { Endpoint } from '../../../model/endpoint.ts';
import { connectMongodb } from '../connect.ts';
import { collectionOf } from '../documents.ts';
import { MongodbUnavailable, withFaults } from '../faults.ts';
import { readEndpointDocument } from '../mapping/records.ts';

/** Reads the endpoints that are right, as `serve` does; null when the database cannot be read. */
export async function readEndpoints(uri: string): Promise<readonly Endpoint[] | null> {
  try {
    await using client = connectMongodb(uri, 'checks');
    const db = client.db();
    const documents = await withFaults(async () => await collectionOf(db, 'endpoints').find({}).toArray());
    return documents.map(readEndpointDocument).flatMap((each) => ('value' in each ? [each.value] : []));
  } catch (error) {
    if (error instanceof MongodbUnavailable) return null;
    throw error;
  }
}
