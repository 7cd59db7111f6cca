import { once } from 'node:events';
import { connect } from 'node:net';
import { poll } from '../time/poll.ts';
import { adminCommand } from './command.ts';
import { startReplicaSet } from './replica-set.ts';

/** A replica set of one that all files of tests of one process share. It ends with the process. */
export interface SharedServer {
  /** The address with this database. */
  uri(database?: string): string;
}

/** What Docker runs; the local program is MongoDB 6.0. */
const image = process.env['POSTERN_TEST_MONGODB_IMAGE'] ?? 'mongo:8.0';

let started: Promise<SharedServer> | undefined;

/**
 * The shared server, started at the first call: a container where Docker runs, a process from `.services` elsewhere.
 * `POSTERN_TEST_MONGODB=local` chooses the process in any case.
 */
export async function sharedServer(): Promise<SharedServer> {
  started ??= start();
  return await started;
}

async function start(): Promise<SharedServer> {
  if (process.env['POSTERN_TEST_MONGODB'] !== 'local' && (await isDockerThere())) return await startContainer();
  return await startReplicaSet();
}

/**
 * Whether something listens where Docker's clients would connect. An address that is set counts, so that a wrong one is
 * seen.
 */
async function isDockerThere(): Promise<boolean> {
  if ((process.env['DOCKER_HOST'] ?? '') !== '') return true;
  const socket = connect('/var/run/docker.sock');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false; // nothing listens there: no Docker
  } finally {
    socket.destroy();
  }
}

/** Without a member address that leads in from outside, clients must connect directly. */
async function startContainer(): Promise<SharedServer> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const port = 27017;
  const container = await new GenericContainer(image)
    .withCommand(['--replSet', 'postern', '--bind_ip_all', '--setParameter', 'enableTestCommands=1'])
    .withTmpFs({ '/data/db': 'rw,mode=1777' })
    .withExposedPorts(port)
    .withWaitStrategy(Wait.forLogMessage('Waiting for connections'))
    .start();
  // Testcontainers removes it, too, unless its own helper is switched off.
  process.once('beforeExit', () => void container.stop());
  const base = `mongodb://${container.getHost()}:${String(container.getMappedPort(port))}`;
  const uri = (database = ''): string => `${base}/${database}?directConnection=true`;
  const members = [{ _id: 0, host: `localhost:${String(port)}` }];
  await adminCommand(uri(), { replSetInitiate: { _id: 'postern', members } });
  await poll('a primary', async () => ((await adminCommand(uri(), { hello: 1 }))['isWritablePrimary'] ? true : null));
  return { uri };
}
