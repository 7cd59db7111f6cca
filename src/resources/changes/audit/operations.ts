import type { AuditEvent } from '../resource-store.ts';

/** One command as the audit trail has it: who ran it, and what it changed in one transaction. */
export interface AuditOperation extends Pick<AuditEvent, 'atMs' | 'actor' | 'action' | 'reason' | 'storeRevision'> {
  /** In the order in which they were read, at least one. */
  readonly events: readonly AuditEvent[];
}

/** Joins the events of each command; those of one command follow each other. Keeps one operation in memory. */
export async function* operationsOf(events: AsyncIterable<AuditEvent>): AsyncGenerator<AuditOperation> {
  let open: AuditEvent[] = [];
  for await (const event of events) {
    const [first] = open;
    if (first !== undefined && !isSameOperation(first, event)) {
      yield operationOf(first, open);
      open = [];
    }
    open.push(event);
  }
  const [first] = open;
  if (first !== undefined) yield operationOf(first, open);
}

/**
 * Whether one transaction made both. The revision alone does not say so: that of an emergency stop can be given again
 * when a primary is lost, and rewrapping secrets takes none.
 */
export function isSameOperation(one: AuditEvent, other: AuditEvent): boolean {
  const isSameTime = one.storeRevision === other.storeRevision && one.atMs === other.atMs;
  return isSameTime && one.actor === other.actor && one.action === other.action;
}

function operationOf(
  { atMs, actor, action, reason, storeRevision }: AuditEvent,
  events: readonly AuditEvent[],
): AuditOperation {
  return { atMs, actor, action, ...(reason === undefined ? {} : { reason }), storeRevision, events };
}
