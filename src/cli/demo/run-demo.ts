import { once } from 'node:events';
import picocolors from 'picocolors';
import { findServices } from '../../../services/install-services.mjs';
import type { Clock } from '../../base/clock.ts';
import { LOOPBACK } from '../programs/free-ports.ts';
import type { ConsolePorts, RateLimitPorts } from '../programs/servers.ts';
import { curlCommand } from '../../check/signing/curl-command.ts';
import type { DemoLogs } from './demo-logs.ts';
import type { DemoConsole } from './demo-console.ts';
import {
  chooseConsolePorts,
  chooseDemoPorts,
  chooseRateLimitPorts,
  type DemoPorts,
  requireFreePorts,
} from './demo-ports.ts';
import { DemoInterrupted } from './demo-failure.ts';
import { makeDemoKeyPairs } from './demo-keys.ts';
import { startDemoStack } from './demo-stack.ts';
import { DemoClient } from './exchange.ts';
import { type DemoOutput, fetchPrograms, StatusLine } from './fetch-programs.ts';
import { type Moment, plainRequest, type RowGroup } from './row.ts';
import { accessRows } from './rows/access.ts';
import { certificateRows } from './rows/certificate.ts';
import { hmacRows } from './rows/hmac.ts';
import { httpMessageSignatureRows } from './rows/http-message-signature.ts';
import { identityRows } from './rows/identity.ts';
import { jwtRows } from './rows/jwt.ts';
import { keyRows } from './rows/key.ts';
import { oauth2Rows } from './rows/oauth2.ts';
import { parameterSignatureRows } from './rows/parameter-signature.ts';
import { privateKeyRows } from './rows/private-key.ts';
import { replayRows } from './rows/replay.ts';
import { routingRows } from './rows/routing.ts';
import { makeRequest, runRow } from './run-row.ts';
import { renderGroupTitle, renderHead, renderRow } from './table.ts';

/** What the operator asked of the demo. */
export interface DemoOptions {
  /** End after the table instead of running until `signal` is aborted. */
  readonly isOnce: boolean;
  /** See {@link chooseDemoPorts}. */
  readonly portBase: number | null;
  readonly useColor: boolean;
  /** Keep limits in Envoy's rate limit service with Redis, which are started too. */
  readonly hasRateLimitService: boolean;
  /** Serve the console, from a MongoDB that is started too; `if-there`: when MongoDB is installed. */
  readonly console: 'if-there' | 'none' | 'wanted';
}

/** What the demo takes from the process it runs in. */
export interface DemoHost {
  readonly out: DemoOutput;
  readonly err: DemoOutput;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted with {@link DemoInterrupted} when the demo must end. */
  readonly signal: AbortSignal;
  readonly logs: DemoLogs;
}

/**
 * The demo (interfaces §1): starts a back end, Postern and Envoy, sends its requests and shows what comes. Gives the
 * number of rows that were not as expected. Rejects with a `DemoFailure` when it cannot go on and with
 * {@link DemoInterrupted} when it is interrupted before the table is whole. In every case nothing is left running.
 */
export async function runDemo(options: DemoOptions, host: DemoHost): Promise<number> {
  const ports = await chooseDemoPorts(options.portBase);
  const limitPorts = options.hasRateLimitService ? await chooseRateLimitPorts(options.portBase) : null;
  const hasConsole = await isConsoleShown(options.console, host.signal);
  const consolePorts = hasConsole ? await chooseConsolePorts(options.portBase) : null;
  await requireFreePorts({ ...ports, ...limitPorts, ...consolePorts });
  const status = new StatusLine(host.err);
  const { envoy: envoyProgram } = await fetchPrograms(['envoy'], status, host.signal);
  const rateLimits =
    limitPorts === null
      ? null
      : { ports: limitPorts, programs: await fetchPrograms(['ratelimit', 'redis'], status, host.signal) };
  const console =
    consolePorts === null
      ? null
      : { ports: consolePorts, mongodbProgram: (await fetchPrograms(['mongodb'], status, host.signal)).mongodb };
  const more = `${rateLimits === null ? '' : 'Redis, the rate limit service, '}${console === null ? '' : 'MongoDB, the console, '}`;
  status.show(`Starting ${more}a back end, Postern and Envoy`);
  const keys = makeDemoKeyPairs();
  const stack = await startDemoStack({ ports, envoyProgram, rateLimits, console, keys }, host).finally(() => {
    status.clear();
  });
  const client = new DemoClient(host.clock);
  let wrong = 0;
  try {
    const moment = (): Moment => ({
      authority: `${LOOPBACK}:${String(ports.envoy)}`,
      tlsAuthority: `${LOOPBACK}:${String(ports.envoyTls)}`,
      nowSeconds: host.clock.nowSeconds(),
      keys,
    });
    wrong = await showTable({ ...options, out: host.out, client, moment, signal: stack.signal });
    if (options.isOnce) return wrong;
    host.out.write(await curlLines(client, moment(), stack.signal));
    host.out.write(whatRuns(ports, limitPorts, consolePorts));
    host.out.write(howToSignIn(stack.console));
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
  readonly hasRateLimitService: boolean;
}

async function showTable({ client, moment, signal, out, useColor, hasRateLimitService }: TableRun): Promise<number> {
  const colors = picocolors.createColors(useColor);
  // The first request opens every connection on the way; that would be the latency of the first row.
  await client.send(plainRequest(moment(), 'GET', '/status'), signal);
  let [count, wrong] = [0, 0];
  out.write(
    `\n  Each request goes to Envoy on ${moment().authority}, and Envoy asks Postern.\n  ${whereLimitsAre(hasRateLimitService)}\n\n${renderHead(colors)}`,
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

function whereLimitsAre(hasRateLimitService: boolean): string {
  return hasRateLimitService
    ? "Limits are kept by Envoy's rate limit service, in Redis."
    : 'Limits are kept in the memory of Postern; --with-ratelimit keeps them in Redis.';
}

async function curlLines(client: DemoClient, moment: Moment, signal: AbortSignal): Promise<string> {
  const lines: string[] = [];
  for (const row of rowGroups.flatMap(({ rows }) => rows)) {
    if (row.tryIt === undefined) continue;
    const request = await makeRequest(row, client, moment, signal);
    lines.push(`# ${row.tryIt}`, ...curlCommand(request, `http://${request.authority}`).split('\n'));
  }
  return `\n  Try it:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** A demo that ends after its table shows no console, and what would have to be fetched is fetched on request only. */
async function isConsoleShown(wish: DemoOptions['console'], signal: AbortSignal): Promise<boolean> {
  if (wish !== 'if-there') return wish === 'wanted';
  return (await findServices(['mongodb'], { signal })).mongodb !== null;
}

function whatRuns(ports: DemoPorts, limitPorts: RateLimitPorts | null, consolePorts: ConsolePorts | null): string {
  const limits =
    limitPorts === null
      ? ''
      : `\n  rate limit service :${String(limitPorts.rateLimitGrpc)} (metrics :${String(limitPorts.rateLimitMetrics)}/metrics) · Redis :${String(limitPorts.redis)}`;
  return `
  Envoy :${String(ports.envoy)} (mutual TLS :${String(ports.envoyTls)}, admin :${String(ports.envoyAdmin)}) · Postern :${String(ports.posternGrpc)} (tokens :${String(ports.posternHttp)}, metrics :${String(ports.posternAdmin)}/metrics) · back end :${String(ports.backend)}${limits}
  Endpoints and partners are ${consolePorts === null ? 'in' : `in MongoDB :${String(consolePorts.mongodb)}, from`} examples/demo/postern.yaml.
  The key pairs and certificates of cumulus were made for this run.
`;
}

function howToSignIn(console: DemoConsole | null): string {
  const lines =
    console === null
      ? ['The console, with MongoDB, is left out: npm run demo -- --with-console']
      : [
          `The console, where they can be changed: ${console.address}`,
          `Sign in with this token: ${console.token}`,
          'What is changed is in force within a second, and gone with the demo.',
        ];
  return `\n${[...lines, 'Ctrl-C ends the demo.'].map((line) => `  ${line}\n`).join('')}`;
}

async function untilInterrupted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
  if (!(signal.reason instanceof DemoInterrupted)) throw signal.reason;
}

/** The whole table, in its order. A method of authentication adds a file to rows/ and a name here. */
export const rowGroups: readonly RowGroup[] = [
  keyRows,
  hmacRows,
  parameterSignatureRows,
  httpMessageSignatureRows,
  oauth2Rows,
  privateKeyRows,
  jwtRows,
  certificateRows,
  accessRows,
  replayRows,
  identityRows,
  routingRows,
];
