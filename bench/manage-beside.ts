/**
 * What reads of the management API cost the checks of `postern serve` on the same machine: `npm run build`, then
 * `node --import tsx bench/manage-beside.ts [--rounds N] [--seconds N] [--reads PER-SECOND] [--checks PER-SECOND]
 * [--apart]`. With `--apart`, `postern serve` and its driver have the first core, and all else has the others.
 *
 * Starts MongoDB, `postern serve` and `postern manage` on the loopback, sends checks at a steady rate, and reads the
 * management API in every other round. Prints medians of the rounds, and ends; with the usual figures after two minutes.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MongoClient } from 'mongodb';
import { formatKeyRing } from '../src/model/keyring/ring-document.ts';
import { ensureSchema } from '../src/stores/mongodb/migrate.ts';
import { acquireAll } from '../test/support/lifetime/release.ts';
import { startReplicaSet } from '../test/support/mongodb/replica-set.ts';
import { type Child, startChild } from '../test/support/process/child-process.ts';
import { drivePace, type Latencies, type Pace } from './driver/pace.ts';
import { keyRing, ringContent } from './fixtures/key-ring.ts';
import { type Read, startReading } from './manage/reader.ts';
import { appKeyOf, seed } from './mongodb/seed.ts';
import { buildGoPrograms } from './peers/go-build.ts';
import { readCpuUs } from './process/figures.ts';
import { createCheckEditor } from './requests/edit-check.ts';
import { writeMessages } from './requests/messages.ts';
import { readRecordedCheck } from './requests/recorded-check.ts';
import { median } from './statistics.ts';

const PARTNERS = 10_000;
/** Partners who call; all of them are in memory after the first round. */
const CALLERS = 200;
const executable = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const limits = { rounds: 20, seconds: 30, reads: 2000, checks: 5000 } as const;

/** What one round saw. */
interface Round {
  readonly checks: Latencies;
  /** Share of a core. */
  readonly serveCpu: number;
  readonly manageCpu: number;
  readonly read: Read | null;
}

const options = readOptions();
const coreOfChecks = options.apart ? 0 : null;
// Programs started from here on run where this one does.
if (options.apart) execFileSync('taskset', ['-cp', '1-1023', String(process.pid)], { stdio: 'ignore' });
const fault = buildGoPrograms();
if (fault !== null) throw new Error(fault);
await using measured = await start();
const rounds: { readonly alone: Round[]; readonly beside: Round[] } = { alone: [], beside: [] };
// Each caller is looked up once, slowly; then all are in memory.
await drivePace({ ...paceOf(measured), rate: 50, seconds: 8 }, coreOfChecks);
await measure(true);
const loadBefore = loadavg()[0] ?? NaN;
for (let round = 0; round < options.rounds; round += 1) {
  rounds.alone.push(await measure(false));
  rounds.beside.push(await measure(true));
}
report('checks alone', rounds.alone);
report(`beside ${String(options.reads)} reads/s`, rounds.beside);
const read = rounds.beside.flatMap((each) => (each.read === null ? [] : [each.read]));
const of = (name: 'perSecond' | 'p50Ms' | 'p99Ms'): string => median(read.map((each) => each[name])).toFixed(1);
console.log(`reads: ${of('perSecond')}/s, p50 ${of('p50Ms')} ms, p99 ${of('p99Ms')} ms, ${statusesOf(read)}`);
console.log(
  `${String(options.rounds)} rounds of ${String(options.seconds)} s each, in turn; ${String(options.checks)} checks/s;` +
    ` load average of the machine before ${loadBefore.toFixed(2)}`,
);

async function measure(isBeside: boolean): Promise<Round> {
  const { servePid, managePid, manage, token } = measured;
  let next = 0;
  const reading = isBeside
    ? startReading({
        ...{ port: manage, token, perSecond: options.reads },
        next: () => pathOf((next += 1)),
      })
    : null;
  const before = [readCpuUs(servePid), readCpuUs(managePid)] as const;
  const startMs = performance.now();
  const pace = { ...paceOf(measured), rate: options.checks, seconds: options.seconds };
  const { small } = await drivePace(pace, coreOfChecks);
  const elapsedUs = (performance.now() - startMs) * 1000;
  const read = (await reading?.stop()) ?? null;
  const [serveUs, manageUs] = [readCpuUs(servePid) - before[0], readCpuUs(managePid) - before[1]];
  return { checks: small, serveCpu: serveUs / elapsedUs, manageCpu: manageUs / elapsedUs, read };
}

function paceOf({ grpc, messages }: Measured): Omit<Pace, 'rate' | 'seconds'> {
  return { address: `127.0.0.1:${String(grpc)}`, messages, large: messages, largeRate: 0 };
}

/** What a page of the console or a script asks for. */
function pathOf(at: number): string {
  const id = `consumer-${String((at * 7919) % PARTNERS)}`;
  return at % 4 === 0 ? `/v1/credentials?consumer=${id}` : `/v1/consumers/${id}`;
}

interface Measured extends AsyncDisposable {
  readonly servePid: number;
  readonly managePid: number;
  readonly grpc: number;
  readonly manage: number;
  readonly token: string;
  /** The file of the checks. */
  readonly messages: string;
}

async function start(): Promise<Measured> {
  return await acquireAll(async (keep) => {
    const folder = await mkdtemp(join(tmpdir(), 'postern-manage-beside-'));
    keep({ [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) });
    const set = keep(await startReplicaSet({ members: 1 }));
    const client = keep(new MongoClient(set.uri('bench')));
    await ensureSchema(client.db());
    await seed(client.db(), PARTNERS, keyRing, ['key', 'hmac']);
    const ring = join(folder, 'keyring.yaml');
    await writeFile(ring, formatKeyRing(ringContent), { mode: 0o600 });
    const env = {
      ...{ POSTERN_STORE: set.uri('bench'), POSTERN_KEYRING: ring, POSTERN_LOG_LEVEL: 'info' },
      ...{ POSTERN_GRPC_ADDRESS: '127.0.0.1:0', POSTERN_HTTP_ADDRESS: '127.0.0.1:0' },
      ...{ POSTERN_ADMIN_ADDRESS: '127.0.0.1:0', POSTERN_MANAGE_ADDRESS: '127.0.0.1:0' },
    };
    const run = async (...args: readonly string[]): Promise<Child> =>
      keep(await startChild({ command: process.execPath, args: [executable, ...args], env }));
    const added = await run(...'operator add bench --role viewer -o json'.split(' '));
    if ((await added.ended).code !== 0) throw new Error(added.stderr());
    const { token } = (JSON.parse(added.stdout()) as { readonly token: { readonly token: string } }).token;
    const [serve, manage] = [await run('serve'), await run('manage')];
    if (options.apart) execFileSync('taskset', ['-acp', '0', String(serve.pid)], { stdio: 'ignore' });
    const portIn = async (child: Child, name: string): Promise<number> =>
      await child.line('stdout', (line) => {
        const [, port] = new RegExp(`"${name}":"127\\.0\\.0\\.1:(\\d+)"`).exec(line) ?? [];
        return port === undefined ? null : Number(port);
      });
    const messages = join(folder, 'checks.messages');
    const edit = createCheckEditor(readRecordedCheck().message);
    const checks = Array.from({ length: CALLERS }, (_, at) =>
      edit({ path: '/orders', headers: { 'x-app-key': appKeyOf(at) } }),
    );
    await writeMessages(messages, checks);
    return {
      ...{ servePid: serve.pid, managePid: manage.pid, token, messages },
      ...{ grpc: await portIn(serve, 'grpc'), manage: await portIn(manage, 'address') },
    };
  });
}

function report(what: string, seen: readonly Round[]): void {
  const figure = (pick: (round: Round) => number): number => median(seen.map(pick));
  const ms = (pick: (latencies: Latencies) => number): string =>
    (figure(({ checks }) => pick(checks)) / 1000).toFixed(2);
  const percent = (pick: (round: Round) => number): string => `${(100 * figure(pick)).toFixed(0)} %`;
  const each = seen.map(({ checks }) => (checks.p99Us / 1000).toFixed(2)).join(' ');
  console.log(
    `${what}: p50 ${ms(({ p50Us }) => p50Us)} ms, p99 ${ms(({ p99Us }) => p99Us)} ms (${each}); ` +
      `CPU of serve ${percent(({ serveCpu }) => serveCpu)}, of manage ${percent(({ manageCpu }) => manageCpu)} of a core`,
  );
}

function statusesOf(seen: readonly Read[]): string {
  const sum: Record<string, number> = {};
  for (const { statuses } of seen) {
    for (const [status, count] of Object.entries(statuses)) sum[status] = (sum[status] ?? 0) + count;
  }
  return Object.entries(sum)
    .map(([status, count]) => `${String(count)} × ${status}`)
    .join(', ');
}

interface Options extends Readonly<Record<keyof typeof limits, number>> {
  readonly apart: boolean;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '7' },
      seconds: { type: 'string', default: '8' },
      reads: { type: 'string', default: '1000' },
      checks: { type: 'string', default: '1000' },
      apart: { type: 'boolean', default: false },
    },
  });
  const read = (name: keyof typeof limits): number => {
    const value = Number(values[name]);
    if (Number.isInteger(value) && value >= 1 && value <= limits[name]) return value;
    throw new Error(`--${name} is a whole number from 1 to ${String(limits[name])}`);
  };
  const counts = { rounds: read('rounds'), seconds: read('seconds'), reads: read('reads'), checks: read('checks') };
  return { ...counts, apart: values.apart };
}
