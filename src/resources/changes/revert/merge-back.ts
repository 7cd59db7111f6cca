import { isDeepStrictEqual } from 'node:util';
import type { PlainProblem } from '../../../model/document/read-plain.ts';
import type { Declared } from '../../declared.ts';
import type { ResourceKind, ResourceOf, Stored } from '../../resource.ts';
import type { Change, ChangeOf } from '../change.ts';
import { compareDeclared, type Difference, valueAt } from '../compare-declared.ts';
import { renderValue } from '../render-change.ts';
import type { AuditEvent } from '../resource-store.ts';
import type { Wish } from '../wish.ts';

/** What undoing one event comes to on what the store has now. Texts hold no secret. */
export type EventRevert =
  /** `note` says what stays, in a sentence; null when all comes back. */
  | { readonly change: Change; readonly note: string | null }
  /** The resource is as it was before the event. */
  | { readonly holds: true }
  /** Nothing can bring it back: why, and what to do instead. */
  | { readonly left: string }
  /** Others changed the same since, or today's rules refuse what was. */
  | { readonly conflict: string };

/** The change that undoes an event, from what the store has. */
export function changeOf<K extends ResourceKind>(
  { kind, id, event, storeRevision }: AuditEvent,
  before: Stored<ResourceOf[K]> | null,
  after: ResourceOf[K] | null,
): Change {
  const change: ChangeOf<K> = { kind: kind as K, id, before, after, reverts: { event, storeRevision } };
  return change as unknown as Change;
}

/**
 * What gives the fields that an event changed their former values, where they still have those that it gave them. What
 * others changed since in other fields stays, as a note says.
 */
export function mergeBack(
  event: AuditEvent,
  { before, after }: { readonly before: Declared; readonly after: Declared },
  now: Declared,
): { readonly wish: Wish; readonly note: string | null } | { readonly conflict: string } {
  const changed = [...compareDeclared(before, after)];
  const overlapping: Difference[] = [];
  const wish: Record<string, unknown> = {};
  for (const { path, before: former, after: given } of changed) {
    const value = valueAt(now, path);
    if (isDeepStrictEqual(value, former)) continue;
    if (isDeepStrictEqual(value, given)) wish[path] = former;
    else overlapping.push({ path, before: given, after: value });
  }
  if (overlapping.length > 0) return { conflict: changedSince(event, overlapping) };
  const own = new Set(changed.map(({ path }) => path));
  const others = [...compareDeclared(after, now)].map(({ path }) => path).filter((path) => !own.has(path));
  const note =
    others.length === 0 ? null : `the ${subjectOf(event)} has also changed since (${others.join(', ')}): that stays`;
  return { wish, note };
}

/** Others changed since what an event gave; `differences` go from that to what is there now. */
export function changedSince(event: AuditEvent, differences: readonly Difference[]): string {
  const lines = differences.map(
    ({ path, before, after }) => `\n    ${path}: the change left ${wordOf(before)}, now it is ${wordOf(after)}`,
  );
  return `the ${subjectOf(event)} has changed since${lines.join('')}`;
}

function wordOf(value: unknown): string {
  return value === undefined ? '(none)' : renderValue(value);
}

/** An event changed what no longer exists. */
export function goneSince(event: AuditEvent): string {
  return `the ${subjectOf(event)} no longer exists; revert its deletion first`;
}

/** What an event would give back, no store takes today. */
export function refusedToday(event: AuditEvent, problems: readonly PlainProblem[]): string {
  return `the ${subjectOf(event)} cannot be again as it was: ${problems.map(({ message }) => message).join('; ')}`;
}

/** `endpoint "orders"`, `grant "orders/acme"`. */
export function subjectOf({ kind, id }: Pick<AuditEvent, 'kind' | 'id'>): string {
  return `${kind} ${JSON.stringify(id)}`;
}
