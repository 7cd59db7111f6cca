import { createSecretKey } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { formatKeyRing } from '../../src/model/keyring/ring-document.ts';
import { ensureSchema } from '../../src/stores/mongodb/migrate.ts';
import { startReplicaSet } from '../../test/support/mongodb/replica-set.ts';
import { type PosternProcess, startPostern } from '../../test/support/stack/postern-process.ts';
import { temporaryDirectory } from '../../test/support/lifetime/temporary-directory.ts';
import { readMemory } from '../process/figures.ts';
import { benchRing } from './bench-ring.ts';
import { type Asked, openCallers } from './capacity/callers.ts';
import { hitRatio } from './capacity/hit-ratio.ts';
import { evenNumbers } from './capacity/numbers.ts';
import { runCommand } from './capacity/run-command.ts';
import { splitExport } from './capacity/split-export.ts';
import { quantiles } from './quantiles.ts';
import { seed } from './seed.ts';

/**
 * What so many consumers cost, each with a credential and a grant: the figures of docs/sizing.md. One mongod, the built
 * `postern serve` and commands. `node --import tsx bench/mongodb/capacity.ts [COUNT] [look-ups] [hits] [commands] [memory]`;
 * all parts of 1 000 000 take about 20 minutes, 3 GB of disk and 3 GB of memory.
 */
const count = Number(process.argv[2] ?? 1_000_000);
const parts = process.argv.slice(3);
const isWanted = (part: string): boolean => parts.length === 0 || parts.includes(part);
const MONGOD_CACHE_GB = '1';
const LONE_LOOK_UPS = Math.min(5000, count / 10);
const TOGETHER_LOOK_UPS = Math.min(50_000, count / 4);
/** So many for each consumer. */
const HIT_RATIO_CHECKS = 4;
const APPLY_PARTS = 3;

const seconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} s`;
const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const heading = (text: string): void => {
  say(`\n${text} (load ${loadavg()[0]?.toFixed(1) ?? ''})`);
};

say(`${String(count)} consumers; ${String(cpus().length)} × ${cpus()[0]?.model ?? ''}, ${mebibytes(totalmem())}`);
await using set = await startReplicaSet({ args: ['--oplogSize', '990', '--wiredTigerCacheSizeGB', MONGOD_CACHE_GB] });
await using folder = await temporaryDirectory();
const keyRing = join(folder.path, 'keyring.yaml');
const key = { id: 'bench', key: createSecretKey(Buffer.alloc(32, 1)), createdAt: 0 };
await writeFile(keyRing, formatKeyRing({ currentKeyId: key.id, stagedKeyId: null, keys: [key] }), { mode: 0o600 });
const environment = { POSTERN_STORE: set.uri('bench'), POSTERN_KEYRING: keyRing, POSTERN_ACTOR: 'bench' };
await using client = new MongoClient(environment.POSTERN_STORE);

heading('Database');
await ensureSchema(client.db());
const startMs = performance.now();
await seed(client.db(), count, benchRing(), ['hmac', 'key']);
say(`made in ${seconds((performance.now() - startMs) / 1000)}`);
await client.db('admin').command({ fsync: 1 });
for (const name of ['consumers', 'credentials', 'grants']) {
  const stats = await client.db().command({ collStats: name });
  const sizes = ['size', 'storageSize', 'totalIndexSize'].map((field) => mebibytes(Number(stats[field])));
  say(`${name}: ${String(stats['count'])} documents, ${sizes.join(', ')} (data, on disk, indexes)`);
}
const whole = await client.db().command({ dbStats: 1 });
say(`together on disk ${mebibytes(Number(whole['storageSize']))}, indexes ${mebibytes(Number(whole['indexSize']))}`);

heading('Start');
for (let attempt = 0; attempt < 3; attempt += 1) {
  const spawnedMs = performance.now();
  await using postern = await startPostern('', environment);
  say(`ready ${seconds((performance.now() - spawnedMs) / 1000)} after its start; ${memoryOf(postern)}`);
}

if (isWanted('look-ups')) {
  heading('Look-ups of consumers not in memory');
  {
    await using postern = await startPostern('', environment);
    await using callers = await openCallers(postern.grpcPort);
    const unseen = evenNumbers(count);
    show('warm-up', await callers.ask(take(unseen, 200), 1));
    show('one after the other, not in memory', await callers.ask(take(unseen, LONE_LOOK_UPS), 1));
    show('six at once, not in memory', await callers.ask(take(unseen, TOGETHER_LOOK_UPS), 6));
    const seen = [...take(evenNumbers(count), LONE_LOOK_UPS)];
    show('one after the other, in memory', await callers.ask(seen, 1));
    show('six at once, in memory', await callers.ask(seen, 6));
  }
}

if (isWanted('hits')) {
  heading('Hit ratio by cache entries, few call much and many call little (Zipf, exponent 1)');
  for (const share of [0.001, 0.01, 0.03, 0.1, 0.3]) {
    const ratio = await hitRatio(count, Math.floor(count * share), count * HIT_RATIO_CHECKS);
    say(`${String(Math.floor(count * share))} entries: ${(100 * ratio).toFixed(1)} % from memory`);
  }
}

if (isWanted('commands')) {
  heading('Commands');
  const exported = join(folder.path, 'exported.yaml');
  for (const line of [
    'doctor',
    'consumer show consumer-711',
    'credential list --consumer consumer-711',
    'consumer list -o json',
    'keyring rewrap --dry-run',
    `export --with-secrets --to ${exported}`,
  ]) {
    const cost = await runCommand(line.split(' '), environment);
    say(`postern ${line.replace(exported, 'FILE')}: ${seconds(cost.seconds)}, at most ${cost.peakMiB.toFixed(0)} MiB`);
  }
  say(`the exported file has ${mebibytes((await stat(exported)).size)}`);

  heading(`apply into an empty database, in ${String(APPLY_PARTS)} files`);
  const other = { ...environment, POSTERN_STORE: set.uri('restored') };
  for (const path of await splitExport(exported, APPLY_PARTS, count)) {
    const cost = await runCommand(['apply', '-f', path], other);
    const size = mebibytes((await stat(path)).size);
    say(`${size}: ${seconds(cost.seconds)}, at most ${cost.peakMiB.toFixed(0)} MiB`);
  }
  for (const name of ['consumers', 'credentials', 'grants', 'audit']) {
    say(`${name}: ${String(await client.db('restored').collection(name).estimatedDocumentCount())}`);
  }
  const audit = await client.db('restored').command({ collStats: 'audit' });
  say(
    `audit: ${mebibytes(Number(audit['storageSize']))} on disk, ${mebibytes(Number(audit['totalIndexSize']))} indexes`,
  );
}

if (isWanted('memory')) {
  heading('Memory by credentials held');
  {
    await using postern = await startPostern('', { ...environment, POSTERN_CREDENTIAL_CACHE_ENTRIES: String(count) });
    await using callers = await openCallers(postern.grpcPort);
    const numbers = evenNumbers(count);
    let asked = 0;
    for (const share of [0.001, 0.01, 0.03, 0.05, 0.1]) {
      await callers.ask(take(numbers, count * share - asked), 6);
      asked = count * share;
      const held = await metric(postern, 'postern_credential_cache_entries');
      say(`${String(held)} held: ${memoryOf(postern)}`);
    }
  }
}

function memoryOf({ pid }: PosternProcess): string {
  const { residentMiB, peakMiB } = readMemory(pid);
  return `resident ${residentMiB.toFixed(0)} MiB, at most ${peakMiB.toFixed(0)} MiB`;
}

function show(what: string, { tookMs, refused, seconds: took }: Asked): void {
  const rate = (tookMs.length / took).toFixed(0);
  say(`${what}: ${String(tookMs.length)} checks, ${String(refused)} not allowed, ${rate}/s, ${quantiles(tookMs)}`);
}

async function metric(postern: PosternProcess, name: string): Promise<number> {
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(await postern.metrics())?.[1] ?? Number.NaN);
}

function* take(numbers: Iterator<number>, limit: number): Generator<number> {
  for (let taken = 0; taken < limit; taken += 1) {
    const item = numbers.next();
    if (item.done === true) return;
    yield item.value;
  }
}
