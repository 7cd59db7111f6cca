import type { Clock } from '../clock.ts';
import { parseConfig } from '../config.ts';
import { startGateway } from '../gateway.ts';
import { createLogger } from '../observe/logger.ts';
import { DemoFailure } from './demo-failure.ts';
import { DEMO_HOST, type DemoPorts } from './demo-ports.ts';
import { EchoBackend } from './echo-backend.ts';
import { envoyConfigArguments } from './envoy-config.ts';
import { EnvoyProcess } from './envoy-process.ts';
import { LogTail } from './log-tail.ts';
import { packageFiles } from './package-files.ts';

export interface DemoStackOptions {
  readonly ports: DemoPorts;
  readonly envoyProgram: string;
  readonly clock: Clock;
  /** Monotonic, in milliseconds. */
  readonly elapsedMs: () => number;
  /** Environment variables that the demo's file may name. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Where the logs of Postern and Envoy go. */
  readonly logs: DemoLogs;
}

/** The ends of both logs. */
export interface DemoLogs {
  readonly postern: LogTail;
  readonly envoy: LogTail;
}

export function createDemoLogs(): DemoLogs {
  return { postern: new LogTail('Postern'), envoy: new LogTail('Envoy') };
}

/** Echo back end, Postern and Envoy, running. */
export interface DemoStack extends AsyncDisposable {
  /** Aborted when the demo is interrupted, and when Envoy has ended by itself, with a {@link DemoFailure}. */
  readonly signal: AbortSignal;
}

/**
 * Starts all three; rejects, with nothing left running, when one cannot be had. Postern runs in this process: it is
 * there at once, its faults come as exceptions, and it cannot be left behind.
 */
export async function startDemoStack(options: DemoStackOptions): Promise<DemoStack> {
  const { ports, signal, logs } = options;
  const parts: AsyncDisposable[] = [];
  const dispose = async (): Promise<void> => {
    for (const part of parts.splice(0).reverse()) await part[Symbol.asyncDispose]();
  };
  try {
    parts.push(await EchoBackend.start(ports.backend));
    parts.push(await startPostern(options));
    signal.throwIfAborted();
    const envoy = await EnvoyProcess.start({
      program: options.envoyProgram,
      configArguments: await envoyConfigArguments(ports),
      adminPort: ports.envoyAdmin,
      log: logs.envoy,
      signal,
    });
    parts.push(envoy);
    const lost = new AbortController();
    void envoy.ended.then((how) => {
      lost.abort(new DemoFailure(`Envoy ended by itself, with ${how}.`));
    });
    return { signal: AbortSignal.any([signal, lost.signal]), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function startPostern({
  ports,
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
