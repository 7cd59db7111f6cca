import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { Program } from '../../src/cli/programs/program.ts';
import { setUpEnvoy } from '../../test/support/envoy/envoy.ts';
import { neededGoProgram } from '../peers/go-build.ts';
import { type Need, neededService, type RunningPeer } from '../peers/peer.ts';
import { type EnvoyChain, envoyConfig } from './chain.ts';

/** Envoy's own default: its access log is part of what it costs. */
const FLUSH_INTERVAL_MS = 10_000;
const shownCharacters = 1000;

/** What rows through Envoy need. */
export const envoyNeeds: readonly Need[] = [
  neededGoProgram('httpdrive'),
  neededGoProgram('backend'),
  neededService('envoy'),
];

/** What stands around an Envoy. */
interface Surroundings {
  /** The processes of one service. */
  readonly services: readonly RunningPeer[];
  readonly backend: RunningPeer;
  /** Gets a folder with its configuration. */
  readonly directory: string;
}

/** Starts Envoy between callers, a service and a back end. */
export async function startEnvoy(
  chain: EnvoyChain,
  { services, backend, directory }: Surroundings,
): Promise<RunningPeer> {
  // No row asks for tokens through Envoy: its health checks of that listener go to the back end, which says yes.
  const backendPort = portOf(backend);
  const config = envoyConfig(chain, {
    services: services.map(({ address }) => address),
    posternHttp: backendPort,
    backend: backendPort,
  });
  const folder = await mkdtemp(join(directory, 'envoy-'));
  const { start, listenerPort } = await setUpEnvoy(JSON.stringify(config), folder, {
    flushIntervalMs: FLUSH_INTERVAL_MS,
  });
  const program = await Program.start(start);
  let complaint = '';
  program.onOutput((piece, stream) => {
    // The access log is read and dropped.
    if (stream === 'stderr') complaint = (complaint + piece).slice(-shownCharacters);
  });
  const fault = await program.ready(start.isReady);
  if (fault !== null) {
    await program.stop();
    throw new Error(`Envoy ${fault}:\n${complaint}`);
  }
  return {
    pid: program.pid,
    address: `127.0.0.1:${String(await listenerPort())}`,
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

function portOf({ address }: RunningPeer): number {
  return Number(address.split(':').at(-1));
}
