import { type AuditEvent, type AuditTrail, NotFound } from './resource-store.ts';
import { covers, hasEnded, type StoreRevision, wholeRevision } from '../../model/store-revision.ts';

/** A replica as it last said of itself. */
export interface Replica {
  /** Chosen by chance when its process starts. */
  readonly id: string;
  /** `POSTERN_REPLICA_NAME`, or the name of its machine. */
  readonly name: string;
  readonly version: string;
  /** How changes come to it: `following`, `polling`, or `waiting` while they do not. */
  readonly mode: string;
  /** Why it takes no checks; null when it does. */
  readonly unreadiness: string | null;
  /** Which commits it decides by; null until it knew. */
  readonly revision: StoreRevision | null;
  /** How long ago it started, by the clock of the server, and so the next two. */
  readonly ageMs: number;
  /** How long ago it was heard of. */
  readonly silentMs: number;
  /** For how long it may still serve from memory, if it was not heard of because it is cut off. */
  readonly servesForMs: number;
}

/** The replicas that serve a store, as far as they were heard of. Rejects with `StoreUnavailable`. */
export interface ReplicaDirectory {
  /** How far the commits of the store are. */
  storeRevision(): Promise<StoreRevision>;
  /** In the order of their names. One that can serve nothing from memory any more is left out. */
  list(): Promise<readonly Replica[]>;
  /** Removes what a replica said of itself; gives whether there was such a one. One that runs says it again. */
  forget(id: string): Promise<boolean>;
}

/** What forgetting a replica takes, and whom and what the audit trail names. */
export interface Forgetting extends Pick<AuditEvent, 'actor' | 'action' | 'reason'> {
  readonly replicas: ReplicaDirectory;
  readonly audit: Pick<AuditTrail, 'keep'>;
}

/** Removes what a replica said of itself, with an event in the audit trail. Throws `NotFound`. */
export async function forgetReplica(id: string, { replicas, audit, actor, action, reason }: Forgetting): Promise<void> {
  const there = (await replicas.list()).find((each) => each.id === id);
  if (!(await replicas.forget(id))) throw new NotFound(`there is no replica ${JSON.stringify(id)}`);
  const before = there === undefined ? { id } : { id, name: there.name, version: there.version };
  await audit.keep({ actor, action, reason, kind: 'replica', id, before });
}

/** A replica reports every five seconds; one that missed three reports is stale: gone, or cut off and serving. */
export const STALE_MS = 15_000;

/** Whether a replica has been silent for so long that it no longer counts as running. */
export function isStale({ silentMs }: Replica): boolean {
  return silentMs > STALE_MS;
}

/** What replicas are waited for: one revision, or everything that had ended when the store was looked at. */
export type WantedRevision = number | StoreRevision;

/** Whether a replica decided by all of that when it was last heard of; what is in force there stays so. */
export function knows({ revision }: Replica, wanted: WantedRevision): boolean {
  if (revision === null) return false;
  return typeof wanted === 'number' ? hasEnded(revision, wanted) : covers(revision, wanted);
}

/** By how many revisions a replica is behind the store; null while it knows none. */
export function behind({ revision }: Replica, latest: StoreRevision): number | null {
  return revision === null ? null : Math.max(0, wholeRevision(latest) - wholeRevision(revision));
}

/** A replica as programs get it. */
export interface DeclaredReplica extends Pick<Replica, 'id' | 'name' | 'version' | 'mode'> {
  readonly ready: boolean;
  readonly stale: boolean;
  /** Why it takes no checks; absent when it does. */
  readonly reason?: string;
  /** Null until it knew one, and so the next. */
  readonly revision: number | null;
  /** By how many revisions it is behind the store. */
  readonly behind: number | null;
  readonly lastSeenSeconds: number;
  readonly ageSeconds: number;
}

/** A replica as programs get it. Spans are in whole seconds. */
export function declareReplica(replica: Replica, latest: StoreRevision): DeclaredReplica {
  const { id, name, version, mode, unreadiness, revision, ageMs, silentMs } = replica;
  return {
    id,
    name,
    version,
    ready: unreadiness === null && !isStale(replica),
    stale: isStale(replica),
    ...(unreadiness === null ? {} : { reason: unreadiness }),
    mode,
    revision: revision === null ? null : wholeRevision(revision),
    behind: behind(replica, latest),
    lastSeenSeconds: Math.floor(silentMs / 1000),
    ageSeconds: Math.floor(ageMs / 1000),
  };
}
