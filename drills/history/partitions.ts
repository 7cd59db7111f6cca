import { setTimeout as delay } from 'node:timers/promises';
import type { MongodbMembers } from './servers.ts';
import type { Network } from './network.ts';
import type { Random } from './random.ts';

/** Who is where: the members of MongoDB, and the replicas of Postern. */
export interface Places {
  readonly network: Network;
  readonly mongodb: MongodbMembers;
  readonly members: readonly string[];
  readonly replicas: readonly string[];
}

interface Partition {
  readonly title: string;
  readonly make: () => Promise<void>;
}

/**
 * How long the network is whole before and broken during a partition, in milliseconds: often for longer than an election,
 * a revocation and its promised time take together, as what goes on for as long as the partition shows only then.
 */
const WHOLE_MS = [2000, 10_000] as const;
const BROKEN_MS = [1000, 45_000] as const;

/**
 * Breaks the network at random and heals it, until the signal is given; it is whole when this resolves. `report` gets a
 * sentence for each partition.
 */
export async function partitionAtRandom(
  places: Places,
  random: Random,
  { signal, report }: { readonly signal: AbortSignal; readonly report: (text: string) => void },
): Promise<void> {
  const rest = async (ms: number): Promise<void> => {
    await delay(ms, undefined, { signal }).catch(() => undefined);
  };
  for (;;) {
    await rest(random.between(...WHOLE_MS));
    if (signal.aborted) return;
    const { title, make } = await choose(places, random);
    const brokenMs = random.between(...BROKEN_MS);
    report(`${title}, for ${(brokenMs / 1000).toFixed(1)} s`);
    await make();
    await rest(brokenMs);
    await places.network.heal();
  }
}

async function choose({ network, mongodb, members, replicas }: Places, random: Random): Promise<Partition> {
  const primary = (await mongodb.primary())?.name ?? members[0] ?? '';
  const others = members.filter((name) => name !== primary);
  const [first = '', second = ''] = random.onceIn(2) ? replicas : replicas.toReversed();
  const cutAll = async (pairs: readonly (readonly [string, string])[]): Promise<void> => {
    for (const [one, other] of pairs) await network.cut(one, other);
  };
  const pairs = (from: readonly string[], to: readonly string[]): readonly (readonly [string, string])[] =>
    from.flatMap((one) => to.map((other) => [one, other] as const));
  return random.of<Partition>([
    { title: 'the primary is alone', make: () => network.isolate([primary]) },
    { title: 'a secondary is alone', make: () => network.isolate(others.slice(0, 1)) },
    { title: 'no majority', make: () => network.isolate(others) },
    { title: `${first} is alone`, make: () => network.isolate([first]) },
    { title: 'both replicas are alone', make: () => network.isolate(replicas) },
    { title: `${first} does not reach the primary`, make: () => cutAll([[first, primary]]) },
    { title: 'commands do not reach the primary', make: () => cutAll([['desk', primary]]) },
    {
      // The replica keeps a primary that is none for the rest.
      title: `${first} and the primary are on one side, all others on the other`,
      make: () => cutAll([...pairs([primary, first], others), [primary, second], ['desk', primary]]),
    },
    { title: 'the primary does not reach the secondaries', make: () => cutAll(pairs([primary], others)) },
  ]);
}
