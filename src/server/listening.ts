import type { Server } from 'node:net';
import type { ListenAddress } from '../net/listen-address.ts';
import { removeStaleSocket, setSocketMode } from './unix-socket.ts';

/**
 * Listens, also on a socket that a killed process left behind; rejects with the system's error when the address cannot be
 * had. A unix socket gets these permissions.
 */
export async function listenOn(server: Server, address: ListenAddress, unixSocketMode?: number): Promise<void> {
  if (address.kind === 'unix') await removeStaleSocket(address.path);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.kind === 'unix' ? { path: address.path } : address, () => {
      server.off('error', reject);
      resolve();
    });
  });
  if (address.kind === 'unix') await setSocketMode(address.path, unixSocketMode);
}

/** Where a server really listens: the port that was chosen for 0. Throws when it does not. */
export function addressOf(server: Server): ListenAddress {
  const bound = server.address();
  if (bound === null) throw new Error('this listener was not started');
  return typeof bound === 'string'
    ? { kind: 'unix', path: bound }
    : { kind: 'tcp', host: bound.address, port: bound.port };
}
