import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { DemoFailure } from './demo-failure.ts';
import { defaultDemoPorts, DEMO_HOST, type DemoPortName, type DemoPorts, type RateLimitPorts } from './demo-ports.ts';
import type { ProgramStart } from './demo-process.ts';

/** Files of this package that the demo runs, found from where the program itself is, in a clone and when installed. */
export const packageFiles = {
  envoyYaml: pathOf('envoy.yaml'),
  document: pathOf('examples/demo/postern.yaml'),
  deploy: pathOf('deploy'),
  rateLimitEnvironment: pathOf('deploy/ratelimit/ratelimit.env'),
  rateLimitMapper: pathOf('deploy/ratelimit/mapper.yaml'),
  redisConf: pathOf('deploy/ratelimit/redis.conf'),
} as const;

function pathOf(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/** Of every Envoy that is started: no shared memory, so that one that runs on this machine already is left alone. */
export const envoyArguments = [
  ...['--disable-hot-restart', '--concurrency', '1'],
  ...['--log-level', 'warning', '--component-log-level', 'main:info'],
] as const;

/** Envoy with the committed envoy.yaml on these ports. */
export async function envoyStart(program: string, ports: DemoPorts): Promise<ProgramStart> {
  const ready = `http://${DEMO_HOST}:${String(ports.envoyAdmin)}/ready`;
  return {
    title: 'Envoy',
    program,
    args: [...(await envoyConfigArguments(ports)), ...envoyArguments, '--file-flush-interval-msec', '100'],
    isReady: async (until) => (await fetch(ready, { signal: until })).ok,
  };
}

/** Gives the arguments that make Envoy run the committed envoy.yaml: the file as it is, or its text with other ports. */
export async function envoyConfigArguments(ports: DemoPorts): Promise<readonly string[]> {
  const names = Object.keys(defaultDemoPorts) as DemoPortName[];
  if (names.every((name) => ports[name] === defaultDemoPorts[name])) return ['--config-path', packageFiles.envoyYaml];
  return ['--config-yaml', replacePorts(await readFile(packageFiles.envoyYaml, 'utf8'), ports)];
}

/** The configuration with other ports and nothing else changed. Postern's admin port is not in it. */
export function replacePorts(envoyYaml: string, ports: DemoPorts): string {
  const missing = new Set<number>(Object.values({ ...defaultDemoPorts, posternAdmin: defaultDemoPorts.envoy }));
  const text = envoyYaml.replace(/(?<=\bport_value: )\d+/g, (digits) => {
    const name = (Object.keys(defaultDemoPorts) as DemoPortName[]).find(
      (candidate) => defaultDemoPorts[candidate] === Number(digits),
    );
    if (name === undefined) return digits;
    missing.delete(defaultDemoPorts[name]);
    return String(ports[name]);
  });
  if (missing.size === 0) return text;
  throw new DemoFailure(
    `envoy.yaml was changed: it no longer has the port ${[...missing].join(', ')}, which the demo puts others in place of. Run the demo without --port-base, or on the envoy.yaml of this version.`,
  );
}

/** Redis with the committed configuration. */
export function redisStart(program: string, port: number): ProgramStart {
  return {
    title: 'Redis',
    program,
    args: [packageFiles.redisConf, '--port', String(port)],
    isReady: async (until) => await answersPing(port, until),
  };
}

/** Envoy's rate limit service with the committed configuration, on a Redis that runs. `path`: where programs are found. */
export async function rateLimitServiceStart(
  program: string,
  ports: RateLimitPorts,
  path: string | undefined,
): Promise<ProgramStart> {
  const health = `http://${DEMO_HOST}:${String(ports.rateLimitHttp)}/healthcheck`;
  return {
    title: 'The rate limit service',
    program,
    args: [],
    environment: { PATH: path, ...(await rateLimitSettings(ports)) },
    isReady: async (until) => (await fetch(health, { signal: until })).ok,
  };
}

/** The committed ratelimit.env, with paths that hold wherever the demo is started, and these ports. */
async function rateLimitSettings(ports: RateLimitPorts): Promise<Readonly<Record<string, string>>> {
  return {
    ...parseEnvironment(await readFile(packageFiles.rateLimitEnvironment, 'utf8')),
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

/** The variables of a file with a line `NAME=value` for each; other lines are comments. */
export function parseEnvironment(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
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
