import type { Clock } from '../clock.ts';
import { parseConfig } from '../config.ts';
import { startGateway } from '../gateway/gateway.ts';
import { createLogger } from '../observe/logger.ts';
import { DemoFailure } from './demo-failure.ts';
import { DemoProcess, LogTail, type ProgramStart } from './demo-process.ts';
import { DEMO_HOST, type DemoPorts, type RateLimitPorts } from './demo-ports.ts';
import { EchoBackend } from './echo-backend.ts';
import { envoyStart, packageFiles, rateLimitServiceStart, redisStart } from './programs.ts';

export interface DemoStackOptions {
  readonly ports: DemoPorts;
  readonly envoyProgram: string;
  /** Limits are kept by the rate limit service when it is there, and in the memory of Postern otherwise. */
  readonly rateLimits: DemoRateLimits | null;
  readonly clock: Clock;
  /** Monotonic, in milliseconds. */
  readonly elapsedMs: () => number;
  /** Environment variables that the demo's file may name. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Where the logs of Postern and Envoy go. */
  readonly logs: DemoLogs;
}

/** What the rate limit service and its Redis are run with. */
export interface DemoRateLimits {
  readonly ports: RateLimitPorts;
  readonly programs: Readonly<Record<'ratelimit' | 'redis', string>>;
}

/** The ends of all logs. */
export interface DemoLogs {
  readonly postern: LogTail;
  readonly envoy: LogTail;
  readonly rateLimitService: LogTail;
  readonly redis: LogTail;
}

export function createDemoLogs(): DemoLogs {
  return {
    postern: new LogTail('Postern'),
    envoy: new LogTail('Envoy'),
    rateLimitService: new LogTail('the rate limit service'),
    redis: new LogTail('Redis'),
  };
}

/** Whether counting is in time is nothing that a demo should depend on. */
const COUNTING_DEADLINE_MS = 5000;

/** Echo back end, Postern and Envoy, running, and what keeps limits. */
export interface DemoStack extends AsyncDisposable {
  /** Aborted when the demo is interrupted, and when a program has ended by itself, with a {@link DemoFailure}. */
  readonly signal: AbortSignal;
}

/**
 * Starts all of them; rejects, with nothing left running, when one cannot be had. Postern runs in this process: it is
 * there at once, its faults come as exceptions, and it cannot be left behind.
 */
export async function startDemoStack(options: DemoStackOptions): Promise<DemoStack> {
  const { ports, rateLimits, envoyProgram, signal, logs } = options;
  const parts: AsyncDisposable[] = [];
  const lost = new AbortController();
  const run = async (start: ProgramStart, log: LogTail): Promise<void> => {
    const started = await DemoProcess.start({ ...start, log, signal });
    parts.push(started);
    void started.ended.then((how) => {
      lost.abort(new DemoFailure(`${started.title} ended by itself, with ${how}.`));
    });
  };
  const dispose = async (): Promise<void> => {
    for (const part of parts.splice(0).reverse()) await part[Symbol.asyncDispose]();
  };
  try {
    if (rateLimits !== null) {
      const { programs, ports: own } = rateLimits;
      const path = options.environment['PATH'];
      await run(redisStart(programs.redis, own.redis), logs.redis);
      await run(await rateLimitServiceStart(programs.ratelimit, own, path), logs.rateLimitService);
    }
    parts.push(await EchoBackend.start(ports.backend));
    parts.push(await startPostern(options));
    signal.throwIfAborted();
    await run(await envoyStart(envoyProgram, ports), logs.envoy);
    return { signal: AbortSignal.any([signal, lost.signal]), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function startPostern({
  ports,
  rateLimits,
  clock,
  elapsedMs,
  environment,
  logs,
}: DemoStackOptions): Promise<AsyncDisposable> {
  // Settings of the caller's environment are for its own Postern, not for the demo's.
  const parsed = parseConfig({
    POSTERN_STORE: `file:${packageFiles.document}`,
    POSTERN_GRPC_ADDRESS: `${DEMO_HOST}:${String(ports.posternGrpc)}`,
    POSTERN_HTTP_ADDRESS: `${DEMO_HOST}:${String(ports.posternHttp)}`,
    POSTERN_ADMIN_ADDRESS: `${DEMO_HOST}:${String(ports.posternAdmin)}`,
    POSTERN_PUBLIC_URL: `http://${DEMO_HOST}:${String(ports.envoy)}`,
    ...(rateLimits === null
      ? {}
      : {
          POSTERN_RATE_LIMIT_SERVICE: `${DEMO_HOST}:${String(rateLimits.ports.rateLimitGrpc)}`,
          POSTERN_RATE_LIMIT_DEADLINE_MS: String(COUNTING_DEADLINE_MS),
        }),
  });
  if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
  try {
    return await startGateway({
      config: parsed.config,
      environment,
      clock,
      elapsedMs,
      logger: createLogger('info', logs.postern),
    });
  } catch (error) {
    throw new DemoFailure(`Postern did not start: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
