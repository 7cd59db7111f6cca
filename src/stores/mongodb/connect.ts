import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { MAX_LOOK_UPS } from '../cache/look-up-gate.ts';
import { latestTlsContext } from './connect-tls.ts';
import { noteAnswers } from './fault-causes.ts';
import { MongodbUnavailable } from './faults.ts';

/** Connections to a member that was the primary once would stay open for good otherwise. */
const IDLE_MS = 300_000;

/**
 * What a connection is for. The driver's own `timeoutMS` does nothing, so that these limits are all there is between a
 * frozen server and a caller who waits; a look-up on the check path adds `signal: AbortSignal.timeout(…)` of its own.
 */
const optionsByUse = {
  /** Look-ups while a caller waits: answers in well under a second, or none. Reads go on while there is no primary. */
  checks: {
    serverSelectionTimeoutMS: 1000,
    connectTimeoutMS: 1000,
    socketTimeoutMS: 1000,
    waitQueueTimeoutMS: 500,
    heartbeatFrequencyMS: 1000,
    readPreference: 'primaryPreferred',
    maxPoolSize: MAX_LOOK_UPS,
    maxIdleTimeMS: IDLE_MS,
  },
  /** Change streams and whole collections; a socket must outlast `maxAwaitTimeMS`, which watchers set to 500. */
  changes: {
    serverSelectionTimeoutMS: 1000,
    connectTimeoutMS: 1000,
    socketTimeoutMS: 4000,
    waitQueueTimeoutMS: 1000,
    heartbeatFrequencyMS: 1000,
    readPreference: 'primaryPreferred',
    maxPoolSize: 16,
    maxIdleTimeMS: IDLE_MS,
  },
  /** Remembering used signatures while a caller waits: separate, so that writes without an answer delay no look-up. */
  reservations: {
    serverSelectionTimeoutMS: 1000,
    connectTimeoutMS: 1000,
    socketTimeoutMS: 1500,
    waitQueueTimeoutMS: 1200,
    heartbeatFrequencyMS: 1000,
    maxPoolSize: 20,
    maxIdleTimeMS: IDLE_MS,
  },
  /** What an operator waits for: an election fits into it. */
  commands: {
    serverSelectionTimeoutMS: 15_000,
    connectTimeoutMS: 5000,
    socketTimeoutMS: 5000,
    heartbeatFrequencyMS: 1000,
    maxPoolSize: 10,
    writeConcern: { w: 'majority', wtimeoutMS: 5000 },
  },
  /** Like commands, but building an index over a million records takes its time. */
  migration: {
    serverSelectionTimeoutMS: 15_000,
    connectTimeoutMS: 5000,
    socketTimeoutMS: 10 * 60_000,
    heartbeatFrequencyMS: 1000,
    maxPoolSize: 4,
    writeConcern: { w: 'majority', wtimeoutMS: 60_000 },
  },
} as const satisfies Record<string, MongoClientOptions>;

export type ConnectionUse = keyof typeof optionsByUse;

/** How Postern's connections are named in MongoDB's log and `currentOp`. */
export const APP_NAME = 'postern';

/** The `appName` of a command's connections, from which others learn whose commit they wait for. */
export function nameOfCommand(command: string, actor: string): string {
  const name = Buffer.from(`${APP_NAME} ${command} of ${actor}`).subarray(0, MAX_NAME_BYTES);
  return name.toString('utf8').replace(/\uFFFD$/, '');
}

const MAX_NAME_BYTES = 128;

/** What a command wants otherwise than all connections of a use have it. */
export interface ConnectionWish {
  readonly appName?: string;
  readonly timeoutMs?: number;
}

/** Limits within `timeoutMs`, so that a missing server is reported before; a migration keeps its own for long work. */
function limitsWithin(use: ConnectionUse, timeoutMs: number | undefined): MongoClientOptions {
  const options: MongoClientOptions = optionsByUse[use];
  if (timeoutMs === undefined) return options;
  const within = (usual = timeoutMs): number => Math.min(usual, Math.ceil(timeoutMs * 0.9));
  const { serverSelectionTimeoutMS, connectTimeoutMS, socketTimeoutMS } = options;
  return {
    ...options,
    serverSelectionTimeoutMS: within(serverSelectionTimeoutMS),
    connectTimeoutMS: within(connectTimeoutMS),
    ...(use === 'migration' ? {} : { socketTimeoutMS: within(socketTimeoutMS) }),
  };
}

/**
 * A client for `mongodb://…/DATABASE`, with the limits of its use; `client.db()` is the database of the address.
 * Connects with the first operation; every connection takes the TLS files that the address names as they are then. The
 * address, which may hold a password, is in no error; one that is not understood throws {@link MongodbUnavailable}.
 */
export function connectMongodb(
  uri: string,
  use: ConnectionUse,
  { appName = APP_NAME, timeoutMs }: ConnectionWish = {},
): MongoClient {
  try {
    const options: MongoClientOptions = { ...limitsWithin(use, timeoutMs), appName };
    const client = new MongoClient(uri, options);
    const secureContext = latestTlsContext(client.options);
    const connecting = secureContext === null ? client : new MongoClient(uri, { ...options, secureContext });
    noteAnswers(connecting);
    return connecting;
  } catch (error) {
    // The driver's message can hold the address and so the password.
    if (error instanceof Error) throw new MongodbUnavailable('address', WRONG_ADDRESS);
    throw error;
  }
}

const WRONG_ADDRESS =
  'the MongoDB address is not understood; compare it with mongodb://name:password@host:27017/postern?replicaSet=rs0: special characters of name and password are percent-encoded, and every option after "?" must be one that the driver knows';

/**
 * Whether the server is a stand-alone one, which has neither change streams nor transactions (spec §6). Rejects as the
 * driver does. Sends no credentials, so that it proves no login.
 */
export async function isStandAlone(db: Db): Promise<boolean> {
  const hello = await db.command({ hello: 1 });
  return hello['setName'] === undefined && hello['msg'] !== 'isdbgrid';
}
