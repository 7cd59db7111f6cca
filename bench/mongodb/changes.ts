import { MongoClient } from 'mongodb';
import { systemClock } from '../../src/base/clock.ts';
import type { ManagedCredential, Stored } from '../../src/resources/resource.ts';
import { StoreUnavailable } from '../../src/check/store/credential-source.ts';
import { ensureSchema } from '../../src/stores/mongodb/migrate.ts';
import { MongoResourceStore } from '../../src/stores/mongodb/resource-store.ts';
import type { MongoCheckStore } from '../../src/stores/mongodb/mongo-check-store.ts';
import { startReplicaSet } from '../../test/support/mongodb/replica-set.ts';
import { benchRing } from './bench-ring.ts';
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
  const number = change % 10;
  const before = await resources.find('credential', `credential-${String(number)}`);
  if (before === null) throw new Error('the credential is gone');
  const state = before.resource.state === 'active' ? 'revoked' : 'active';
  await Promise.all([first, second].map(async (store) => await stateOf(store, number)));
  const startMs = performance.now();
  const seen = Promise.all([first, second].map(async (store) => await untilState(store, number, state)));
  await commit(before, state);
  const committedMs = performance.now();
  const lastMs = Math.max(...(await seen));
  fromBeginning.push(lastMs - startMs);
  fromCommit.push(lastMs - committedMs);
}
console.log(`${String(CHANGES)} changes, two replicas, ${String(members)} member(s):`);
console.log(`  from the command's first write until both replicas decide by it: ${quantiles(fromBeginning)}`);
console.log(`  answers 503 until then: ${String(refused)}`);
console.log(`  from the confirmed commit:                                       ${quantiles(fromCommit)}`);

async function commit(before: Stored<ManagedCredential>, state: ManagedCredential['state']): Promise<void> {
  const { id } = before.resource;
  const change = { kind: 'credential', id, before, after: { ...before.resource, state } } as const;
  await resources.commit([change], { actor: 'bench', action: 'credential edit' });
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

/** Asks all the time, as callers would; gives when the answer was the wanted one. */
async function untilState(store: MongoCheckStore, number: number, state: string): Promise<number> {
  while ((await stateOf(store, number)) !== state) await new Promise((resolve) => setTimeout(resolve, 1));
  return performance.now();
}
