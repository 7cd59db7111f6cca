import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { DemoProcess } from './demo-process.ts';
import { DEMO_HOST, type RateLimitPorts } from './demo-ports.ts';
import type { LogTail } from './log-tail.ts';
import { packageFiles } from './package-files.ts';

export interface RedisOptions {
  readonly program: string;
  readonly ports: RateLimitPorts;
  readonly log: LogTail;
  readonly signal: AbortSignal;
}

/** Starts Redis with the committed configuration. Rejects, with nothing left running, when it cannot be had. */
export async function startRedis({ program, ports, log, signal }: RedisOptions): Promise<DemoProcess> {
  return await DemoProcess.start({
    title: 'Redis',
    program,
    args: [packageFiles.redisConf, '--port', String(ports.redis)],
    isReady: async (until) => await answersPing(ports.redis, until),
    log,
    signal,
  });
}

export interface RateLimitServiceOptions extends RedisOptions {
  /** Where programs are found. */
  readonly path: string | undefined;
}

/** Starts Envoy's rate limit service with the committed configuration, on a Redis that runs. */
export async function startRateLimitService(options: RateLimitServiceOptions): Promise<DemoProcess> {
  const { program, ports, path, log, signal } = options;
  const health = `http://${DEMO_HOST}:${String(ports.rateLimitHttp)}/healthcheck`;
  return await DemoProcess.start({
    title: 'The rate limit service',
    program,
    args: [],
    environment: { PATH: path, ...(await rateLimitSettings(ports)) },
    isReady: async (until) => (await fetch(health, { signal: until })).ok,
    log,
    signal,
  });
}

/** The committed ratelimit.env, with paths that hold wherever the demo is started, and these ports. */
export async function rateLimitSettings(ports: RateLimitPorts): Promise<Readonly<Record<string, string>>> {
  const lines = (await readFile(packageFiles.rateLimitEnvironment, 'utf8')).split('\n');
  const settings = lines.flatMap((line) => {
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(settings),
    RUNTIME_ROOT: packageFiles.deploy,
    PROMETHEUS_MAPPER_YAML: packageFiles.rateLimitMapper,
    REDIS_URL: `${DEMO_HOST}:${String(ports.redis)}`,
    GRPC_HOST: DEMO_HOST,
    GRPC_PORT: String(ports.rateLimitGrpc),
    HOST: DEMO_HOST,
    PORT: String(ports.rateLimitHttp),
    DEBUG_HOST: DEMO_HOST,
    DEBUG_PORT: String(ports.rateLimitDebug),
    PROMETHEUS_ADDR: `${DEMO_HOST}:${String(ports.rateLimitMetrics)}`,
  };
}

async function answersPing(port: number, signal: AbortSignal): Promise<boolean> {
  const socket = connect(port, DEMO_HOST);
  try {
    await once(socket, 'connect', { signal });
    socket.write('PING\r\n');
    const [answer] = (await once(socket, 'data', { signal })) as [Buffer];
    return answer.toString('latin1').startsWith('+PONG');
  } finally {
    socket.destroy();
  }
}
