import type { Db } from 'mongodb';
import type { AuditTrail, ResourceStore, UsageSource } from '../../manage/resource-store.ts';
import { createAuditTrail } from './audit-trail.ts';
import { connectMongodb, type ConnectionWish } from './connect.ts';
import { byDeadline, DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { collectionNames, type RevokedTokenDocument } from './documents.ts';
import { withFaults } from './faults.ts';
import { MongoResourceStore, type MongoResourceStorePorts } from './resource-store.ts';
import { createUsageSource } from './usage.ts';

/** The database as commands have it open. Disposing closes the connections. */
export interface OpenedMongoStore extends AsyncDisposable {
  readonly resources: ResourceStore;
  readonly usage: UsageSource;
  readonly audit: AuditTrail;
  isTokenRevoked(tokenId: string): Promise<boolean>;
  readonly db: Db;
}

const CLOSE_MS = 1000;

/** Opens `mongodb://…/DATABASE` for commands; connects with the first question. Throws `MongodbUnavailable` for an address that is none. */
export function openMongoStore(
  uri: string,
  { appName, ...ports }: Omit<MongoResourceStorePorts, 'db'> & Pick<ConnectionWish, 'appName'>,
): OpenedMongoStore {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = ports;
  const client = connectMongodb(uri, 'commands', { timeoutMs, ...(appName === undefined ? {} : { appName }) });
  const db = client.db();
  return {
    resources: new MongoResourceStore({ ...ports, db }),
    usage: createUsageSource(db, timeoutMs),
    audit: createAuditTrail(db, timeoutMs),
    isTokenRevoked: async (tokenId) => {
      const tokens = db.collection<RevokedTokenDocument>(collectionNames.revokedTokens);
      const signal = AbortSignal.timeout(timeoutMs);
      return (await withFaults(() => tokens.findOne({ _id: tokenId }, { signal }))) !== null;
    },
    db,
    [Symbol.asyncDispose]: async () => {
      // Frozen servers are not waited for: the connections end with the process at the latest.
      await byDeadline(AbortSignal.timeout(CLOSE_MS), async () => {
        await client.close();
      }).catch(() => undefined);
    },
  };
}
