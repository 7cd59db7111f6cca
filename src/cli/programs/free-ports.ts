import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Where everything listens that this package starts for the demo, tests and benchmarks. */
export const LOOPBACK = '127.0.0.1';

/** Ports of the loopback that were free a moment ago, for programs that cannot choose one; no two are the same. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, async () => await listen(0)));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(close));
  return ports;
}

/** A TCP port of this machine that nothing listens on now. Another process may take it first. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** Rejects with the system's error when the port cannot be had. */
export async function tryPort(port: number): Promise<void> {
  await close(await listen(port));
}

async function listen(port: number): Promise<Server> {
  const server = createServer();
  server.listen({ host: LOOPBACK, port, exclusive: true });
  await once(server, 'listening');
  return server;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await closed;
}
