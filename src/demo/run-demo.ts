import { once } from 'node:events';
import picocolors from 'picocolors';
import type { Clock } from '../clock.ts';
import { curlLine } from './curl-line.ts';
import { DemoInterrupted } from './demo-failure.ts';
import type { DemoOutput } from './demo-output.ts';
import { chooseDemoPorts, DEMO_HOST, type DemoPorts, requireFreePorts } from './demo-ports.ts';
import { type DemoLogs, startDemoStack } from './demo-stack.ts';
import { DemoClient } from './exchange.ts';
import { fetchEnvoy } from './fetch-envoy.ts';
import { type Moment, plainRequest } from './row.ts';
import { rowGroups } from './row-groups.ts';
import { makeRequest, runRow } from './run-row.ts';
import { StatusLine } from './status-line.ts';
import { renderGroupTitle, renderHead, renderRow } from './table.ts';

export interface DemoOptions {
  /** End after the table instead of running until `signal` is aborted. */
  readonly isOnce: boolean;
  /** See {@link chooseDemoPorts}. */
  readonly portBase: number | null;
  readonly useColor: boolean;
}

/** What the demo takes from the process it runs in. */
export interface DemoHost {
  readonly out: DemoOutput;
  /** For progress. */
  readonly err: DemoOutput;
  readonly clock: Clock;
  /** Monotonic, in milliseconds. */
  readonly elapsedMs: () => number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted with {@link DemoInterrupted} when the demo must end. */
  readonly signal: AbortSignal;
  readonly logs: DemoLogs;
}

/**
 * The demo (interfaces §1): starts a back end, Postern and Envoy, sends its requests and shows what comes. Gives the
 * number of rows that were not as expected. Rejects with a `DemoFailure` when it cannot go on and with
 * {@link DemoInterrupted} when it is interrupted before the table is whole. Whatever happens, nothing is left running.
 */
export async function runDemo(options: DemoOptions, host: DemoHost): Promise<number> {
  const ports = await chooseDemoPorts(options.portBase);
  await requireFreePorts(ports);
  const status = new StatusLine(host.err);
  const envoyProgram = await fetchEnvoy(status, host.signal);
  status.show('Starting a back end, Postern and Envoy');
  const stack = await startDemoStack({ ...host, ports, envoyProgram }).finally(() => {
    status.clear();
  });
  const client = new DemoClient(host.elapsedMs);
  let wrong = 0;
  try {
    const moment = (): Moment => ({
      authority: `${DEMO_HOST}:${String(ports.envoy)}`,
      nowSeconds: host.clock.nowSeconds(),
    });
    wrong = await showTable({ ...options, out: host.out, client, moment, signal: stack.signal });
    if (options.isOnce) return wrong;
    host.out.write(await curlLines(client, moment(), stack.signal));
    host.out.write(whatRuns(ports));
    await untilInterrupted(stack.signal);
  } finally {
    client[Symbol.dispose]();
    await stack[Symbol.asyncDispose]();
  }
  host.out.write('\n  Everything is stopped.\n');
  return wrong;
}

interface TableRun {
  readonly client: DemoClient;
  readonly moment: () => Moment;
  readonly signal: AbortSignal;
  readonly out: DemoOutput;
  readonly useColor: boolean;
}

async function showTable({ client, moment, signal, out, useColor }: TableRun): Promise<number> {
  const colors = picocolors.createColors(useColor);
  // The first request opens every connection on the way; that would be the latency of the first row.
  await client.send(plainRequest(moment(), 'GET', '/status'), signal);
  let [count, wrong] = [0, 0];
  out.write(
    `\n  Each request goes to Envoy on ${moment().authority}, and Envoy asks Postern.\n\n${renderHead(colors)}`,
  );
  for (const group of rowGroups) {
    out.write(renderGroupTitle(group.title, colors));
    for (const row of group.rows) {
      const shown = await runRow(row, client, moment, signal);
      out.write(renderRow(shown, colors));
      count += 1;
      if (!shown.isRight) wrong += 1;
    }
  }
  const summary =
    wrong === 0 ? `All ${String(count)} as expected.` : `${String(wrong)} of ${String(count)} not as expected.`;
  out.write(`\n  ${(wrong === 0 ? colors.green : colors.red)(summary)}\n`);
  return wrong;
}

async function curlLines(client: DemoClient, moment: Moment, signal: AbortSignal): Promise<string> {
  const lines: string[] = [];
  for (const row of rowGroups.flatMap(({ rows }) => rows)) {
    if (row.tryIt === undefined) continue;
    lines.push(`  # ${row.tryIt}`, `  ${curlLine(await makeRequest(row, client, moment, signal))}`);
  }
  return `\n  Try it:\n${lines.join('\n')}\n`;
}

function whatRuns(ports: DemoPorts): string {
  return `
  Envoy :${String(ports.envoy)} (admin :${String(ports.envoyAdmin)}) · Postern :${String(ports.posternGrpc)} (tokens :${String(ports.posternHttp)}, metrics :${String(ports.posternAdmin)}/metrics) · back end :${String(ports.backend)}
  Endpoints and partners are in examples/demo/postern.yaml. Ctrl-C ends the demo.
`;
}

async function untilInterrupted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
  if (!(signal.reason instanceof DemoInterrupted)) throw signal.reason;
}
