import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP relay to a server of this machine, which can be cut. */
export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** Ends all connections and refuses new ones, as a network that is partitioned. */
  cut(): void;
  /** Lets connections through again. */
  restore(): void;
}

/** Starts a relay to a port of this machine. */
export async function startRelay(targetPort: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const server = createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const target = connect(targetPort, '127.0.0.1');
    keep(socket, target);
    keep(target, socket);
    socket.pipe(target);
    target.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
      end();
    },
    restore: () => {
      isCut = false;
    },
    [Symbol.asyncDispose]: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        end();
      });
    },
  };
}
