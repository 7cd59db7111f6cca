import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Starts a TCP relay to a port of this machine whose connections come from many addresses of the loopback, one after the
 * other: a server that slows down each address lets more through than it would one caller.
 */
export async function startSourceRelay(targetPort: number): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    const index = count % (250 * 250);
    count += 1;
    const localAddress = `127.1.${String(1 + Math.floor(index / 250))}.${String(1 + (index % 250))}`;
    const target = connect({ port: targetPort, host: '127.0.0.1', localAddress });
    for (const [from, to] of [
      [socket, target],
      [target, socket],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
