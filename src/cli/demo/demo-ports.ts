import { readdir, readFile, readlink } from 'node:fs/promises';
import { freePorts, LOOPBACK, tryPort } from '../programs/free-ports.ts';
import { envoyYamlPorts } from '../programs/envoy-ports.ts';
import {
  type ConsolePorts,
  defaultConsolePorts,
  defaultRateLimitPorts,
  type RateLimitPorts,
} from '../programs/servers.ts';
import { DemoFailure } from './demo-failure.ts';

const { backend, ...ownPorts } = envoyYamlPorts;

/** The ports of the demo by what listens there, in the order in which they follow a base. */
export const defaultDemoPorts = { ...ownPorts, posternAdmin: 9003, backend, envoyTls: 10443 } as const;

/** The TCP port of each program of the demo. */
export type DemoPorts = Readonly<Record<keyof typeof defaultDemoPorts, number>>;

const purposes: Readonly<Record<string, string>> = {
  envoy: 'Envoy',
  envoyAdmin: 'Envoy admin',
  envoyTls: 'Envoy TLS',
  posternGrpc: 'Postern gRPC',
  posternHttp: 'Postern HTTP',
  posternAdmin: 'Postern admin',
  backend: 'echo back end',
  redis: 'Redis',
  rateLimitGrpc: 'rate limits gRPC',
  rateLimitHttp: 'rate limits HTTP',
  rateLimitDebug: 'rate limits debug',
  rateLimitMetrics: 'rate limits metrics',
  mongodb: 'MongoDB',
  manage: 'console',
} as const satisfies Record<keyof DemoPorts | keyof RateLimitPorts | keyof ConsolePorts, string>;

/**
 * The default ports without a base, those from the base upwards otherwise; base 0: free ones that the system chooses.
 */
export async function chooseDemoPorts(base: number | null): Promise<DemoPorts> {
  return await choosePorts(defaultDemoPorts, base, 0);
}

/** The same for the rate limit service, whose ports follow those of the demo. */
export async function chooseRateLimitPorts(base: number | null): Promise<RateLimitPorts> {
  return await choosePorts(defaultRateLimitPorts, base, Object.keys(defaultDemoPorts).length);
}

/** The same for MongoDB and the console, whose ports follow those of the rate limit service. */
export async function chooseConsolePorts(base: number | null): Promise<ConsolePorts> {
  const before = Object.keys(defaultDemoPorts).length + Object.keys(defaultRateLimitPorts).length;
  return await choosePorts(defaultConsolePorts, base, before);
}

async function choosePorts<Name extends string>(
  defaults: Readonly<Record<Name, number>>,
  base: number | null,
  offset: number,
): Promise<Readonly<Record<Name, number>>> {
  if (base === null) return defaults;
  const names = Object.keys(defaults) as Name[];
  const numbers = base === 0 ? await freePorts(names.length) : names.map((_, index) => base + offset + index);
  return Object.fromEntries(names.map((name, index) => [name, numbers[index]])) as Record<Name, number>;
}

/**
 * Rejects with a {@link DemoFailure} that names every port that is not available, and which program has it where that
 * can be seen.
 */
export async function requireFreePorts(ports: Partial<DemoPorts & RateLimitPorts & ConsolePorts>): Promise<void> {
  const lines: string[] = [];
  const width = Math.max(...Object.keys(ports).map((name) => purposes[name]?.length ?? 0));
  for (const [name, port] of Object.entries(ports)) {
    const fault = await findPortFault(port);
    if (fault === null) continue;
    lines.push(`  ${LOOPBACK}:${String(port).padEnd(5)}  ${(purposes[name] ?? name).padEnd(width)}  ${fault}`);
  }
  if (lines.length === 0) return;
  throw new DemoFailure(
    [
      'The demo cannot start, because these ports are not available:',
      ...lines,
      'Stop what runs there, or let the demo use other ports: npm run demo -- --port-base 20000 (0: any free ones)',
    ].join('\n'),
  );
}

async function findPortFault(port: number): Promise<string | null> {
  try {
    await tryPort(port);
    return null;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') return message;
    const owner = await findPortOwner(port);
    return owner === null ? 'used by another program' : `used by ${owner.name} (process ${String(owner.pid)})`;
  }
}

/** The process that listens on a port already. */
export interface PortOwner {
  readonly name: string;
  readonly pid: number;
}

const LISTENING = '0A';

/**
 * Finds the program that listens on a TCP port of this machine, by proc(5). Null when none does, when it belongs to
 * another user, and on systems without that directory.
 */
export async function findPortOwner(port: number): Promise<PortOwner | null> {
  const sockets = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const inode of listeningInodes(await readOrEmpty(table), port)) sockets.add(`socket:[${inode}]`);
  }
  if (sockets.size === 0) return null;
  const processes = (await listOrEmpty('/proc')).filter((entry) => /^\d+$/.test(entry));
  for (const pid of processes) {
    for (const descriptor of await listOrEmpty(`/proc/${pid}/fd`)) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(emptyText);
      if (!sockets.has(target)) continue;
      return { name: (await readOrEmpty(`/proc/${pid}/comm`)).trim(), pid: Number(pid) };
    }
  }
  return null;
}

/**
 * Lines are: number, local address and port in hex, remote one, state, queues, timer, retransmits, user, timeout,
 * inode.
 */
function listeningInodes(table: string, port: number): string[] {
  const rows = table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([, local, , state, , , , , , inode]) => {
    const isOurs =
      state === LISTENING && local !== undefined && Number.parseInt(local.split(':')[1] ?? '', 16) === port;
    return isOurs && inode !== undefined ? [inode] : [];
  });
}

/**
 * Processes come and go, and those of others may not be looked at: what cannot be read is not the owner that we can
 * name.
 */
async function readOrEmpty(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(emptyText);
}

async function listOrEmpty(path: string): Promise<string[]> {
  return await readdir(path).catch(() => []);
}

function emptyText(): string {
  return '';
}
