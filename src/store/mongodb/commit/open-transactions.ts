import type { Db, Document } from 'mongodb';
import { APP_NAME } from '../connect.ts';
import { byDeadline } from '../deadline.ts';

/** A transaction of a Postern command that is open on the server. */
export interface OpenTransaction {
  /** What `killSessions` takes. */
  readonly session: Document;
  /** Who has it, for people: `"apply" of ada at 10.0.0.7:4711`. */
  readonly holder: string;
  readonly since: Date;
  readonly ageMs: number;
  /** When the server ends it, whatever its holder does; null where the server does not say. */
  readonly endsAt: Date | null;
  /** Whether the connection of its holder has ended, as that of a process that was killed. */
  readonly isOrphan: boolean;
}

/** The transactions that this MongoDB user has open, the oldest first. Takes no right. */
export async function findOpenTransactions(db: Db, signal: AbortSignal): Promise<readonly OpenTransaction[]> {
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

/** What `$currentOp` says of an operation, a connection or a session. */
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
