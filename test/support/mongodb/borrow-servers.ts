import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { poll } from '../time/poll.ts';
import { type Mongod, startMongod } from './mongod.ts';
import { type ReplicaSet, type ReplicaSetOptions, startReplicaSet } from './replica-set.ts';

/** What a borrowed set may be. */
export type BorrowedKind = Pick<ReplicaSetOptions, 'members' | 'authorization' | 'tls'>;

interface Lendable {
  readonly set: Promise<ReplicaSet>;
  isLent: boolean;
}

const sets = new Map<string, Lendable>();
let standAlone: Promise<Mongod> | undefined;

/** After frozen members go on, they may elect another primary; not later than that. */
const SETTLE_MS = 1000;

/**
 * A replica set that tests may kill, freeze and have elect, as {@link startReplicaSet} gives it. All files of the
 * process share one of each kind, one after the other; each borrower gets it whole, and has databases of its own: the
 * names that it passes to `uri` are its own. Disposing gives it back; until somebody borrows it again, it stands still.
 */
export async function borrowReplicaSet({
  members = 1,
  authorization = false,
  tls = false,
}: BorrowedKind = {}): Promise<ReplicaSet> {
  const kind = { members, authorization, tls };
  const name = JSON.stringify(kind);
  const known = sets.get(name);
  // A borrower that failed may not have given it back.
  if (known?.isLent === true) return await startReplicaSet(kind);
  const lendable = known ?? { set: startReplicaSet(kind), isLent: false };
  sets.set(name, lendable);
  lendable.isLent = true;
  const set = await lendable.set;
  if (known !== undefined) {
    await Promise.all(set.members.map(revive));
    await settle(set);
  }
  const suffix = randomBytes(4).toString('hex');
  return {
    ...set,
    uri: (database = '', ...more) => set.uri(database === '' ? '' : `${database}-${suffix}`, ...more),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(set.members.map(stop));
      lendable.isLent = false;
    },
  };
}

/** The address of an empty database on a server that is no replica set; all files of the process share the server. */
export async function standAloneDatabase(): Promise<string> {
  standAlone ??= startMongod();
  const { address } = await standAlone;
  return `mongodb://${address}/postern-${randomBytes(4).toString('hex')}`;
}

async function hasEnded(member: Mongod): Promise<boolean> {
  return (await Promise.race([member.child().ended, Promise.resolve(null)])) !== null;
}

async function revive(member: Mongod): Promise<void> {
  if (await hasEnded(member)) await member.restart();
  else member.thaw();
}

async function stop(member: Mongod): Promise<void> {
  if (!(await hasEnded(member))) await member.freeze();
}

/** Resolves when all members have been agreed on the same primary for a while. */
async function settle(set: ReplicaSet): Promise<void> {
  for (let [seen, next] = ['', await agreement(set)]; seen !== next; next = await agreement(set)) {
    seen = next;
    if (set.members.length === 1) return;
    await delay(SETTLE_MS);
  }
}

/** The primary and its term, when every member works and says the same. */
async function agreement(set: ReplicaSet): Promise<string> {
  return await poll('a whole replica set', async () => {
    const views = await Promise.all(
      set.members.map(async (member) => {
        const status = await set.command({ replSetGetStatus: 1 }, member).catch(() => null);
        const states = (status?.['members'] ?? []) as readonly { readonly name: string; readonly stateStr: string }[];
        const isWhole = states.every(({ stateStr }) => stateStr === 'PRIMARY' || stateStr === 'SECONDARY');
        const primary = states.find(({ stateStr }) => stateStr === 'PRIMARY')?.name;
        return isWhole && primary !== undefined ? `${primary} ${String(status?.['term'])}` : null;
      }),
    );
    const [first = null] = views;
    return views.every((view) => view === first) ? first : null;
  });
}
