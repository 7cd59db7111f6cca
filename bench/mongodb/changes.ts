import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { systemClock } from '../../src/base/clock.ts';
import { StoreUnavailable } from '../../src/check/store/credential-source.ts';
import { ensureSchema } from '../../src/stores/mongodb/migrate.ts';
import { MongoResourceStore } from '../../src/stores/mongodb/resource-store.ts';
import type { MongoCheckStore } from '../../src/stores/mongodb/mongo-check-store.ts';
import { startReplicaSet } from '../../test/support/mongodb/replica-set.ts';
import { benchRing } from './bench-ring.ts';
import { flipCredential } from './flip-credential.ts';
import { openBenchStore } from './open-bench-store.ts';
import { quantiles } from './quantiles.ts';
import { appKeyOf, seed } from './seed.ts';

/**
 * How soon a change decides on two replicas: 200 credentials revoked and given back in turn, by the transactions that
 * commands make. `node --import tsx bench/mongodb/changes.ts [1|3]`: members of the replica set.
 */
const CHANGES = 200;
const members = process.argv[2] === '3' ? 3 : 1;

await using set = await startReplicaSet({ members });
const uri = set.uri('bench');
await using client = new MongoClient(uri, { writeConcern: { w: 'majority' } });
await ensureSchema(client.db());
await seed(client.db(), 10, benchRing());
await using first = openBenchStore(uri);
await using second = openBenchStore(uri);
await Promise.all([first.ready, second.ready]);
const resources = new MongoResourceStore({
  db: client.db(),
  sealer: benchRing(),
  clock: systemClock,
  onFault: (fault) => {
    throw new Error(fault.problem);
  },
});

let refused = 0;
const fromBeginning: number[] = [];
const fromCommit: number[] = [];
for (let change = 0; change < CHANGES; change += 1) {
  const { startMs, committedMs, seenMs } = await flipCredential(resources, change % 10, untilBoth);
  fromBeginning.push(seenMs - startMs);
  fromCommit.push(seenMs - committedMs);
}
console.log(`${String(CHANGES)} changes, two replicas, ${String(members)} member(s):`);
console.log(`  from the command's first write until both replicas decide by it: ${quantiles(fromBeginning)}`);
console.log(`  answers 503 until then: ${String(refused)}`);
console.log(`  from the confirmed commit:                                       ${quantiles(fromCommit)}`);

/** Asks both replicas all the time, as callers would; gives when the later one answered as wanted. */
async function untilBoth(number: number, state: string): Promise<number> {
  return Math.max(...(await Promise.all([first, second].map((store) => untilState(store, number, state)))));
}

/** A look-up that takes too long is a 503 for the caller, who asks again. */
async function stateOf(store: MongoCheckStore, number: number): Promise<string | undefined> {
  try {
    return (await store.current().credentials.findByAppKey(appKeyOf(number)))?.credential.state;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    refused += 1;
    return undefined;
  }
}

async function untilState(store: MongoCheckStore, number: number, state: string): Promise<number> {
  while ((await stateOf(store, number)) !== state) await pause(1);
  return performance.now();
}
