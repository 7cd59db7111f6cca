import type { Db } from 'mongodb';
import { Conflict } from '../../../manage/resource-store.ts';
import { findOpenTransactions, type OpenTransaction } from './open-transactions.ts';

/** What {@link Obstacles} works with. */
export interface ObstaclesPorts {
  readonly db: Db;
  /** Whether this commit goes before those that are under way. */
  readonly isUrgent: boolean;
  readonly deadline: AbortSignal;
  /** Told once for each commit of others that is waited for, in words for people. */
  readonly onWait: (message: string) => void;
}

/** A commit that is under way is given so long to end before an urgent one ends it; longer each time. */
const FIRST_GRACE_MS = 150;
/** From here somebody who waits wants to know for whom. */
const SILENT_MS = 1500;
const LOOK_EVERY_MS = 200;

/**
 * What stands in the way of one commit: transactions that have written what it wants to write. One whose process was
 * killed is ended at once; an urgent commit also ends those of living processes, which then make theirs again.
 */
export class Obstacles {
  readonly #ports: ObstaclesPorts;
  #graceMs = FIRST_GRACE_MS;
  #lookedAt = -Infinity;
  #last: OpenTransaction | null = null;
  #told: string | null = null;

  constructor(ports: ObstaclesPorts) {
    this.#ports = ports;
  }

  /** To be called while a commit is blocked. Never rejects: what cannot be found out or ended is waited for. */
  async pass(blockedMs: number): Promise<void> {
    const { db, isUrgent, deadline } = this.#ports;
    if (performance.now() - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = performance.now();
    try {
      const open = await findOpenTransactions(db, deadline);
      const inTheWay = open.filter(({ isOrphan, ageMs }) => isOrphan || (isUrgent && ageMs > this.#graceMs));
      if (inTheWay.length > 0) {
        // Two urgent commits would otherwise end each other for ever.
        this.#graceMs *= 2;
        await db.client.db('admin').command({ killSessions: inTheWay.map(({ session }) => session) });
        return;
      }
      this.#last = open[0] ?? null;
      this.#tell(blockedMs);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      // Another try follows, and at the deadline the commit says that it was blocked.
    }
  }

  /** What to tell somebody whose commit was blocked to the end. */
  conflict(): Conflict {
    const last = this.#last;
    if (last === null) {
      return new Conflict(
        'another transaction holds what this changes, of another MongoDB user or of a program that is not Postern; nothing was changed: try again. The server ends a transaction that was left open within a minute',
      );
    }
    return new Conflict(`${describe(last)}; nothing was changed: try again`);
  }

  #tell(blockedMs: number): void {
    if (this.#last === null || blockedMs < SILENT_MS) return;
    const message = `waiting for ${describe(this.#last)}`;
    if (message === this.#told) return;
    this.#told = message;
    this.#ports.onWait(message);
  }
}

function describe({ holder, since, endsAt }: OpenTransaction): string {
  const end = endsAt === null ? '' : `, ends at ${timeOf(endsAt)} at the latest`;
  return `${holder}, which has been changing the same since ${timeOf(since)}${end}`;
}

function timeOf(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}
