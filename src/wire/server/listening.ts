import { chmod, lstat, unlink } from 'node:fs/promises';
import { connect, type Server, Socket } from 'node:net';
import { codeOf } from '../../base/files/fingerprint.ts';
import type { ListenAddress } from '../../base/net/listen-address.ts';

/**
 * Listens, also on a socket that a killed process left behind; rejects with the system's error when the address cannot
 * be had. A unix socket gets these permissions.
 */
export async function listenOn(server: Server, address: ListenAddress, unixSocketMode?: number): Promise<void> {
  await withUnixSocket(address, unixSocketMode, async () => {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address.kind === 'unix' ? { path: address.path } : address, () => {
        server.off('error', reject);
        resolve();
      });
    });
  });
}

/**
 * Begins to listen in the given way. On a unix socket, the file that a killed process left behind is removed before,
 * and the new one gets these permissions; undefined leaves what the process's umask made of it.
 */
export async function withUnixSocket<T>(
  address: ListenAddress,
  mode: number | undefined,
  listen: () => Promise<T>,
): Promise<T> {
  if (address.kind === 'unix') await removeStaleSocket(address.path);
  const listening = await listen();
  if (address.kind === 'unix' && mode !== undefined) await chmod(address.path, mode);
  return listening;
}

/** Throws when something answers on the socket or when the path is no socket: neither is ours to remove. */
async function removeStaleSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return;
  if (!found.isSocket()) throw new Error(`${path} exists and is not a socket; remove it or choose another path`);
  if (await answers(path)) throw new Error(`${path} is in use by another process`);
  await unlink(path);
}

async function answers(path: string): Promise<boolean> {
  return await new Promise<boolean>((resolve, reject) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', (error) => {
      if (['ECONNREFUSED', 'ENOENT'].includes(codeOf(error))) resolve(false);
      else reject(error);
    });
  });
}

/** Where a server really listens: the port that was chosen for 0. Throws when it does not. */
export function addressOf(server: Server): ListenAddress {
  const bound = server.address();
  if (bound === null) throw new Error('this listener was not started');
  return typeof bound === 'string'
    ? { kind: 'unix', path: bound }
    : { kind: 'tcp', host: bound.address, port: bound.port };
}

/** Stops accepting, and resolves when every connection has ended. */
export async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}

/** The connection below a TLS socket; of another socket, itself. Node keeps it there and has no public name for it. */
export function socketBelow(socket: Socket): Socket {
  const below: unknown = Reflect.get(socket, '_parent');
  return below instanceof Socket ? below : socket;
}
