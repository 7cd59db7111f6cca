import type { Sealer } from '../../model/keyring/sealed.ts';
import type { Secret } from '../../model/secret.ts';
import type { Change, Operation, RevertedEvent } from './change.ts';
import type { CredentialDirectory } from './credential-directory.ts';
import type { DueSource } from './due-source.ts';
import type { RefusalSource } from '../../check/refusals/refusal-record.ts';
import type { AuditedKind, ResourceKind, ResourceOf, Stored } from '../resource.ts';
import type { ReplicaDirectory } from './replicas.ts';
import type { OnceRequests } from './idempotency.ts';
import type { JobStore } from './jobs.ts';
import type { SessionStore } from './sessions.ts';
import { findNearestName } from '../../model/document/nearest-name.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { Issuer } from '../../model/issuer.ts';
import type { LabelSelector } from '../../model/labels.ts';
import type { Plan } from '../../model/plan.ts';
import type { OwnedBy } from '../../model/owned-by.ts';
import { type Grant, type GroupGrant, isGroupGrant } from '../../model/grant.ts';
import { endpointOfShortId, parseGrantId, shownGrantId } from '../grant.ts';
import type { RankingSource } from '../../model/traffic-ranking.ts';

/** Which resources of a kind; any number of ids. What is absent does not narrow. */
export interface Selection {
  readonly ids?: readonly string[] | undefined;
  /** Credentials and own grants of a consumer. */
  readonly consumerId?: string | undefined;
  /** Credentials and own grants of any of these consumers. */
  readonly consumerIds?: readonly string[] | undefined;
  /** Grants on an endpoint. */
  readonly endpointId?: string | undefined;
  /** Grants on any of these endpoints. */
  readonly endpointIds?: readonly string[] | undefined;
  /** Grants for groups, and no others. They are few: as many as an operator writes. */
  readonly isForGroup?: true | undefined;
  /** Credentials by the hashes of their App Keys. */
  readonly appKeyHashes?: readonly string[] | undefined;
  /** Credentials that name this issuer. */
  readonly issuerId?: string | undefined;
  /** The operator with this subject. */
  readonly subject?: string | undefined;
  /** Operators with any of these names of certificates. */
  readonly certificateNames?: readonly string[] | undefined;
  /** Endpoints and consumers that carry these labels. */
  readonly labels?: LabelSelector | undefined;
  /** Endpoints and consumers whose ids begin with this text or whose names or contacts hold it, in any case. */
  readonly namedLike?: string | undefined;
  /** Those whose ids come after this one. */
  readonly after?: string | undefined;
  /** In place of the order of ids. */
  readonly newest?: NewestFirst | undefined;
  /** Credentials with their secrets as they are stored: for what looks at none of these. */
  readonly isSealed?: true | undefined;
  /** So many are wanted: no more are asked for at once. A list still gives all that are taken from it. */
  readonly most?: number | undefined;
}

/** Those first that were created or changed last, and of one second those with the greatest ids. */
export interface NewestFirst {
  readonly by: 'createdAt' | 'updatedAt';
  /** Only those behind this one, as it stood. */
  readonly behind: { readonly atSeconds: number; readonly id: string } | null;
}

/**
 * The system of record as the commands see it (spec §6). Everything but `Conflict` and defects is a `StoreUnavailable`.
 */
export interface ResourceStore {
  /** One resource; null when there is none. */
  find<K extends ResourceKind>(kind: K, id: string): Promise<Stored<ResourceOf[K]> | null>;
  /** The selected resources in the order of their ids, as they stand while they are read. */
  list<K extends ResourceKind>(kind: K, selection?: Selection): AsyncIterable<Stored<ResourceOf[K]>>;
  /**
   * Makes all of the changes with their audit events in one transaction, or none of them. Rejects with {@link Outdated}
   * when a `before` is no longer what the store has or what is changed does not belong to the operation's selector, and
   * with {@link Conflict} when an App Key is taken, references would lead nowhere, endpoints would claim the same
   * requests, grants for groups would have the same priority, or another commit stays in the way. Then, and with
   * every other error but a `StoreUnavailable` whose `reason` is `uncertain`, nothing was changed. Gives the store's
   * new revision, which is higher with every commit.
   */
  commit(changes: readonly Change[], operation: Operation): Promise<number>;
  /**
   * For a store that keeps its secrets to itself: the same credentials, in which those secrets can be seen that the
   * caller has, by the ids of the credentials. Absent where secrets are read.
   */
  readonly recognise?: RecogniseSecrets;
  /** So many changes of the usual size one commit takes; a larger set goes in steps. */
  readonly maxChangesPerCommit: number;
}

/** See {@link ResourceStore.recognise}. */
export type RecogniseSecrets = (
  stored: readonly Stored<ResourceOf['credential']>[],
  given: ReadonlyMap<string, readonly Secret[]>,
) => Promise<readonly Stored<ResourceOf['credential']>[]>;

/** A change that cannot be made on what the store has now. Commands end with exit code 4. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  /**
   * The same for operators with labels: without what may be beyond their reach. Absent where the message may name it.
   */
  readonly unnamed: string | undefined;

  constructor(message: string, { unnamed, ...options }: ErrorOptions & { readonly unnamed?: string } = {}) {
    super(message, options);
    this.unnamed = unnamed;
  }
}

/** A {@link Conflict} because others changed what a change was planned on: planned again, it may succeed. */
export class Outdated extends Conflict {}

/** When credentials were last used, kept apart from them (spec §1). Seconds since the epoch. */
export interface Usage {
  readonly lastUsedAt: number | null;
  /** When the retiring App Secret was last used. */
  readonly retiringSecretLastUsedAt: number | null;
}

/** When credentials were last used; what was never used is absent. */
export interface UsageSource {
  usageOf(credentialIds: readonly string[]): Promise<ReadonlyMap<string, Usage>>;
}

/** What was changed, by whom and when. `before` and `after` are declared resources without secrets; null for none. */
export interface AuditEvent {
  /** Names this event and no other: 24 characters 0-9 and a-f. */
  readonly event: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly actor: string;
  readonly action: string;
  /** Why, where the operator said it. */
  readonly reason?: string | undefined;
  /** The store's revision after the commit: equal for all changes of one command. */
  readonly storeRevision: number;
  readonly kind: AuditedKind;
  readonly id: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  /** The event that this one undid, where it is the work of `audit revert`. */
  readonly reverts?: RevertedEvent | undefined;
  /**
   * The labels that all carried at the time that the resource belonged to (owned-by.ts). Absent in events of former
   * versions, and where nobody but those who reach everything is to see it.
   */
  readonly ownedBy?: OwnedBy | undefined;
  /**
   * Nothing was changed: an operator asked for what something beyond reach refused. Why, with every name; then `before`
   * and `after` are null and `storeRevision` is 0.
   */
  readonly refused?: string | undefined;
}

/** Which audit events: those that fit all that is given. */
export interface AuditSelection {
  readonly event?: string | undefined;
  readonly storeRevision?: number | undefined;
  readonly sinceMs?: number | undefined;
  /** Up to and with this millisecond. */
  readonly untilMs?: number | undefined;
  /** Only what comes after this event in the list, where a page ended. */
  readonly olderThan?: { readonly atMs: number; readonly event: string } | undefined;
  readonly actor?: string | undefined;
  /** The command: `consumer disable`. */
  readonly action?: string | undefined;
  /** What concerns a partner: the consumer itself, its credentials and its own grants, deleted ones too. */
  readonly consumerId?: string | undefined;
  /** What concerns an endpoint: itself, the grants on it and the plans that list it, deleted ones too. */
  readonly endpointId?: string | undefined;
  /** Only what belonged, at its time, to those who have these labels. */
  readonly ownedBy?: LabelSelector | undefined;
  /** Whether changes of operators are left out. */
  readonly hidesOperators?: boolean | undefined;
  /** `consumer` for a kind, `consumer/acme` for one of it, `grant/orders/acme` for a grant. */
  readonly resource?: { readonly kind: AuditedKind; readonly id: string | null } | undefined;
  /** The newest this many. */
  readonly limit?: number;
}

/**
 * What was done without a commit: that an operator was refused something ({@link AuditEvent.refused}), or that a
 * replica was forgotten, with what it was.
 */
export type UncommittedEvent = Pick<AuditEvent, 'actor' | 'action' | 'reason' | 'kind' | 'id'> &
  ({ readonly refused: string } | { readonly before: Readonly<Record<string, unknown>> });

/** Reads the audit trail, newest first, and keeps what commits do not. */
export interface AuditTrail {
  events(selection: AuditSelection): AsyncIterable<AuditEvent>;
  /** Keeps an event that no commit has, which nobody owns. Rejects with `StoreUnavailable`. */
  keep(event: UncommittedEvent): Promise<void>;
}

/** What came of {@link SealedSecrets.rewrap}. */
export interface Rewrapped {
  /** Credentials whose secrets were sealed with the current key. */
  readonly count: number;
  /** Credentials with a secret that does not open, which stays as it is. */
  readonly unopened: readonly { readonly id: string; readonly reason: string }[];
  readonly isStopped: boolean;
}

/** What {@link SealedSecrets.rewrap} works with. */
export interface RewrapWork {
  readonly sealer: Sealer;
  /** Does it, in the audit trail. */
  readonly actor: string;
  /** Called with how many credentials have been looked at, and how many there are to look at. */
  readonly onProgress: (done: number, total: number) => void;
  /** Asked between batches: true ends the work, which can be continued at any time. */
  readonly isStopped: () => boolean;
}

/** The secrets that a store keeps sealed with keys of a key ring. Rejects with `StoreUnavailable`. */
export interface SealedSecrets {
  /** How many secrets are sealed with each key, by the ids of the keys, most first. */
  countByKey(): Promise<ReadonlyMap<string, number>>;
  /** How many credentials have a secret that was sealed with another than the current key. */
  countDue(currentKeyId: string): Promise<number>;
  /**
   * Seals with the current key every secret that was sealed with another one. Replicas serve and operators make changes
   * at the same time, and a stop anywhere loses nothing. Revisions stay: nothing changes that callers see.
   */
  rewrap(work: RewrapWork): Promise<Rewrapped>;
}

/** The system of record as a command has it open: what is in it, when it was used, who changed it. */
export interface SystemOfRecord extends AsyncDisposable {
  readonly resources: ResourceStore;
  readonly usage: UsageSource;
  /** Null for a declarative file, which is in memory as a whole. */
  readonly due: DueSource | null;
  /** Null for a declarative file. */
  readonly directory: CredentialDirectory | null;
  readonly traffic: RankingSource;
  readonly audit: AuditTrail;
  /** What was refused to known callers; null where only the service that runs knows. */
  readonly refusals: RefusalSource | null;
  /** Null for a store that seals nothing. */
  readonly sealed: SealedSecrets | null;
  /** Whether the client of an access token revoked it; null where only the service that runs knows. */
  readonly isTokenRevoked: ((tokenId: string) => Promise<boolean>) | null;
  /** The replicas that serve the store; null where they do not report. */
  readonly replicas: ReplicaDirectory | null;
  /** Who is signed in to the console; null for a declarative file. */
  readonly sessions: SessionStore | null;
  /** Requests of the management API that are answered once; null without a key ring, and for a declarative file. */
  readonly once: OnceRequests | null;
  /** What operators change of several at once; null without a key ring, and for a declarative file. */
  readonly jobs: JobStore | null;
  /** The path of a declarative file, which takes no changes from commands; null for a database. */
  readonly file: string | null;
}

/** Throws `Conflict` when a resource is no longer the revision that an operator has seen. */
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

/** What a command names does not exist. Commands end with exit code 3. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}

/** There is no resource of that kind and id; `known` are ids that may have been meant. */
export function notFound(kind: ResourceKind, id: string, known: readonly string[]): NotFound {
  const nearest = findNearestName(id, known);
  const advice = nearest === null ? '' : `; did you mean ${JSON.stringify(nearest)}?`;
  return new NotFound(`there is no ${kind} ${JSON.stringify(id)}${advice}`);
}

/** All grants for groups, or those on one endpoint, in the order of their ids. */
export async function listGroupGrants(
  store: Pick<ResourceStore, 'list'>,
  endpointId?: string,
): Promise<readonly GroupGrant[]> {
  const stored = await collectAll(store.list('grant', { isForGroup: true, endpointId }));
  return stored.map(({ resource }) => resource).filter(isGroupGrant);
}

/** A grant by the id that it is shown with (`shownGrantId`); null when there is none. */
export async function findGrant(
  store: Pick<ResourceStore, 'find' | 'list'>,
  id: string,
): Promise<Stored<Grant> | null> {
  const endpointId = endpointOfShortId(id);
  if (endpointId === null) return parseGrantId(id) === null ? null : await store.find('grant', id);
  for await (const stored of store.list('grant', { endpointId, isForGroup: true })) {
    if (shownGrantId(stored.resource) === id) return stored;
  }
  return null;
}

/** All issuers, in the order of their ids. */
export async function listIssuers(store: Pick<ResourceStore, 'list'>): Promise<readonly Issuer[]> {
  return (await collectAll(store.list('issuer'))).map(({ resource }) => resource);
}

/** All endpoints, in the order of their ids. There are as many as an operator writes, so they fit into memory. */
export async function listEndpoints(store: ResourceStore): Promise<readonly Endpoint[]> {
  return (await collectAll(store.list('endpoint'))).map(({ resource }) => resource);
}

/** All plans, in the order of their ids. */
export async function listPlans(store: Pick<ResourceStore, 'list'>): Promise<readonly Plan[]> {
  return (await collectAll(store.list('plan'))).map(({ resource }) => resource);
}

/** Everything of a stream. For what is bounded: the endpoints, or what belongs to one resource. */
export async function collectAll<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The first so many of a stream, which is read no further. */
export async function takeFirst<T>(items: AsyncIterable<T>, most: number): Promise<readonly T[]> {
  const first: T[] = [];
  if (most === 0) return first;
  for await (const item of items) if (first.push(item) >= most) break;
  return first;
}

/** Divides a list into pieces of at most `size`. */
export function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/**
 * Collects a stream into pieces of at most `size`. With `first`, the first has so many, and each further one twice as
 * many: for readers who may have enough soon.
 */
export async function* pagesOf<T>(items: AsyncIterable<T>, size: number, first = size): AsyncGenerator<readonly T[]> {
  let page: T[] = [];
  let wanted = Math.min(first, size);
  for await (const item of items) {
    page.push(item);
    if (page.length < wanted) continue;
    yield page;
    page = [];
    wanted = Math.min(wanted * 2, size);
  }
  if (page.length > 0) yield page;
}
