import type { Clock } from '../../../src/base/clock.ts';
import { sidesOf } from '../../../src/resources/changes/audit/event-sides.ts';
import { declareCredential } from '../../../src/resources/credential.ts';
import { idOfResource } from '../../../src/resources/declare-resource.ts';
import { grantId } from '../../../src/resources/grant.ts';
import type { Change, Operation } from '../../../src/resources/changes/change.ts';
import {
  type ManagedCredential,
  type ResourceKind,
  resourceKinds,
  type ResourceOf,
  type Stored,
} from '../../../src/resources/resource.ts';
import {
  Conflict,
  Outdated,
  type AuditEvent,
  type AuditSelection,
  type AuditTrail,
  type UncommittedEvent,
  type ResourceStore,
  type NewestFirst,
  type Selection,
  type Usage,
  type UsageSource,
} from '../../../src/resources/changes/resource-store.ts';
import { createOwners } from '../../../src/resources/changes/audit/owners-of-change.ts';
import {
  type ChangeGround,
  type LabelledKind,
  readGround,
} from '../../../src/resources/changes/rights/change-ground.ts';
import { judgeChanges } from '../../../src/resources/changes/rights/judge-changes.ts';
import type { OperatorRights } from '../../../src/resources/changes/rights/operator-rights.ts';
import { labelsSinceAfter } from '../../../src/model/labels-since.ts';
import { isOwnedBy } from '../../../src/model/owned-by.ts';
import { LAST_ADMIN, takesLastAdmin } from '../../../src/resources/changes/plan-operator.ts';
import { isNamedLike } from '../../../src/resources/changes/named-like.ts';
import type { Consumer } from '../../../src/model/consumer.ts';
import type { Endpoint } from '../../../src/model/endpoint.ts';
import type { Operator } from '../../../src/model/operator.ts';
import { carries, type Labels, type LabelSelector } from '../../../src/model/labels.ts';
import { type Grant, isGroupGrant, rankOf } from '../../../src/model/grant.ts';
import type { Issuer } from '../../../src/model/issuer.ts';
import { type Plan, planBelongsTo } from '../../../src/model/plan.ts';
import { MAX_CLAIM_NAMES_OF_ISSUER } from '../../../src/model/bounds.ts';
import { tooManyClaimNames } from '../../../src/resources/issuer-references.ts';
import { claimNamesOf } from '../../../src/resources/token-claims.ts';
import { findMatchCollisions } from '../../../src/check/route/collisions.ts';

type Tables = { readonly [K in ResourceKind]: Map<string, Stored<ResourceOf[K]>> };

/** What a {@link MemoryResourceStore} begins with. */
export interface InitialResources {
  readonly endpoints?: readonly Endpoint[];
  readonly consumers?: readonly Consumer[];
  readonly credentials?: readonly ManagedCredential[];
  readonly grants?: readonly Grant[];
  readonly plans?: readonly Plan[];
  readonly issuers?: readonly Issuer[];
}

/**
 * A system of record in memory, as strict as a real one: revisions, conflicts, references, App Keys that are never
 * given again, collisions of endpoints, audit events, all or nothing. For tests of commands, which see nothing else of
 * a store.
 */
export class MemoryResourceStore implements ResourceStore, AuditTrail, UsageSource {
  readonly maxChangesPerCommit = 10_000;
  #tables: Tables = emptyTables();
  #formerAppKeys = new Set<string>();
  readonly #clock: Clock;
  readonly #events: AuditEvent[] = [];
  /** When credentials were used, for a test to set. */
  readonly usage = new Map<string, Usage>();
  /** Every commit in its order: for tests of how work is divided. */
  readonly commits: (readonly Change[])[] = [];
  /** Operators who may make changes without being stored: for tests of pages, which bring their own. */
  readonly guests = new Map<string, Operator>();
  /** Called before each commit: a test can throw a fault there, or change the store as another operator would. */
  beforeCommit: ((changes: readonly Change[]) => Promise<void> | void) | null = null;
  /** What `list` has read so far, by kind: for tests of how much is read. */
  readonly read: Record<ResourceKind, number> = {
    endpoint: 0,
    consumer: 0,
    credential: 0,
    grant: 0,
    plan: 0,
    issuer: 0,
    operator: 0,
  };
  #revision = 0;

  constructor(
    initial: InitialResources = {},
    clock: Clock = { nowSeconds: () => 1_790_000_000, nowMs: () => 1_790_000_000_000, elapsedMs: () => 0 },
  ) {
    this.#clock = clock;
    const { endpoints = [], consumers = [], credentials = [], grants = [], plans = [], issuers = [] } = initial;
    const labelsSince = {};
    for (const resource of endpoints) {
      this.#tables.endpoint.set(resource.id, { ...this.#created(resource), labelsSince });
    }
    for (const resource of consumers) {
      this.#tables.consumer.set(resource.id, { ...this.#created(resource), labelsSince });
    }
    for (const resource of credentials) this.#tables.credential.set(resource.id, this.#created(resource));
    for (const resource of grants) this.#tables.grant.set(grantId(resource), this.#created(resource));
    for (const resource of plans) this.#tables.plan.set(resource.id, this.#created(resource));
    for (const resource of issuers) {
      this.#tables.issuer.set(resource.id, { ...this.#created(resource), labelsSince });
    }
    checkWhole(this.#tables);
  }

  /** The store's revision: one more with every commit. */
  get revision(): number {
    return this.#revision;
  }

  find<K extends ResourceKind>(kind: K, id: string): Promise<Stored<ResourceOf[K]> | null> {
    return Promise.resolve(this.#tables[kind].get(id) ?? null);
  }

  /** All credentials as an index knows them: nothing of them is read. */
  indexed(): Iterable<Stored<ManagedCredential>> {
    return this.#tables.credential.values();
  }

  /** How many there are; nothing of them is read. */
  countOf(kind: ResourceKind): number {
    return this.#tables[kind].size;
  }

  async *list<K extends ResourceKind>(kind: K, selection: Selection = {}): AsyncGenerator<Stored<ResourceOf[K]>> {
    await Promise.resolve();
    const table: ReadonlyMap<string, Stored<ResourceOf[K]>> = this.#tables[kind];
    const { newest } = selection;
    const ids = [...new Set(selection.ids ?? table.keys())].sort();
    if (newest !== undefined) ids.sort((one, other) => compareNewest(newest.by, table.get(one), table.get(other)));
    const appKeyHashes = selection.appKeyHashes === undefined ? null : new Set(selection.appKeyHashes);
    const consumerIds = selection.consumerIds === undefined ? null : new Set(selection.consumerIds);
    for (const id of ids) {
      const stored = table.get(id);
      if (selection.after !== undefined && id <= selection.after) continue;
      if (stored === undefined || (newest !== undefined && !isBehind(newest, id, stored))) continue;
      if (!isSelected(stored.resource, selection, appKeyHashes, consumerIds)) continue;
      this.read[kind] += 1;
      yield stored;
    }
  }

  async commit(changes: readonly Change[], operation: Operation): Promise<number> {
    await this.beforeCommit?.(changes);
    const { selector, rights, keepsManager = false, ...rest } = operation;
    if (selector !== undefined) checkOwners(changes, selector, this.#tables);
    const ground = await readGround(changes, (kind, ids) => labelledOf(this.#tables, kind, ids), {
      needsEndpoints: rights !== undefined,
    });
    const operators = [...this.#tables.operator.values()].map(({ resource }) => resource);
    if (keepsManager && takesLastAdmin(operators, changes)) throw new Conflict(LAST_ADMIN);
    const tables = copyOf(this.#tables);
    const used = new Set(this.#events.map(({ kind, id }) => `${kind} ${id}`));
    const formerAppKeys = new Set(this.#formerAppKeys);
    for (const change of changes) this.#apply(change, tables, used);
    if (rights !== undefined) {
      const { id } = rights.operator;
      const operator = this.#tables.operator.get(id)?.resource ?? this.guests.get(id);
      checkRights(changes, rights, ground, operator);
    }
    for (const change of changes) keepFormerAppKey(change, tables, formerAppKeys);
    checkWhole(tables);
    this.#tables = tables;
    this.#formerAppKeys = formerAppKeys;
    this.#revision += 1;
    this.commits.push(changes);
    const storeRevision = this.#revision;
    const ownersOf = createOwners(changes, ground);
    const atMs = this.#clock.nowMs();
    for (const change of changes) {
      const { kind, id, reverts } = change;
      const event = (this.#events.length + 1).toString(16).padStart(24, '0');
      const why = reverts === undefined ? {} : { reverts };
      const owners = { ownedBy: ownersOf(change) };
      this.#events.push({ event, atMs, ...rest, storeRevision, kind, id, ...owners, ...sidesOf(change), ...why });
    }
    return storeRevision;
  }

  keep({ reason, ...event }: UncommittedEvent): Promise<void> {
    const name = (this.#events.length + 1).toString(16).padStart(24, '0');
    const none = { storeRevision: 0, before: null, after: null };
    const why = reason === undefined ? {} : { reason };
    this.#events.push({ event: name, atMs: this.#clock.nowMs(), ...none, ...event, ...why });
    return Promise.resolve();
  }

  async *events(selection: AuditSelection): AsyncGenerator<AuditEvent> {
    await Promise.resolve();
    const { event: wanted, storeRevision, sinceMs = 0, untilMs = Infinity, actor, action } = selection;
    const { consumerId, endpointId, resource, olderThan, limit = Infinity, ownedBy, hidesOperators } = selection;
    const selected = this.#events.filter(
      (event) =>
        (wanted === undefined || event.event === wanted) &&
        (ownedBy === undefined || isOwnedBy(event.ownedBy, ownedBy)) &&
        (hidesOperators !== true || event.kind !== 'operator') &&
        (storeRevision === undefined || event.storeRevision === storeRevision) &&
        event.atMs >= sinceMs &&
        event.atMs <= untilMs &&
        (olderThan === undefined || event.event < olderThan.event) &&
        (actor === undefined || event.actor === actor) &&
        (action === undefined || event.action === action) &&
        (consumerId === undefined || concerns(event, 'consumer', consumerId)) &&
        (endpointId === undefined || concerns(event, 'endpoint', endpointId)) &&
        (resource === undefined ||
          (event.kind === resource.kind && (resource.id === null || event.id === resource.id))),
    );
    yield* selected.reverse().slice(0, limit);
  }

  usageOf(credentialIds: readonly string[]): Promise<ReadonlyMap<string, Usage>> {
    return Promise.resolve(new Map([...this.usage].filter(([id]) => credentialIds.includes(id))));
  }

  #created<T>(resource: T): Stored<T> {
    const now = this.#clock.nowSeconds();
    return { resource, revision: 1, createdAt: now, updatedAt: now };
  }

  #apply(change: Change, tables: Tables, used: ReadonlySet<string>): void {
    const { kind, id, before, after } = change;
    const table = tables[kind] as Map<string, Stored<unknown>>;
    const current = table.get(id);
    if (before === null && current !== undefined) throw new Outdated(`the ${kind} "${id}" already exists`);
    if (before !== null && current?.revision !== before.revision) {
      throw new Outdated(`the ${kind} "${id}" was ${current === undefined ? 'deleted' : 'changed'} meanwhile`);
    }
    if (after === null) table.delete(id);
    else if (before === null) {
      if (kind === 'credential' && this.#formerAppKeys.has(change.after?.appKeyHash ?? '')) {
        throw new Conflict(`the App Key of the credential "${id}" was given before`);
      }
      table.set(id, { ...this.#created(after), ...this.#since(change, used) });
    } else {
      const { revision, createdAt } = before;
      const version = { revision: revision + 1, createdAt, updatedAt: this.#clock.nowSeconds() };
      table.set(id, { resource: after, ...version, ...this.#since(change, used) });
    }
  }

  #since({ kind, id, before, after }: Change, used: ReadonlySet<string>): Pick<Stored<unknown>, 'labelsSince'> {
    if (after === null || !('labels' in after)) return {};
    const nowSeconds = this.#clock.nowSeconds();
    const former = before as Stored<Consumer> | null;
    return { labelsSince: labelsSinceAfter(former, after, { nowSeconds, isReused: used.has(`${kind} ${id}`) }) };
  }
}

function* labelledOf<K extends LabelledKind>(
  tables: Tables,
  kind: K,
  ids: readonly string[] | undefined,
): Generator<ResourceOf[K]> {
  const table: ReadonlyMap<string, Stored<ResourceOf[K]>> = tables[kind];
  for (const id of ids ?? table.keys()) {
    const stored = table.get(id);
    if (stored !== undefined) yield stored.resource;
  }
}

function checkRights(
  changes: readonly Change[],
  rights: OperatorRights,
  ground: ChangeGround,
  operator: Operator | undefined,
): void {
  if (operator?.enabled !== true) throw new Outdated(`the operator "${rights.operator.id}" is not enabled any more`);
  const overreach = judgeChanges({ ...rights, operator }, changes, ground);
  if (overreach !== null) throw new Outdated(overreach.message, { unnamed: overreach.message });
}

function emptyTables(): Tables {
  return {
    endpoint: new Map(),
    consumer: new Map(),
    credential: new Map(),
    grant: new Map(),
    plan: new Map(),
    issuer: new Map(),
    operator: new Map(),
  };
}

function copyOf(tables: Tables): Tables {
  return {
    endpoint: new Map(tables.endpoint),
    consumer: new Map(tables.consumer),
    credential: new Map(tables.credential),
    grant: new Map(tables.grant),
    plan: new Map(tables.plan),
    issuer: new Map(tables.issuer),
    operator: new Map(tables.operator),
  };
}

/** The newest first, and of one second the greatest id. */
function compareNewest(
  by: NewestFirst['by'],
  one: Stored<unknown> | undefined,
  other: Stored<unknown> | undefined,
): number {
  if (one === undefined || other === undefined) return 0;
  return other[by] - one[by] || (idOf(one) < idOf(other) ? 1 : -1);
}

function idOf({ resource }: Stored<unknown>): string {
  return idOfResource(resource as ResourceOf[ResourceKind]);
}

function isBehind({ by, behind }: NewestFirst, id: string, stored: Stored<unknown>): boolean {
  if (behind === null) return true;
  return stored[by] < behind.atSeconds || (stored[by] === behind.atSeconds && id < behind.id);
}

function isSelected(
  resource: object,
  {
    consumerId,
    endpointId,
    endpointIds,
    isForGroup,
    issuerId,
    subject,
    certificateNames,
    labels = {},
    namedLike,
  }: Selection,
  appKeyHashes: ReadonlySet<string> | null,
  consumerIds: ReadonlySet<string> | null,
): boolean {
  return (
    (consumerId === undefined || ('consumerId' in resource && resource.consumerId === consumerId)) &&
    (consumerIds === null || ('consumerId' in resource && consumerIds.has(String(resource.consumerId)))) &&
    (!('labels' in resource) || carries(resource.labels as Labels, labels)) &&
    (endpointIds === undefined || ('endpointId' in resource && endpointIds.includes(String(resource.endpointId)))) &&
    (namedLike === undefined || isNamedLike(resource as Consumer, namedLike)) &&
    (isForGroup === undefined || 'consumerSelector' in resource) &&
    (issuerId === undefined || issuerOf(resource) === issuerId) &&
    (subject === undefined || listOf(resource, 'subjects').includes(subject)) &&
    (certificateNames === undefined ||
      listOf(resource, 'certificateNames').some((name) => certificateNames.includes(name))) &&
    (endpointId === undefined || ('endpointId' in resource && resource.endpointId === endpointId)) &&
    (appKeyHashes === null || ('appKeyHash' in resource && appKeyHashes.has(String(resource.appKeyHash))))
  );
}

function issuerOf(resource: object): string | null {
  const material = 'material' in resource ? (resource as ManagedCredential).material : null;
  return material?.kind === 'token-claims' ? material.issuerId : null;
}

function listOf(resource: object, field: 'subjects' | 'certificateNames'): readonly string[] {
  return field in resource ? (resource as Readonly<Record<typeof field, readonly string[]>>)[field] : [];
}

/** What is changed, and what it belongs to, has to carry the selector, before and after. */
function checkOwners(changes: readonly Change[], selector: LabelSelector, tables: Tables): void {
  const changed = new Map(changes.map((change) => [`${change.kind} ${change.id}`, change]));
  const carriesAll = (kind: 'endpoint' | 'consumer' | 'issuer', id: string): boolean => {
    const after = changed.get(`${kind} ${id}`)?.after ?? null;
    const sides = [tables[kind].get(id)?.resource ?? null, after as Endpoint | Consumer | Issuer | null];
    return (
      sides.some((side) => side !== null) && sides.every((side) => side === null || carries(side.labels, selector))
    );
  };
  for (const { kind, id, before, after } of changes) {
    const side = after ?? before?.resource;
    const belongs =
      kind === 'grant'
        ? carriesAll('endpoint', (side as Grant).endpointId)
        : kind === 'credential'
          ? carriesAll('consumer', (side as ManagedCredential).consumerId)
          : kind === 'plan'
            ? [before?.resource, after].every((plan) => isOfOwner(plan, selector))
            : kind !== 'operator' && carriesAll(kind, id);
    if (!belongs) throw new Outdated(`the ${kind} "${id}" does not belong to the selector`);
  }
}

function isOfOwner(plan: Plan | null | undefined, selector: LabelSelector): boolean {
  return plan === null || plan === undefined || planBelongsTo(plan, selector);
}

function keepFormerAppKey(change: Change, tables: Tables, formerAppKeys: Set<string>): void {
  if (change.kind !== 'credential' || change.before === null) return;
  const { appKeyHash } = change.before.resource;
  const isHeld = [...tables.credential.values()].some(({ resource }) => resource.appKeyHash === appKeyHash);
  if (!isHeld) formerAppKeys.add(appKeyHash);
}

function checkWhole(tables: Tables): void {
  const hashes = new Set<string>();
  for (const [id, { resource }] of tables.credential) {
    if (!tables.consumer.has(resource.consumerId)) {
      throw new Outdated(`the credential "${id}" belongs to "${resource.consumerId}", which is no consumer`);
    }
    if (hashes.has(resource.appKeyHash)) throw new Conflict(`the App Key of the credential "${id}" is taken`);
    hashes.add(resource.appKeyHash);
  }
  const ranks = new Set<string>();
  for (const [id, { resource }] of tables.grant) {
    const hasConsumer = isGroupGrant(resource) || tables.consumer.has(resource.consumerId);
    const leadsSomewhere = hasConsumer && tables.endpoint.has(resource.endpointId);
    if (!leadsSomewhere) throw new Conflict(`the grant "${id}" leads nowhere`);
    if (!isGroupGrant(resource)) continue;
    const rank = rankOf(resource);
    if (ranks.has(rank)) throw new Conflict(`the grant "${id}" has the priority of another one`);
    ranks.add(rank);
  }
  const priorities = new Set<number>();
  for (const [id, { resource }] of tables.plan) {
    const missing = resource.endpointIds?.find((endpointId) => !tables.endpoint.has(endpointId));
    if (missing !== undefined) throw new Conflict(`the plan "${id}" lists "${missing}", which is no endpoint`);
    if (priorities.has(resource.priority)) throw new Conflict(`the plan "${id}" has the priority of another one`);
    priorities.add(resource.priority);
  }
  const texts = new Set<string>();
  for (const [id, { resource }] of tables.issuer) {
    if (texts.has(resource.issuer)) throw new Conflict(`the issuer "${id}" has the "issuer" of another one`);
    texts.add(resource.issuer);
  }
  const claims = new Map<string, Set<string>>();
  for (const [id, { resource }] of tables.credential) {
    const { material } = resource;
    if (material.kind !== 'token-claims') continue;
    const { issuerId } = material;
    if (!tables.issuer.has(issuerId)) throw new Conflict(`the credential "${id}" names "${issuerId}", no issuer`);
    const names = claims.get(issuerId) ?? new Set();
    claims.set(issuerId, names.add(claimNamesOf(material.claims)));
    if (names.size > MAX_CLAIM_NAMES_OF_ISSUER) throw new Conflict(tooManyClaimNames(issuerId));
  }
  const [collision] = findMatchCollisions([...tables.endpoint.values()].map(({ resource }) => resource));
  if (collision !== undefined) {
    throw new Conflict(`the endpoints "${collision.first.id}" and "${collision.second.id}" claim the same requests`);
  }
}

function concerns({ kind, id, before, after }: AuditEvent, what: 'consumer' | 'endpoint', wanted: string): boolean {
  const isNamed = (side: AuditEvent['before']): boolean =>
    side?.[what] === wanted ||
    (what === 'endpoint' && (side?.['endpoints'] as unknown[] | undefined)?.includes(wanted) === true);
  return (kind === what && id === wanted) || isNamed(before) || isNamed(after);
}

/** Every resource of a store with its revision and times, by kind: to compare two states. */
export async function contentsOf(store: ResourceStore): Promise<Record<ResourceKind, readonly unknown[]>> {
  const contents: Record<ResourceKind, unknown[]> = {
    endpoint: [],
    consumer: [],
    credential: [],
    grant: [],
    plan: [],
    issuer: [],
    operator: [],
  };
  for (const kind of resourceKinds) {
    for await (const { resource } of store.list(kind)) {
      contents[kind].push(
        kind === 'credential' ? declareCredential(resource as ManagedCredential, 'reveal') : resource,
      );
    }
  }
  return contents;
}
