/**
 * How soon a change decides at two replicas, alone and beside checks: `npm run build`, then
 * `node --import tsx bench/mongodb/changes-beside.ts [CHECKS-PER-SECOND] [ROUNDS]` (4000 in all, and 10 if not given).
 *
 * Starts MongoDB and two `postern serve` on the loopback. In turns of five seconds, without checks and with half of
 * them at each replica, credentials are revoked and given back by the transactions that commands make; both replicas
 * are asked all the time by checks of their own. Prints the times from the first write until both decide by it.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { systemClock } from '../../src/base/clock.ts';
import { CheckResponse } from '../../src/gen/envoy/service/auth/v3/external_auth.ts';
import { formatKeyRing } from '../../src/model/keyring/ring-document.ts';
import { ensureSchema } from '../../src/stores/mongodb/migrate.ts';
import { MongoResourceStore } from '../../src/stores/mongodb/resource-store.ts';
import { Channel } from '../../src/wire/grpc-client/channel.ts';
import { acquireAll } from '../../test/support/lifetime/release.ts';
import { startReplicaSet } from '../../test/support/mongodb/replica-set.ts';
import { startChild } from '../../test/support/process/child-process.ts';
import { drivePace } from '../driver/pace.ts';
import { keyRing, ringContent } from '../fixtures/key-ring.ts';
import { buildGoPrograms } from '../peers/go-build.ts';
import { createCheckEditor } from '../requests/edit-check.ts';
import { writeMessages } from '../requests/messages.ts';
import { readRecordedCheck } from '../requests/recorded-check.ts';
import { median } from '../statistics.ts';
import { flipCredential } from './flip-credential.ts';
import { quantileOf, quantiles } from './quantiles.ts';
import { appKeyOf, seed } from './seed.ts';

const [perSecond = 4000, rounds = 10] = process.argv.slice(2).map(Number);
const executable = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const REPLICAS = 2;
/** Those that change, and behind them those that call. */
const CHANGING = 10;
const CALLERS = 200;
const ROUND_MS = 5000;
/** Checks begin before the first change, and end after the last one. */
const MARGIN_MS = 1000;
const ASK_WITHIN_MS = 2000;
const UNAVAILABLE = 503;

const fault = buildGoPrograms();
if (fault !== null) throw new Error(fault);
const edit = createCheckEditor(readRecordedCheck().message);
const checkOf = (number: number): Buffer => edit({ path: '/orders', headers: { 'x-app-key': appKeyOf(number) } });
const asked = Array.from({ length: CHANGING + CALLERS }, (_, number) => checkOf(number));

await using started = await start();
const { resources, replicas, messages } = started;
const times = { alone: [] as number[], beside: [] as number[] };
const ratios: number[] = [];
// Every caller is in memory before the first round.
for (let number = 0; number < CHANGING + CALLERS; number += 1) await untilAll(number, 'active');
await beside(perSecond / REPLICAS / 2);
for (let round = 0; round < rounds; round += 1) {
  const alone = await changeFor();
  const [busy] = await Promise.all([changeFor(), beside(perSecond / REPLICAS)]);
  times.alone.push(...alone);
  times.beside.push(...busy);
  ratios.push(quantileOf(busy, 0.99) / quantileOf(alone, 0.99));
}
const p99Ratio = quantileOf(times.beside, 0.99) / quantileOf(times.alone, 0.99);
console.log(`from the first write until both replicas decide by it, ${String(rounds)} rounds:`);
console.log(`  alone:                  ${quantiles(times.alone)} (${String(times.alone.length)} changes)`);
console.log(
  `  beside ${String(perSecond)} checks/s:  ${quantiles(times.beside)} (${String(times.beside.length)} changes)`,
);
console.log(`  p99 beside ÷ alone: ${p99Ratio.toFixed(2)} of all, ${median(ratios).toFixed(2)} in the median round`);
console.log(`  load average of the machine: ${String(loadavg()[0]?.toFixed(1))}`);

/** Calls both replicas at this rate for a round and its margins. */
async function beside(rate: number): Promise<void> {
  const seconds = (ROUND_MS + 2 * MARGIN_MS) / 1000;
  const pace = { messages, rate, seconds, large: messages, largeRate: 0 };
  await Promise.all(replicas.map(async ({ address }) => await drivePace({ ...pace, address })));
}

/** Makes changes one after the other for a round. */
async function changeFor(): Promise<readonly number[]> {
  await pause(MARGIN_MS);
  const tookMs: number[] = [];
  const endMs = performance.now() + ROUND_MS;
  for (let change = 0; performance.now() < endMs; change += 1) {
    const { startMs, seenMs } = await flipCredential(resources, change % CHANGING, untilAll);
    tookMs.push(seenMs - startMs);
  }
  await pause(MARGIN_MS);
  return tookMs;
}

/** Asks all replicas all the time, as callers would, until each decides by this state; gives when the last one did. */
async function untilAll(number: number, state: string): Promise<number> {
  const until = async ({ stateOf }: Replica): Promise<number> => {
    while ((await stateOf(number)) !== state) await pause(1);
    return performance.now();
  };
  return Math.max(...(await Promise.all(replicas.map(until))));
}

interface Replica {
  readonly address: string;
  /** By which state of a credential it decides at this moment; null where it cannot say. */
  readonly stateOf: (number: number) => Promise<'active' | 'revoked' | null>;
}

async function start() {
  return await acquireAll(async (keep) => {
    const folder = await mkdtemp(join(tmpdir(), 'postern-changes-beside-'));
    keep({ [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) });
    const set = keep(await startReplicaSet({ members: 1 }));
    const uri = set.uri('bench');
    const client = keep(new MongoClient(uri, { writeConcern: { w: 'majority' } }));
    await ensureSchema(client.db());
    await seed(client.db(), CHANGING + CALLERS, keyRing, ['key', 'hmac']);
    const ring = join(folder, 'keyring.yaml');
    await writeFile(ring, formatKeyRing(ringContent), { mode: 0o600 });
    const env = {
      ...{ POSTERN_STORE: uri, POSTERN_KEYRING: ring, POSTERN_GRPC_ADDRESS: '127.0.0.1:0' },
      ...{ POSTERN_HTTP_ADDRESS: '127.0.0.1:0', POSTERN_ADMIN_ADDRESS: '127.0.0.1:0' },
    };
    const replicas: Replica[] = [];
    for (let at = 0; at < REPLICAS; at += 1) {
      const child = keep(await startChild({ command: process.execPath, args: [executable, 'serve'], env }));
      const address = await child.line('stdout', (line) => /"grpc":"([^"]+)"/.exec(line)?.[1] ?? null);
      const [host = '', port = ''] = address.split(':');
      const channel = new Channel({
        address: { host, port: Number(port) },
        path: '/envoy.service.auth.v3.Authorization/Check',
        userAgent: 'postern-bench',
        tls: null,
        clock: systemClock,
      });
      keep({
        [Symbol.asyncDispose]: () => {
          channel[Symbol.dispose]();
          return Promise.resolve();
        },
      });
      const stateOf: Replica['stateOf'] = async (number) => {
        const message = asked[number] ?? Buffer.alloc(0);
        const { httpResponse } = CheckResponse.decode(await channel.call(message, systemClock.nowMs() + ASK_WITHIN_MS));
        if (httpResponse?.$case !== 'deniedResponse') return 'active';
        return httpResponse.value.status?.code === UNAVAILABLE ? null : 'revoked';
      };
      replicas.push({ address, stateOf });
    }
    const messages = join(folder, 'checks.messages');
    await writeMessages(messages, asked.slice(CHANGING));
    const resources = new MongoResourceStore({
      db: client.db(),
      sealer: keyRing,
      clock: systemClock,
      onFault: ({ problem }) => {
        throw new Error(problem);
      },
    });
    return { resources, replicas, messages };
  });
}
