import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findServices } from '../../../services/install-services.mjs';
import { freePort } from '../../../src/cli/programs/free-ports.ts';
import { release } from '../lifetime/release.ts';
import { temporaryDirectory } from '../lifetime/temporary-directory.ts';
import { type LocalServer, startLocalServer } from '../process/local-server.ts';

/**
 * One MongoDB server, started from `.services`. Its data stays when it ends or is killed, and goes when it is disposed.
 */
export interface Mongod extends LocalServer {
  /** `127.0.0.1:port` */
  readonly address: string;
  /** Everything it logged so far. */
  log(): Promise<string>;
}

const CACHE_SIZE = '--wiredTigerCacheSizeGB';
const SERVES = '"Waiting for connections"';
const portAttempts = 5;
/** mongod's exit code when another process has its port. */
const addressInUseCode = 48;

/**
 * Starts a server with these further arguments on a free port of the loopback, and waits until it takes connections.
 */
export async function startMongod(args: readonly string[] = []): Promise<Mongod> {
  const { mongodb } = await findServices(['mongodb']);
  const program = process.env['POSTERN_TEST_MONGOD'] ?? mongodb;
  if (program === null) throw new Error('MongoDB is not installed: scripts/install-services mongodb');
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOn(await freePort(), program, args);
    } catch (error) {
      const exit = error instanceof Error ? (error.cause as { readonly code?: unknown } | undefined) : undefined;
      if (exit?.code !== addressInUseCode || attempt === portAttempts) throw error;
    }
  }
}

async function startOn(port: number, program: string, args: readonly string[]): Promise<Mongod> {
  const directory = await temporaryDirectory();
  const logPath = join(directory.path, 'mongod.log');
  const log = async (): Promise<string> => await readFile(logPath, 'utf8').catch(() => '');
  let starts = 1;
  try {
    const server = await startLocalServer(
      {
        title: `mongod on port ${String(port)}`,
        program,
        args: [
          ...['--dbpath', directory.path, '--bind_ip', '127.0.0.1', '--port', String(port), '--nounixsocket'],
          ...['--logpath', logPath, '--logappend'],
          ...(args.includes(CACHE_SIZE) ? [] : [CACHE_SIZE, '0.25']),
          ...['--setParameter', 'enableTestCommands=1', '--setParameter', 'diagnosticDataCollectionEnabled=false'],
          // Tests have clocks of their own: once a minute it would remove what has ended by the server's.
          ...['--setParameter', 'ttlMonitorEnabled=false'],
          ...args,
        ],
        isReady: async () => (await log()).split(SERVES).length > starts,
      },
      port,
    );
    // A server that several files of tests share must not keep the test process from ending.
    server.child().unref();
    return {
      ...server,
      address: `127.0.0.1:${String(port)}`,
      log,
      restart: async () => {
        starts += 1;
        await server.restart();
        server.child().unref();
      },
      [Symbol.asyncDispose]: () => release(directory, server),
    };
  } catch (error) {
    await release(directory);
    throw error;
  }
}
