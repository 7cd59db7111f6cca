import type { AuditOperation } from './operations.ts';
import type { AuditEvent } from '../resource-store.ts';

/** An event for programs. */
export function declareEvent({ event, atMs, ...rest }: AuditEvent): object {
  // Whose it was decides who sees it, and is for nobody to see.
  const shown = Object.entries(rest).filter(([name]) => name !== 'ownedBy');
  return { event, at: declareAt(atMs), ...Object.fromEntries(shown) };
}

/** What one command changed, for programs. */
export function declareOperation({ atMs, events, ...rest }: AuditOperation): object {
  const own = events.map(({ event, kind, id, before, after, reverts, refused }) => ({
    event,
    kind,
    id,
    before,
    after,
    ...(reverts === undefined ? {} : { reverts }),
    ...(refused === undefined ? {} : { refused }),
  }));
  return { at: declareAt(atMs), ...rest, events: own };
}

function declareAt(atMs: number): string {
  return new Date(atMs).toISOString();
}
