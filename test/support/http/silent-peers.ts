import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';

/**
 * Opens connections of peers that say this much, and then nothing. `keep` takes each over, to be closed with the test.
 */
export async function openSilentPeers(
  to: NetConnectOpts,
  count: number,
  hello: string | Buffer,
  keep: (peer: AsyncDisposable) => unknown,
): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(to);
    socket.on('error', () => undefined); // shows as the close
    keep({
      [Symbol.asyncDispose]: () => {
        socket.destroy();
        return Promise.resolve();
      },
    });
    return socket;
  });
  for (const socket of sockets) {
    if (socket.connecting) await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    socket.write(hello);
  }
  return sockets;
}
