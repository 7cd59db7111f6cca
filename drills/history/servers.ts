import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findServices } from '../../services/install-services.mjs';
import { acquireAll } from '../../test/support/lifetime/release.ts';
import { temporaryDirectory } from '../../test/support/lifetime/temporary-directory.ts';
import { adminCommand } from '../../test/support/mongodb/command.ts';
import { startChild, startServer } from '../../test/support/process/child-process.ts';
import type { PosternSettings } from '../../test/support/stack/postern-process.ts';
import { poll } from '../../test/support/time/poll.ts';
import type { Host } from './network.ts';

const PORT = 27_017;
const SET_NAME = 'postern';
const executable = new URL('../../dist/main.js', import.meta.url).pathname;

/** Within this long, a member that no longer reaches a majority gives up being the primary. */
export const ELECTION_TIMEOUT_MS = 2000;

/** A MongoDB replica set whose members are hosts of a network. */
export interface MongodbMembers extends AsyncDisposable {
  readonly uri: string;
  /** The host of the primary; null while none is known to those who can be reached from here. */
  primary(): Promise<Host | null>;
}

/** Starts a member on each host, and waits for a primary. */
export async function startMembers(hosts: readonly Host[]): Promise<MongodbMembers> {
  const { mongodb: program } = await findServices(['mongodb']);
  if (program === null) throw new Error('MongoDB is not installed: scripts/install-services mongodb');
  return await acquireAll(async (keep) => {
    await Promise.all(
      hosts.map(async ({ name, address, on }) => {
        const { path } = keep(await temporaryDirectory());
        const logPath = join(path, 'mongod.log');
        keep(
          await startServer({
            title: `mongod on ${name}`,
            ...on(program, [
              ...['--dbpath', path, '--bind_ip', address, '--port', String(PORT), '--nounixsocket'],
              ...['--logpath', logPath, '--replSet', SET_NAME, '--wiredTigerCacheSizeGB', '0.25'],
              ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
            ]),
            isReady: async () =>
              (await readFile(logPath, 'utf8').catch(() => '')).includes('"Waiting for connections"'),
          }),
        );
      }),
    );
    const direct = ({ address }: Host): string =>
      `mongodb://${address}:${String(PORT)}/?directConnection=true&serverSelectionTimeoutMS=1000&connectTimeoutMS=1000`;
    const primary: MongodbMembers['primary'] = async () => {
      for (const host of hosts) {
        const answer = await adminCommand(direct(host), { hello: 1 }).catch(() => null);
        if (answer?.['isWritablePrimary'] === true) return host;
      }
      return null;
    };
    const [first] = hosts;
    if (first === undefined) throw new Error('a replica set has members');
    await adminCommand(direct(first), {
      replSetInitiate: {
        _id: SET_NAME,
        members: hosts.map(({ address }, at) => ({ _id: at, host: `${address}:${String(PORT)}` })),
        settings: { electionTimeoutMillis: ELECTION_TIMEOUT_MS, heartbeatIntervalMillis: 500 },
      },
    });
    await poll('a primary', primary);
    const addresses = hosts.map(({ address }) => `${address}:${String(PORT)}`).join(',');
    return { uri: `mongodb://${addresses}/postern?replicaSet=${SET_NAME}`, primary };
  });
}

/** A replica of Postern on a host of its own; its gRPC listener is a Unix socket, which no partition cuts. */
export interface ReplicaProcess extends AsyncDisposable {
  readonly socket: string;
  /** Ends it in order: what it counted is written. */
  stop(): Promise<void>;
}

/** Starts `postern serve` on a host, and waits until it is ready. */
export async function startReplicaOn(
  { name, on }: Host,
  { folder, settings }: { readonly folder: string; readonly settings: PosternSettings },
): Promise<ReplicaProcess> {
  const socket = join(folder, `${name}.sock`);
  const { program: command, args } = on(process.execPath, ['--enable-source-maps', executable, 'serve']);
  const child = await startChild({
    command,
    args,
    env: {
      POSTERN_GRPC_ADDRESS: `unix:${socket}`,
      POSTERN_HTTP_ADDRESS: '127.0.0.1:0',
      POSTERN_ADMIN_ADDRESS: '127.0.0.1:0',
      POSTERN_SHUTDOWN_GRACE_SECONDS: '0',
      POSTERN_REPLICA_NAME: name,
      ...settings,
    },
  });
  try {
    await child.line('stdout', (line) => (line.includes('"message":"ready"') ? line : null));
  } catch (error) {
    await child.stop();
    throw error;
  }
  return {
    socket,
    stop: async () => {
      await child.stop();
    },
    [Symbol.asyncDispose]: async () => {
      child.signal('SIGKILL');
      await child.stop();
    },
  };
}
