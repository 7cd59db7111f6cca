import type { Db } from 'mongodb';
import type { AuditTrail, ResourceStore, UsageSource } from '../../manage/resource-store.ts';
import { createAuditTrail } from './audit-trail.ts';
import { connectMongodb } from './connect.ts';
import { MongoResourceStore, type MongoResourceStorePorts } from './resource-store.ts';
import { createUsageSource } from './usage-source.ts';

/** The database as commands have it open. Disposing closes the connections. */
export interface OpenedMongoStore extends AsyncDisposable {
  readonly resources: ResourceStore;
  readonly usage: UsageSource;
  readonly audit: AuditTrail;
  readonly db: Db;
}

/** Opens `mongodb://…/DATABASE` for commands; connects with the first question. Throws `MongodbUnavailable` for an address that is none. */
export function openMongoStore(uri: string, ports: Omit<MongoResourceStorePorts, 'db'>): OpenedMongoStore {
  const client = connectMongodb(uri, 'commands');
  const db = client.db();
  return {
    resources: new MongoResourceStore({ ...ports, db }),
    usage: createUsageSource(db),
    audit: createAuditTrail(db),
    db,
    [Symbol.asyncDispose]: async () => {
      await client.close();
    },
  };
}
