import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { StoreUnavailable } from '../../src/check/store/credential-source.ts';
import { ensureSchema } from '../../src/stores/mongodb/migrate.ts';
import { startReplicaSet, type ReplicaSet } from '../../test/support/mongodb/replica-set.ts';
import { benchRing } from './bench-ring.ts';
import { openBenchStore } from './open-bench-store.ts';
import { quantiles } from './quantiles.ts';
import { appKeyOf, seed } from './seed.ts';

/**
 * What callers see while MongoDB is down: one whose credential is cached and one whose is not, each asking every 10 ms.
 * `node --import tsx bench/mongodb/outages.ts`; takes about two minutes.
 */
const EVERY_MS = 10;
const OUTAGE_MS = 8000;
const SETTLE_MS = 3000;
const RECOVERY_MS = 15_000;

interface Outage {
  readonly name: string;
  begin(set: ReplicaSet): Promise<void>;
  /** Null for one that ends automatically. */
  readonly end: ((set: ReplicaSet) => Promise<void>) | null;
}

const everyone: readonly Outage[] = [
  { name: 'stepDown', begin: (set) => set.stepDown(), end: null },
  {
    name: 'primary killed',
    begin: async (set) => {
      await (await set.primary()).kill();
    },
    end: restartAll,
  },
  {
    name: 'all killed',
    begin: async (set) => {
      await Promise.all(
        set.members.map(async (member) => {
          await member.kill();
        }),
      );
    },
    end: restartAll,
  },
  {
    name: 'all frozen',
    begin: async (set) => {
      await Promise.all(set.members.map((member) => member.freeze()));
    },
    end: async (set) => {
      for (const member of set.members) member.thaw();
      await Promise.resolve();
    },
  },
];

let nextUnknown = 0;
for (const outage of everyone) await measure(outage);

async function measure(outage: Outage): Promise<void> {
  await using set = await startReplicaSet({ members: 3 });
  {
    await using client = new MongoClient(set.uri('bench'));
    await ensureSchema(client.db());
    await seed(client.db(), 10, benchRing());
  }
  await using store = openBenchStore(set.uri('bench'));
  await store.ready;
  const find = async (appKey: string): Promise<void> => {
    await store.current().credentials.findByAppKey(appKey);
  };
  await find(appKeyOf(0));
  await delay(SETTLE_MS);
  const stop = new AbortController();
  const known = probe(stop.signal, async () => {
    await find(appKeyOf(0));
  });
  const unknown = probe(stop.signal, async () => {
    nextUnknown += 1;
    await find(`unknown-${String(nextUnknown)}`);
  });
  await delay(1000);
  await outage.begin(set);
  await delay(OUTAGE_MS);
  await outage.end?.(set);
  const endedMs = performance.now();
  await delay(RECOVERY_MS);
  stop.abort();
  const [knownSeen, unknownSeen] = [await known, await unknown];
  const lastRefusedMs = unknownSeen.refusedAtMs.at(-1) ?? endedMs;
  console.log(`${outage.name}:`);
  console.log(`  known callers:   ${describe(knownSeen)}`);
  console.log(`  unknown callers: ${describe(unknownSeen)}`);
  console.log(
    `  last 503 ${((lastRefusedMs - endedMs) / 1000).toFixed(1)} s after the outage ended; up: ${String(store.isUp)}`,
  );
}

interface Seen {
  readonly answeredMs: readonly number[];
  readonly refusedMs: readonly number[];
  readonly refusedAtMs: readonly number[];
}

async function probe(signal: AbortSignal, ask: () => Promise<void>): Promise<Seen> {
  const answeredMs: number[] = [];
  const refusedMs: number[] = [];
  const refusedAtMs: number[] = [];
  const asked: Promise<void>[] = [];
  while (!signal.aborted) {
    const startMs = performance.now();
    asked.push(
      ask().then(
        () => {
          answeredMs.push(performance.now() - startMs);
        },
        (error: unknown) => {
          if (!(error instanceof StoreUnavailable)) throw error;
          refusedMs.push(performance.now() - startMs);
          refusedAtMs.push(performance.now());
        },
      ),
    );
    await delay(EVERY_MS);
  }
  await Promise.all(asked);
  return { answeredMs, refusedMs, refusedAtMs };
}

function describe({ answeredMs, refusedMs }: Seen): string {
  const answered = `${String(answeredMs.length)} answered (${quantiles(answeredMs)})`;
  return refusedMs.length === 0
    ? `${answered}, no 503`
    : `${answered}, ${String(refusedMs.length)} × 503 (${quantiles(refusedMs)})`;
}

async function restartAll(set: ReplicaSet): Promise<void> {
  await Promise.all(
    set.members.map(async (member) => {
      await member.restart().catch((error: unknown) => {
        if (!String(error).includes('still runs')) throw error;
      });
    }),
  );
}
