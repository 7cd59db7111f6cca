import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { LOOPBACK } from './free-ports.ts';
import type { ProgramStart } from './program.ts';

/** Files of this package that servers are started with, found from here, in a clone and when installed. */
export const packageFiles = {
  envoyYaml: pathOf('envoy.yaml'),
  document: pathOf('examples/demo/postern.yaml'),
  echo: pathOf('deploy/overlays/demo/echo/echo.mjs'),
  deploy: pathOf('deploy'),
  databaseSetup: pathOf('deploy/compose/setup.mjs'),
  postern: pathOf('dist/main.js'),
  rateLimitEnvironment: pathOf('deploy/ratelimit/ratelimit.env'),
  rateLimitMapper: pathOf('deploy/ratelimit/mapper.yaml'),
  redisConf: pathOf('deploy/ratelimit/redis.conf'),
} as const;

function pathOf(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}

/** Which Envoy is started, and with which configuration. */
export interface EnvoyCommand {
  readonly program: string;
  /** The arguments that name its configuration. */
  readonly config: readonly string[];
  /** How often it writes its access log to disk. */
  readonly flushIntervalMs: number;
  /** Of its admin address. May reject while Envoy has not chosen it. */
  readonly adminPort: () => Promise<number>;
}

/** Envoy, without shared memory, so that another one on this machine is left alone. */
export function envoyStart({ program, config, flushIntervalMs, adminPort }: EnvoyCommand): ProgramStart {
  return {
    title: 'Envoy',
    program,
    args: [
      ...config,
      ...['--disable-hot-restart', '--concurrency', '1'],
      ...['--log-level', 'warning', '--component-log-level', 'main:info'],
      ...['--file-flush-interval-msec', String(flushIntervalMs)],
    ],
    isReady: async (until) => await answersOk(`http://${LOOPBACK}:${String(await adminPort())}/ready`, until),
  };
}

/** A stand-in for the APIs behind Envoy: answers every request with what it received. */
export function echoStart(port: number): ProgramStart {
  return {
    title: 'Back end',
    program: execPath,
    args: [packageFiles.echo],
    environment: { HOST: LOOPBACK, PORT: String(port) },
    isReady: async (until) => await answersOk(`http://${LOOPBACK}:${String(port)}/`, until),
  };
}

/** Redis with the committed configuration, on this port. */
export function redisStart(program: string, port: number): ProgramStart {
  return {
    title: 'Redis',
    program,
    args: [packageFiles.redisConf, '--port', String(port)],
    isReady: async (until) => await answersPing(port, until),
  };
}

/**
 * The ports of the rate limit service and its Redis by what listens there; the defaults are those of deploy/ratelimit.
 */
export const defaultRateLimitPorts = {
  redis: 6379,
  rateLimitGrpc: 8081,
  rateLimitHttp: 8082,
  rateLimitDebug: 6070,
  rateLimitMetrics: 9095,
} as const;

/** The TCP ports of the rate limit service. */
export type RateLimitPorts = Readonly<Record<keyof typeof defaultRateLimitPorts, number>>;

/**
 * Envoy's rate limit service with the committed configuration, on a Redis that runs. `path`: where programs are found.
 */
export async function rateLimitServiceStart(
  program: string,
  ports: RateLimitPorts,
  path: string | undefined,
): Promise<ProgramStart> {
  return {
    title: 'Rate limit service',
    program,
    args: [],
    environment: { PATH: path, ...(await rateLimitSettings(ports)) },
    isReady: async (until) => await answersOk(`http://${LOOPBACK}:${String(ports.rateLimitHttp)}/healthcheck`, until),
  };
}

/** The ports of a database of one's own and of the management API, by what listens there. */
export const defaultConsolePorts = { mongodb: 27018, manage: 9004 } as const;

/** The TCP ports of what the console needs. */
export type ConsolePorts = Readonly<Record<keyof typeof defaultConsolePorts, number>>;

/** The name of the replica set of {@link mongodbStart}; the first client to connect initiates it. */
export const REPLICA_SET = 'rs0';

/** MongoDB as a replica set of one, on the loopback, without a login. `folder`: an empty one for its files. */
export function mongodbStart(program: string, port: number, folder: string): ProgramStart {
  return {
    title: 'MongoDB',
    program,
    args: [
      ...['--replSet', REPLICA_SET, '--bind_ip', LOOPBACK, '--port', String(port), '--dbpath', folder],
      ...['--nounixsocket', '--wiredTigerCacheSizeGB', '0.25'],
    ],
    isReady: async (until) => await accepts(port, until),
  };
}

/** The management API, in a process of its own. `environment`: its settings, and nothing else. */
export function manageStart(environment: Readonly<Record<string, string>>, port: number): ProgramStart {
  return {
    title: 'Management',
    program: execPath,
    args: [packageFiles.postern, 'manage'],
    environment: { ...environment, POSTERN_MANAGE_ADDRESS: `${LOOPBACK}:${String(port)}` },
    isReady: async (until) => await answersOk(`http://${LOOPBACK}:${String(port)}/readyz`, until),
  };
}

/** The committed ratelimit.env, with paths that hold wherever the demo is started, and these ports. */
async function rateLimitSettings(ports: RateLimitPorts): Promise<Readonly<Record<string, string>>> {
  return {
    ...parseEnvironment(await readFile(packageFiles.rateLimitEnvironment, 'utf8')),
    RUNTIME_ROOT: packageFiles.deploy,
    PROMETHEUS_MAPPER_YAML: packageFiles.rateLimitMapper,
    REDIS_URL: `${LOOPBACK}:${String(ports.redis)}`,
    GRPC_HOST: LOOPBACK,
    GRPC_PORT: String(ports.rateLimitGrpc),
    HOST: LOOPBACK,
    PORT: String(ports.rateLimitHttp),
    DEBUG_HOST: LOOPBACK,
    DEBUG_PORT: String(ports.rateLimitDebug),
    PROMETHEUS_ADDR: `${LOOPBACK}:${String(ports.rateLimitMetrics)}`,
  };
}

/** The variables of a file with a line `NAME=value` for each; other lines are comments. */
export function parseEnvironment(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
}

async function answersOk(url: string, signal: AbortSignal): Promise<boolean> {
  return (await fetch(url, { signal })).ok;
}

async function accepts(port: number, signal: AbortSignal): Promise<boolean> {
  const socket = connect(port, LOOPBACK);
  try {
    await once(socket, 'connect', { signal });
    return true;
  } finally {
    socket.destroy();
  }
}

async function answersPing(port: number, signal: AbortSignal): Promise<boolean> {
  const socket = connect(port, LOOPBACK);
  try {
    await once(socket, 'connect', { signal });
    socket.write('PING\r\n');
    const [answer] = (await once(socket, 'data', { signal })) as [Buffer];
    return answer.toString('latin1').startsWith('+PONG');
  } finally {
    socket.destroy();
  }
}
