import { MongoClient } from 'mongodb';
import { ensureSchema } from '../../src/stores/mongodb/migrate.ts';
import { RawClient } from '../../test/support/grpc/raw-client.ts';
import { startReplicaSet } from '../../test/support/mongodb/replica-set.ts';
import { checkRequest } from '../../test/support/pipeline/check-request.ts';
import { createRingFile } from '../../test/support/keyring/ring-file.ts';
import { testKeyRing } from '../../test/support/keyring/test-key-ring.ts';
import { startPostern } from '../../test/support/stack/postern-process.ts';
import { appKeyOf, seed } from './seed.ts';

/**
 * Whether the time of an answer shows which App Keys exist. Asks a replica over gRPC, in turns, for App Keys that are known
 * but refused (they are of another method) and for invented ones, each of which is new; once with no other load, and once
 * beside a flood of invented App Keys on another connection. Prints the medians, the chance that a known one takes
 * longer (Mann-Whitney; 0.5 shows nothing) and its z value: beyond ±3 so many samples distinguish the two.
 * `node_modules/.bin/tsc -p tsconfig.json`, then `node --import tsx bench/mongodb/app-key-timing.ts [SAMPLES]`: half a minute.
 */
const samples = Number(process.argv[2] ?? 10_000);
const KNOWN = 100;
const CHECK = '/envoy.service.auth.v3.Authorization/Check';
const FLOOD_PARALLEL = 8;

await using set = await startReplicaSet();
const uri = set.uri('bench');
{
  await using client = new MongoClient(uri);
  await ensureSchema(client.db());
  await seed(client.db(), 10_000, testKeyRing());
}
await using ring = await createRingFile({ current: 1 });
const settings = { POSTERN_STORE: uri, POSTERN_KEYRING: ring.path, POSTERN_LOG_LEVEL: 'info' };
await using replica = await startPostern('', settings, ['--max-old-space-size=640']);
await replica.logLine(({ message }) => String(message).startsWith('all App Keys are known'));
const port = replica.grpcPort;
let invented = 0;
const ask = async (client: RawClient, appKey: string): Promise<void> => {
  await client.call(CHECK, checkRequest({ path: `/orders?appKey=${appKey}` }));
};
/** As long as those that are known, and each of them new. */
const inventedKey = (): string => `no-key-${(invented += 1).toString(36).padStart(5, '0')}`;

await using client = await RawClient.connect({ kind: 'tcp', host: '127.0.0.1', port });
for (let at = 0; at < KNOWN * 20; at += 1) await ask(client, appKeyOf(1000 + (at % KNOWN)));
await measure('in peace', client);
let isFlooding = true;
let flooded = 0;
await using attacker = await RawClient.connect({ kind: 'tcp', host: '127.0.0.1', port });
const flood = Promise.all(
  Array.from({ length: FLOOD_PARALLEL }, async () => {
    while (isFlooding) {
      await ask(attacker, inventedKey());
      flooded += 1;
    }
  }),
);
const startMs = performance.now();
await measure('in a flood', client);
const perSecond = (flooded / (performance.now() - startMs)) * 1000;
isFlooding = false;
await flood;
console.log(`the flood: ${perSecond.toFixed(0)} invented App Keys a second`);

async function measure(state: string, client: RawClient): Promise<void> {
  const times: { readonly isKnown: boolean; readonly ms: number }[] = [];
  for (let at = 0; at < 2 * samples; at += 1) {
    const isKnown = Math.random() < 0.5;
    const appKey = isKnown ? appKeyOf(1000 + (at % KNOWN)) : inventedKey();
    const startMs = performance.now();
    await ask(client, appKey);
    times.push({ isKnown, ms: performance.now() - startMs });
  }
  const median = (isKnown: boolean): number => {
    const sorted = times.filter((each) => each.isKnown === isKnown).map(({ ms }) => ms);
    sorted.sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  const { chance, z } = compare(times);
  console.log(
    `${state.padEnd(11)} known ${median(true).toFixed(4)} ms, invented ${median(false).toFixed(4)} ms, ` +
      `chance ${chance.toFixed(4)}, z ${z.toFixed(2)} (${String(times.length)} answers)`,
  );
}

/** Mann-Whitney's U: how likely a known one takes longer than an invented one, and how far that is from chance. */
function compare(times: readonly { readonly isKnown: boolean; readonly ms: number }[]): { chance: number; z: number } {
  const sorted = [...times].sort((a, b) => a.ms - b.ms);
  let ranks = 0;
  let known = 0;
  for (const [index, { isKnown }] of sorted.entries()) {
    if (!isKnown) continue;
    ranks += index + 1;
    known += 1;
  }
  const others = sorted.length - known;
  const u = ranks - (known * (known + 1)) / 2;
  const deviation = Math.sqrt((known * others * (known + others + 1)) / 12);
  return { chance: u / (known * others), z: (u - (known * others) / 2) / deviation };
}
