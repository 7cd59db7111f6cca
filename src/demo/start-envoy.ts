import { DemoProcess } from './demo-process.ts';
import { DEMO_HOST, type DemoPorts } from './demo-ports.ts';
import { envoyConfigArguments } from './envoy-config.ts';
import type { LogTail } from './log-tail.ts';

export interface EnvoyOptions {
  readonly program: string;
  readonly ports: DemoPorts;
  readonly log: LogTail;
  readonly signal: AbortSignal;
}

/** Starts Envoy with the committed envoy.yaml and waits until it serves. Rejects, with nothing left running, when it does not. */
export async function startEnvoy({ program, ports, log, signal }: EnvoyOptions): Promise<DemoProcess> {
  const ready = `http://${DEMO_HOST}:${String(ports.envoyAdmin)}/ready`;
  return await DemoProcess.start({
    title: 'Envoy',
    program,
    args: [
      ...(await envoyConfigArguments(ports)),
      // No shared memory: an Envoy that runs on this machine already is none of our business.
      ...['--disable-hot-restart', '--concurrency', '1', '--file-flush-interval-msec', '100'],
      ...['--log-level', 'warning', '--component-log-level', 'main:info'],
    ],
    isReady: async (until) => (await fetch(ready, { signal: until })).ok,
    log,
    signal,
  });
}
