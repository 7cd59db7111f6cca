import type { MongoClient } from 'mongodb';
import type { StoreLocation } from '../config-values.ts';
import type { Environment } from '../config.ts';
import { MAX_DOCUMENT_BYTES, parseDocument } from '../resources/parse-document.ts';
import { secretReader } from '../resources/secret-source.ts';
import { readWholeFile } from '../files/read-whole-file.ts';
import { connectMongodb } from '../store/mongodb/connect.ts';
import { collectionNames } from '../store/mongodb/documents.ts';
import { MongodbUnavailable, withFaults } from '../store/mongodb/faults.ts';

/** What Postern itself would count requests against. */
export interface OwnLimits {
  /** Whether a rate limit service is configured. */
  readonly hasService: boolean;
  /** Endpoints and grants that have limits, in words; null when the store cannot be read. */
  readonly holders: readonly string[] | null;
}

/** What is known without a look at the store. */
export const unknownLimits: OwnLimits = { hasService: false, holders: null };

/** Of a store with thousands of grants, enough to tell. */
const MAX_HOLDERS = 100;

/** Finds the endpoints and grants of a store that have limits. A store that cannot be read is a finding of another check. */
export async function findLimitHolders(
  store: StoreLocation,
  environment: Environment,
): Promise<readonly string[] | null> {
  return store.kind === 'file' ? await holdersInFile(store.path, environment) : await holdersInMongodb(store.uri);
}

async function holdersInFile(path: string, environment: Environment): Promise<readonly string[] | null> {
  const read = await readWholeFile(path, MAX_DOCUMENT_BYTES);
  if (read.kind !== 'read') return null;
  const parsed = parseDocument([{ file: path, text: read.text }], {
    isComplete: true,
    readSecret: secretReader({ environment }),
  });
  if ('problems' in parsed) return null;
  const { endpoints, grants } = parsed.content;
  return [
    ...endpoints.filter(({ limits }) => limits.length > 0).map(({ id }) => describeEndpoint(id)),
    ...grants.filter(({ limits }) => limits !== null && limits.length > 0).map(describeGrant),
  ].slice(0, MAX_HOLDERS);
}

async function holdersInMongodb(uri: string): Promise<readonly string[] | null> {
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
        ...(await endpoints.toArray()).map(({ _id: id }) => describeEndpoint(id)),
        ...(await grants.toArray()).map(describeGrant),
      ].slice(0, MAX_HOLDERS);
    });
  } catch (error) {
    if (!(error instanceof MongodbUnavailable)) throw error;
    return null;
  } finally {
    await client?.close();
  }
}

function describeEndpoint(id: string): string {
  return `endpoint ${id}`;
}

function describeGrant({
  endpointId,
  consumerId,
}: {
  readonly endpointId: string;
  readonly consumerId: string;
}): string {
  return `grant of ${consumerId} on ${endpointId}`;
}
