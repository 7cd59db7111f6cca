import type { Db, Document } from 'mongodb';
import { Conflict } from '../../../resources/changes/resource-store.ts';
import { APP_NAME } from '../connect.ts';
import { byDeadline } from '../deadline.ts';

/** What {@link Obstacles} works with. */
export interface ObstaclesPorts {
  readonly db: Db;
  /** Whether this commit goes before those that are under way. */
  readonly isUrgent: boolean;
  readonly deadline: AbortSignal;
  /** Called once for each commit of others that delays this one, in words for people. */
  readonly onWait: (message: string) => void;
}

/** How long a running commit may take to end before an urgent one ends it; twice as long each time. */
const FIRST_GRACE_MS = 150;
/** After this long an operator wants to know whose commit is in the way. */
const SILENT_MS = 1500;
const LOOK_EVERY_MS = 200;

/**
 * What blocks one commit: transactions that have written what it wants to write. One whose process was
 * killed is ended at once; an urgent commit also ends those of living processes, which then make theirs again.
 */
export class Obstacles {
  readonly #ports: ObstaclesPorts;
  #graceMs = FIRST_GRACE_MS;
  #lookedAt = -Infinity;
  #last: OpenTransaction | null = null;
  #reported: string | null = null;

  constructor(ports: ObstaclesPorts) {
    this.#ports = ports;
  }

  /** To be called while a commit is blocked. Never rejects: what cannot be found out or ended has to end on its own. */
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
      if (blockedMs >= SILENT_MS) this.#report();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      // Another try follows, and at the deadline the commit says that it was blocked.
    }
  }

  /** The error for a commit that was blocked to the end. */
  conflict(): Conflict {
    const last = this.#last;
    return new Conflict(
      last === null
        ? 'another transaction holds what this changes, of another MongoDB user or of a program that is not Postern; nothing was changed: try again. The server ends a transaction that was left open within a minute'
        : `${describe(last)}; nothing was changed: try again`,
    );
  }

  #report(): void {
    const message = this.#last === null ? this.#reported : `waiting for ${describe(this.#last)}`;
    if (message === null || message === this.#reported) return;
    this.#reported = message;
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

/** A transaction of a Postern command that is open on the server. */
interface OpenTransaction {
  /** What `killSessions` takes. */
  readonly session: Document;
  /** The command that has it, for people: `"apply" of ada at 10.0.0.7:4711`. */
  readonly holder: string;
  readonly since: Date;
  readonly ageMs: number;
  /** When the server ends it, whatever its holder does; null where the server does not say. */
  readonly endsAt: Date | null;
  /** Whether the connection of its holder has ended, as that of a process that was killed. */
  readonly isOrphan: boolean;
}

/** The transactions that this MongoDB user has open, the oldest first. Takes no right. */
async function findOpenTransactions(db: Db, signal: AbortSignal): Promise<readonly OpenTransaction[]> {
  const pipeline = [
    { $currentOp: { allUsers: false, idleSessions: true, idleConnections: true } },
    { $project: { type: 1, connectionId: 1, client: 1, appName: 1, lsid: 1, transaction: 1 } },
  ];
  const admin = db.client.db('admin');
  const operations = await byDeadline(signal, async () => await admin.aggregate<Operation>(pipeline).toArray());
  const connections = new Set(operations.flatMap(({ type, connectionId }) => (type === 'op' ? [connectionId] : [])));
  return operations
    .flatMap((operation) => readTransaction(operation, connections))
    .sort((one, other) => other.ageMs - one.ageMs);
}

/** An operation, a connection or a session as `$currentOp` describes it. */
interface Operation {
  readonly type: string;
  readonly connectionId?: unknown;
  readonly client?: string;
  readonly appName?: string;
  readonly lsid?: { readonly id: unknown };
  readonly transaction?: {
    readonly startWallClockTime: string;
    readonly expiryTime?: string;
    readonly timeOpenMicros: number | { toString(): string };
  };
}

function readTransaction(operation: Operation, connections: ReadonlySet<unknown>): readonly OpenTransaction[] {
  const { type, connectionId, client = 'an unknown address', appName = '', lsid, transaction } = operation;
  if (transaction === undefined || lsid === undefined || !appName.startsWith(APP_NAME)) return [];
  return [
    {
      session: { id: lsid.id },
      holder: `${describeHolder(appName)} at ${client}`,
      since: new Date(transaction.startWallClockTime),
      ageMs: Number(transaction.timeOpenMicros) / 1000,
      endsAt: transaction.expiryTime === undefined ? null : new Date(transaction.expiryTime),
      isOrphan: type === 'idleSession' && !connections.has(connectionId),
    },
  ];
}

function describeHolder(appName: string): string {
  const [, command, actor] = /^postern (.+?) of (.*)$/.exec(appName) ?? [];
  return command === undefined || actor === undefined ? 'a Postern command' : `"${command}" of ${actor}`;
}
