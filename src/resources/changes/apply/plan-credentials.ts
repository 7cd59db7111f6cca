import { isDeepStrictEqual } from 'node:util';
import { declareCredential, type DocumentCredential } from '../../credential.ts';
import { describeKnownBy } from '../../known-by.ts';
import { materialFacts, secretsIn } from '../../../model/material.ts';
import type { Secret } from '../../../model/secret.ts';
import { type Placed, placeIn, type ProblemLog } from '../../../model/document/problem-log.ts';
import { isUnopened } from '../../../model/keyring/sealed.ts';
import type { Change } from '../change.ts';
import { changesSecrets } from '../describe-change.ts';
import type { ManagedCredential, Stored } from '../../resource.ts';
import { chooseIds } from './choose-ids.ts';
import { keepState } from './keep-stopped.ts';
import { listSelected } from '../list-selected.ts';
import { chunksOf, pagesOf, type ResourceStore } from '../resource-store.ts';
import type { ApplyPlan, GeneratedCredential, KindPlan, Planning } from './apply-plan.ts';
import { resolveCredential } from './resolve-credential.ts';

/** The plan of all credentials, with what was generated for new ones. */
type CredentialPlan = KindPlan & Pick<ApplyPlan, 'generated'>;

/** A declared credential and what became of it. */
interface Entry {
  readonly declared: DocumentCredential;
  readonly placed: Placed<DocumentCredential>;
  /** Of the stored credential that it is, or the one it gets. */
  id: string | null;
  outcome: Change | 'unchanged' | 'faulty' | null;
}

/** Few enough for one message to the store. */
const HASHES_PER_QUESTION = 1000;

/**
 * Plans credentials. One with an id is the stored one of that id; one without is that with its App Key, whatever the
 * id. New ones without an id get one: `<consumer>-<method>`, with a number where that is taken.
 */
export async function planCredentials(
  declared: readonly Placed<DocumentCredential>[],
  store: ResourceStore,
  { isPruning, selector }: Planning,
  problems: ProblemLog,
): Promise<CredentialPlan> {
  const planner = new CredentialPlanner(declared, problems);
  const hashes = store.recognise === undefined ? noHashes : await readHashes(declared, store);
  const recognised = (listed: AsyncIterable<Stored<ManagedCredential>>): AsyncIterable<Stored<ManagedCredential>> =>
    recogniseIn(listed, planner, store, hashes);
  if (isPruning) {
    const listed = recognised(listSelected(store, 'credential', selector));
    for await (const stored of listed) planner.meet(stored, { isPruning });
  }
  if (!isPruning || selector !== undefined) {
    const named = recognised(store.list('credential', { ids: planner.openIds() }));
    for await (const stored of named) planner.meet(stored);
    const held = store.recognise === undefined ? null : new Set(hashes.values());
    const open = planner.openAppKeyHashes().filter((hash) => held?.has(hash) ?? true);
    for (const appKeyHashes of chunksOf(open, HASHES_PER_QUESTION)) {
      for await (const stored of recognised(store.list('credential', { appKeyHashes }))) planner.meet(stored);
    }
  }
  await planner.addNew(store);
  return planner.plan();
}

const noHashes: ReadonlyMap<string, string> = new Map();

/** Of the App Keys of the document that the store has: by the ids of their credentials. */
async function readHashes(
  declared: readonly Placed<DocumentCredential>[],
  store: ResourceStore,
): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  const wanted = declared.flatMap(({ value: { appKeyHash } }) => appKeyHash ?? []);
  for (const appKeyHashes of chunksOf(wanted, HASHES_PER_QUESTION)) {
    for await (const { resource } of store.list('credential', { appKeyHashes })) {
      hashes.set(resource.id, resource.appKeyHash);
    }
  }
  return hashes;
}

/**
 * Credentials, in which the secrets and App Keys of the document can be seen where the store keeps its own to itself.
 */
async function* recogniseIn(
  listed: AsyncIterable<Stored<ManagedCredential>>,
  planner: CredentialPlanner,
  { recognise }: Pick<ResourceStore, 'recognise'>,
  hashes: ReadonlyMap<string, string>,
): AsyncGenerator<Stored<ManagedCredential>> {
  if (recognise === undefined) {
    yield* listed;
    return;
  }
  const withHash = (stored: Stored<ManagedCredential>): Stored<ManagedCredential> => {
    const { resource } = stored;
    return { ...stored, resource: { ...resource, appKeyHash: hashes.get(resource.id) ?? resource.appKeyHash } };
  };
  for await (const some of pagesOf(listed, RECOGNISED_AT_ONCE)) {
    const page = some.map(withHash);
    yield* await recognise(page, new Map(page.map(({ resource }) => [resource.id, planner.secretsFor(resource)])));
  }
}

const RECOGNISED_AT_ONCE = 500;

/** Owns what is known of each declared credential while stored ones come by. */
class CredentialPlanner {
  readonly #entries: readonly Entry[];
  readonly #byId = new Map<string, Entry>();
  readonly #byAppKeyHash = new Map<string, Entry>();
  readonly #problems: ProblemLog;
  readonly #met = new Set<string>();
  readonly #deleted = new Map<string, Change>();
  readonly #generated = new Map<string, GeneratedCredential>();
  #unchangedCount = 0;

  constructor(declared: readonly Placed<DocumentCredential>[], problems: ProblemLog) {
    this.#problems = problems;
    this.#entries = declared.map((placed) => ({ declared: placed.value, placed, id: placed.value.id, outcome: null }));
    for (const entry of this.#entries) {
      const { id, appKeyHash } = entry.declared;
      if (id !== null) this.#byId.set(id, entry);
      if (appKeyHash !== null) this.#byAppKeyHash.set(appKeyHash, entry);
    }
  }

  /** Declared ids that no stored credential was met for. */
  openIds(): readonly string[] {
    return [...this.#byId.keys()].filter((id) => !this.#met.has(id));
  }

  /** App Keys that the store may have under another id. */
  openAppKeyHashes(): readonly string[] {
    return this.#entries.flatMap(({ declared: { appKeyHash }, outcome }) => {
      if (appKeyHash === null || outcome === 'unchanged') return [];
      const isItsOwn = outcome !== null && outcome !== 'faulty' && heldBefore(outcome) === appKeyHash;
      return isItsOwn ? [] : [appKeyHash];
    });
  }

  /** The secrets that the document has for a stored credential. */
  secretsFor({ id, appKeyHash }: ManagedCredential): readonly Secret[] {
    const entry = this.#byId.get(id) ?? this.#byAppKeyHash.get(appKeyHash);
    const secrets = entry === undefined ? [] : [...secretsIn(entry.declared.material).values()];
    return secrets.filter((secret) => secret !== null);
  }

  /** Takes a stored credential, any number of times. */
  meet(stored: Stored<ManagedCredential>, { isPruning = false } = {}): void {
    const { id, appKeyHash } = stored.resource;
    const named = this.#byId.get(id);
    const holder = this.#byAppKeyHash.get(appKeyHash);
    const isLeft = named === undefined && (isPruning || this.#deleted.has(id));
    // What a deleted one is known by is free; its App Key is not.
    const isFree = isLeft && materialFacts[stored.resource.material.kind].appKey === 'derived';
    if (holder !== undefined && holder !== named && !isFree) this.#meetHolder(holder, named, stored);
    if (this.#met.has(id)) return;
    this.#met.add(id);
    const entry = named ?? (holder?.declared.id === null ? holder : undefined);
    if (entry !== undefined) this.#resolve(entry, id, stored);
    else if (isPruning) this.#deleted.set(id, { kind: 'credential', id, before: stored, after: null });
  }

  /** A stored credential whose App Key stands at a credential of another id, or of none. */
  #meetHolder(holder: Entry, named: Entry | undefined, { resource: { id } }: Stored<ManagedCredential>): void {
    if (holder.declared.id === null && named === undefined) return;
    if (holder.outcome === 'faulty') return;
    const knownBy = describeKnownBy(holder.declared.material);
    if (knownBy !== null) {
      const taken = `the credential ${JSON.stringify(id)} in the store is known by ${knownBy}, as this would be`;
      this.#fault(holder, null, `${taken}; give this one its id, or delete that one with --prune`);
      return;
    }
    const message =
      holder.declared.id === null
        ? `this App Key is that of the credential ${JSON.stringify(id)} in the store, which the document gives another one; add the id, or remove one of the two`
        : `the App Key belongs to the credential ${JSON.stringify(id)} in the store; an App Key is never given twice`;
    this.#fault(holder, 'appKey', message);
  }

  #resolve(entry: Entry, id: string, stored: Stored<ManagedCredential> | null): void {
    if (entry.outcome === 'faulty') return;
    entry.id = id;
    const { declared, placed } = entry;
    const kept = stored === null ? declared : keepState(placed, stored.resource);
    const resolved = resolveCredential(kept, id, stored?.resource ?? null);
    if ('faults' in resolved) {
      for (const { key, message } of resolved.faults) this.#fault(entry, key, message);
      return;
    }
    const { credential, generated } = resolved;
    if (generated !== null) this.#generated.set(id, { ...generated, credential });
    if (stored !== null && isSameCredential(stored, credential)) {
      entry.outcome = 'unchanged';
      this.#unchangedCount += 1;
    } else {
      entry.outcome = { kind: 'credential', id, before: stored, after: credential };
    }
  }

  #fault(entry: Entry, key: string | null, message: string): void {
    const { place } = entry.placed;
    entry.outcome = 'faulty';
    this.#problems.report(key === null ? place : placeIn(place, key), message);
  }

  /** Plans what no stored credential was met for. */
  async addNew(store: ResourceStore): Promise<void> {
    const unnamed = this.#entries.filter(({ id, outcome }) => id === null && outcome === null);
    const taken = new Set([...this.#byId.keys(), ...this.#met]);
    const declared = unnamed.map((entry) => entry.declared);
    const ids = await chooseIds(declared, taken, store);
    for (const [index, entry] of unnamed.entries()) entry.id = ids[index] ?? null;
    for (const entry of this.#entries) {
      if (entry.outcome === null && entry.id !== null) this.#resolve(entry, entry.id, null);
    }
  }

  plan(): CredentialPlan {
    return {
      made: this.#entries.flatMap(({ outcome }) => (typeof outcome === 'string' ? [] : (outcome ?? []))),
      deleted: [...this.#deleted.values()],
      unchangedCount: this.#unchangedCount,
      generated: this.#generated,
    };
  }
}

function heldBefore(change: Change): string | null {
  return change.kind === 'credential' ? (change.before?.resource.appKeyHash ?? null) : null;
}

/** An App Key that is the secret is the same by its hash, but not when only one of the two can be looked up. */
function isSameCredential(before: Stored<ManagedCredential>, after: ManagedCredential): boolean {
  const { resource } = before;
  if ((resource.appKey === null) !== (after.appKey === null)) return false;
  if (isUnopened(resource.appKey) && resource.appKey !== after.appKey) return false;
  if (!isDeepStrictEqual(declareCredential(resource, 'leave-out'), declareCredential(after, 'leave-out'))) return false;
  return !changesSecrets({ kind: 'credential', id: after.id, before, after });
}
