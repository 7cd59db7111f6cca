import type { Db, MongoClient } from 'mongodb';
import type { SystemOfRecord } from '../../resources/changes/resource-store.ts';
import { createAuditTrail } from './audit-trail.ts';
import { connectMongodb, type ConnectionWish, nameOfCommand } from './connect.ts';
import { byDeadline, DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { collectionOf } from './documents.ts';
import { createJobStore } from './jobs.ts';
import { createCredentialDirectory } from './credential-directory.ts';
import { createDueSource } from './due-credentials.ts';
import { withFaults } from './faults.ts';
import { describeFault } from './mapping/document-fault.ts';
import { MongoResourceStore, type MongoResourceStorePorts } from './resource-store.ts';
import { countDue, countSealed, rewrapSecrets } from './rewrap-secrets.ts';
import { createReplicaDirectory } from './replicas.ts';
import { readSchemaVersion, requireSchema } from './schema/schema-version.ts';
import { createRefusalSource } from './refusals.ts';
import { createOnceRequests } from './once-requests.ts';
import { createSessionStore } from './sessions.ts';
import { createTrafficSource } from './traffic.ts';
import { createUsageSource } from './usage.ts';

/** The database as commands have it open. Disposing closes the connections. */
export interface OpenedMongoStore extends SystemOfRecord {
  readonly db: Db;
}

/** How a command wants a database opened. */
export interface CommandWish extends Omit<MongoResourceStorePorts, 'db' | 'onFault' | 'onWait'> {
  /** The command and its user, shown to others whose commit waits for this one. */
  readonly command: string;
  readonly actor: string;
  /** Whether a database that no Postern has been used with will do. */
  readonly mayBeEmpty: boolean;
  readonly timeoutMs: number;
  /** Called with what is passed over, and with whom a change waits for, in words for people. */
  readonly warn: (message: string) => void;
}

/** Opens `mongodb://…/DATABASE` for a command. Rejects with `MongodbUnavailable`, also for another version's schema. */
export async function openMongoStoreForCommand(
  uri: string,
  { command, actor, mayBeEmpty, warn, ...ports }: CommandWish,
): Promise<SystemOfRecord> {
  const opened = openMongoStore(uri, {
    ...ports,
    appName: nameOfCommand(command, actor),
    onWait: warn,
    onFault: (fault) => {
      warn(`left out, because it cannot be read: ${describeFault(fault)}`);
    },
  });
  try {
    if (!mayBeEmpty) await requireSchema(opened.db, AbortSignal.timeout(ports.timeoutMs));
    return opened;
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

const CLOSE_MS = 1000;

/** Opens `mongodb://…/DATABASE`; connects when first used. Throws `MongodbUnavailable` for an invalid address. */
export function openMongoStore(
  uri: string,
  { appName, ...ports }: Omit<MongoResourceStorePorts, 'db'> & Pick<ConnectionWish, 'appName'>,
): OpenedMongoStore {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, clock } = ports;
  const connection = { timeoutMs, ...(appName === undefined ? {} : { appName }) };
  const client = connectMongodb(uri, 'commands', connection);
  const db = client.db();
  let patient: MongoClient | null = null;
  /** For what takes longer than an operator's usual request may. Whether the server answers at all is known in time. */
  const patientDb = async (): Promise<Db> => {
    patient ??= connectMongodb(uri, 'migration', connection);
    await readSchemaVersion(patient.db(), AbortSignal.timeout(timeoutMs));
    return patient.db();
  };
  return {
    resources: new MongoResourceStore({ ...ports, db }),
    usage: createUsageSource(db, timeoutMs),
    due: createDueSource(db, clock, timeoutMs),
    directory: createCredentialDirectory(db, ports.sealer, timeoutMs),
    traffic: createTrafficSource(db, timeoutMs),
    audit: createAuditTrail(db, { clock, timeoutMs }),
    refusals: createRefusalSource(db, timeoutMs),
    replicas: createReplicaDirectory(db, timeoutMs),
    sealed: {
      countByKey: async () => await countSealed(await patientDb()),
      countDue: async (currentKeyId) => await countDue(await patientDb(), currentKeyId),
      rewrap: async (work) => await rewrapSecrets({ ...work, db: await patientDb(), clock }),
    },
    isTokenRevoked: async (tokenId) => {
      const signal = AbortSignal.timeout(timeoutMs);
      return (await withFaults(() => collectionOf(db, 'revokedTokens').findOne({ _id: tokenId }, { signal }))) !== null;
    },
    sessions: createSessionStore(db, timeoutMs),
    once: ports.sealer === null ? null : createOnceRequests(db, ports.sealer, timeoutMs),
    jobs: ports.sealer === null ? null : createJobStore(db, ports.sealer, timeoutMs),
    file: null,
    db,
    [Symbol.asyncDispose]: async () => {
      // A frozen server is not waited for: the connections end with the process at the latest.
      await byDeadline(AbortSignal.timeout(CLOSE_MS), () => Promise.all([client.close(), patient?.close()])).catch(
        () => undefined,
      );
    },
  };
}
