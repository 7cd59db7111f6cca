import type { ResourceKind, Stored } from '../resources/resource.ts';
import { Conflict } from './resource-store.ts';

/** Throws `Conflict` when a resource is no longer what somebody looked at before they wished to change it. */
export function guardRevision(
  kind: ResourceKind,
  id: string,
  stored: Stored<unknown>,
  wanted: number | undefined,
): void {
  if (wanted === undefined || wanted === stored.revision) return;
  const now = String(stored.revision);
  throw new Conflict(
    `the ${kind} ${JSON.stringify(id)} has revision ${now} now, not ${String(wanted)}; look at it again`,
  );
}
