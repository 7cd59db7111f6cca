import { readFile } from 'node:fs/promises';
import { parseConfig } from '../../gateway/config.ts';
import { type Gateway, startGateway } from '../../gateway/gateway.ts';
import { OwnedParts } from '../../gateway/parts.ts';
import { createLogger } from '../../gateway/observe/logger.ts';
import { replacePorts } from '../programs/envoy-ports.ts';
import { LOOPBACK } from '../programs/free-ports.ts';
import { describeExit, Program, type ProgramStart } from '../programs/program.ts';
import {
  echoStart,
  envoyStart,
  packageFiles,
  type RateLimitPorts,
  rateLimitServiceStart,
  redisStart,
} from '../programs/servers.ts';
import { type DemoConsole, type DemoConsolePlan, startConsole } from './demo-console.ts';
import { writeDemoDocument } from './demo-document.ts';
import { DemoFailure } from './demo-failure.ts';
import type { DemoKeyPairs } from './demo-keys.ts';
import type { DemoPorts } from './demo-ports.ts';
import { withMutualTlsListener } from './mutual-tls-listener.ts';
import type { DemoHost } from './run-demo.ts';

/** Where everything listens, and the programs to run. */
export interface DemoStackPlan {
  readonly ports: DemoPorts;
  readonly envoyProgram: string;
  /** The rate limit service and its Redis; null when limits are counted in the memory of Postern. */
  readonly rateLimits: {
    readonly ports: RateLimitPorts;
    readonly programs: Readonly<Record<'ratelimit' | 'redis', string>>;
  } | null;
  /** MongoDB and the console; null when endpoints and partners are read from the file. */
  readonly console: DemoConsolePlan | null;
  /** Those of the partner that is added to the document. */
  readonly keys: DemoKeyPairs;
}

/** A demo does not depend on fast counting. */
const COUNTING_DEADLINE_MS = 5000;
const STOP_DEADLINE_MS = 3000;
const FLUSH_INTERVAL_MS = 100;

/** The programs of the demo while they run; disposing of it ends them. */
export interface DemoStack extends AsyncDisposable {
  /** Aborted when the demo is interrupted, and with a {@link DemoFailure} when a program ends. */
  readonly signal: AbortSignal;
  /** How to sign in at the console; null without one. */
  readonly console: DemoConsole | null;
}

/**
 * Starts what counts limits, MongoDB with the console, the echo back end, Postern and Envoy; rejects, with nothing left
 * running, when one does not start. Postern runs in this process: it is there at once, its faults are exceptions, and
 * it cannot be left behind.
 */
export async function startDemoStack(plan: DemoStackPlan, host: DemoHost): Promise<DemoStack> {
  const { ports, rateLimits, envoyProgram, console: consolePlan, keys } = plan;
  const { signal, logs } = host;
  const lost = new AbortController();
  const parts = new OwnedParts();
  const run = async (start: ProgramStart): Promise<void> => {
    const program = await Program.start(start);
    parts.own({
      [Symbol.asyncDispose]: async () => {
        await program.stop(STOP_DEADLINE_MS);
      },
    });
    program.onOutput((piece) => {
      logs.write(start.title, piece);
    });
    const fault = await program.ready(start.isReady, signal);
    if (fault !== null) throw new DemoFailure(`${start.title} ${fault}.`);
    void program.ended.then((exit) => {
      lost.abort(new DemoFailure(`${start.title} ended unexpectedly with ${describeExit(exit)}.`));
    });
  };
  try {
    if (rateLimits !== null) {
      const { programs, ports: own } = rateLimits;
      await run(redisStart(programs.redis, own.redis));
      await run(await rateLimitServiceStart(programs.ratelimit, own, host.environment['PATH']));
    }
    const document = await writeDemoDocument(keys, parts, (error) => {
      logs.write('Demo', `${String(error)}\n`);
    });
    const console = consolePlan === null ? null : await startConsole(consolePlan, { document, parts, run, signal });
    await run(echoStart(ports.backend));
    const postern = parts.own(
      await startPostern(plan, console?.storeSettings ?? { POSTERN_STORE: `file:${document}` }, host),
    );
    await postern.ready;
    signal.throwIfAborted();
    await run(
      envoyStart({
        program: envoyProgram,
        config: ['--config-yaml', withMutualTlsListener(await envoyConfig(ports), ports.envoyTls, keys.certificates)],
        flushIntervalMs: FLUSH_INTERVAL_MS,
        adminPort: () => Promise.resolve(ports.envoyAdmin),
      }),
    );
    return Object.assign(parts, { signal: AbortSignal.any([signal, lost.signal]), console });
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

/** The committed configuration on these ports. Rejects with a {@link DemoFailure} when it was changed to others. */
export async function envoyConfig(ports: DemoPorts, path: string = packageFiles.envoyYaml): Promise<string> {
  const text = replacePorts(await readFile(path, 'utf8'), ports);
  if (typeof text === 'string') return text;
  throw new DemoFailure(
    `envoy.yaml was changed: it no longer has the port ${text.missing.join(', ')}, which the demo replaces. ` +
      'Run the demo with the envoy.yaml of this version.',
  );
}

async function startPostern(
  { ports, rateLimits }: DemoStackPlan,
  storeSettings: Readonly<Record<string, string>>,
  { clock, environment, logs }: DemoHost,
): Promise<Gateway> {
  // Settings in the caller's environment are for its own Postern, not for the demo's.
  const parsed = parseConfig({
    ...storeSettings,
    POSTERN_GRPC_ADDRESS: `${LOOPBACK}:${String(ports.posternGrpc)}`,
    POSTERN_HTTP_ADDRESS: `${LOOPBACK}:${String(ports.posternHttp)}`,
    POSTERN_ADMIN_ADDRESS: `${LOOPBACK}:${String(ports.posternAdmin)}`,
    POSTERN_PUBLIC_URL: `http://${LOOPBACK}:${String(ports.envoy)}`,
    ...(rateLimits === null
      ? {}
      : {
          POSTERN_RATE_LIMIT_SERVICE: `${LOOPBACK}:${String(rateLimits.ports.rateLimitGrpc)}`,
          POSTERN_RATE_LIMIT_DEADLINE_MS: String(COUNTING_DEADLINE_MS),
        }),
  });
  if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
  const write = (piece: string): void => {
    logs.write('Postern', piece);
  };
  try {
    const logger = createLogger('info', { write });
    return await startGateway({ config: parsed.config, environment, clock, logger });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DemoFailure(`Postern did not start: ${why}`, { cause: error });
  }
}
