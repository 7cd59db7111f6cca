import { MAX_CHANGES_PER_COMMIT } from '../../model/bounds.ts';
import { isMapping } from '../../model/document/fields.ts';
import { KeptSecret } from '../../model/kept-secret.ts';
import { mapSecrets } from '../../model/material.ts';
import { Secret } from '../../model/secret.ts';
import type { Change, Operation } from '../../resources/changes/change.ts';
import { textOf } from '../../resources/changes/generate-credential.ts';
import {
  chunksOf,
  type RecogniseSecrets,
  type ResourceStore,
  type Selection,
  type Usage,
  type UsageSource,
} from '../../resources/changes/resource-store.ts';
import { readRecord, readRecordUsage, RecordFault } from '../../resources/changes/wire/record.ts';
import { declareSentChange } from '../../resources/changes/wire/sent-change.ts';
import type { ManagedCredential, ResourceKind, ResourceOf, Stored } from '../../resources/resource.ts';
import type { ApiAnswer, ApiClient } from './api-client.ts';
import { standsStill } from './read-timeline.ts';

/** Ids that are asked for at once. */
const IDS_AT_ONCE = 3000;
const PAGE = 500;
/** As many App Keys as one question of every role may have. */
const HASHES_AT_ONCE = 1000;
const LIST = '/v1/resources:list';
/** Credentials whose secrets are compared at once, and secrets of one: a current and a former one. */
const COMPARED_AT_ONCE = 500;
const SECRETS_OF_ONE = 2;
/** Of a large change, beyond the usual time for an answer: as a database is given. */
const MS_PER_THOUSAND_CHANGES = 5000;

/**
 * The resources of a store behind the management API, within the reach of the person whose token is used. Secrets stay
 * there: each is a `KeptSecret`.
 */
export class RemoteResources implements ResourceStore, UsageSource {
  readonly maxChangesPerCommit = MAX_CHANGES_PER_COMMIT;
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  async find<K extends ResourceKind>(kind: K, id: string): Promise<Stored<ResourceOf[K]> | null> {
    const { items } = await this.#page({ kind, ids: [id], limit: 1 });
    const [first] = items;
    return first === undefined ? null : this.#read(kind, first);
  }

  async *list<K extends ResourceKind>(kind: K, selection: Selection = {}): AsyncGenerator<Stored<ResourceOf[K]>> {
    for await (const item of this.#records(kind, selection)) yield this.#read(kind, item);
  }

  async commit(changes: readonly Change[], { action, reason, selector }: Operation): Promise<number> {
    const why = reason === undefined ? '' : `?reason=${encodeURIComponent(reason)}`;
    const body = { action, changes: changes.map(declareSentChange), ...(selector === undefined ? {} : { selector }) };
    const moreMs = Math.floor(changes.length / 1000) * MS_PER_THOUSAND_CHANGES;
    const { revision } = await this.#client.ask('POST', `/v1/resources:change${why}`, { body, isChange: true, moreMs });
    if (typeof revision !== 'number') throw this.#strange('no revision');
    return revision;
  }

  async usageOf(credentialIds: readonly string[]): Promise<ReadonlyMap<string, Usage>> {
    const usage = new Map<string, Usage>();
    for await (const item of this.#records('credential', { ids: credentialIds })) {
      const used = readRecordUsage(item);
      if (used !== null) usage.set(this.#read('credential', item).resource.id, used);
    }
    return usage;
  }

  readonly recognise: RecogniseSecrets = async (stored, given) => {
    const items = stored.flatMap(({ resource: { id, material } }) => {
      const secrets = [...new Set((given.get(id) ?? []).map(textOf))].slice(0, SECRETS_OF_ONE);
      return secrets.length === 0 || material.kind !== 'shared-secret' ? [] : [{ id, secrets }];
    });
    const known = new Map<string, ReadonlyMap<string, Secret>>();
    for (const some of chunksOf(items, COMPARED_AT_ONCE)) {
      const answer = await this.#client.ask('POST', '/v1/credentials:compare', { body: { items: some } });
      const found = new Map(listOf(answer['items']).map((each) => [String(each['id']), each['paths']]));
      for (const { id, secrets } of some) {
        const paths = found.get(id);
        if (!Array.isArray(paths)) continue;
        known.set(id, new Map(secrets.map((text, index) => [String(paths[index]), Secret.fromText(text)])));
      }
    }
    return stored.map((each) => withSeen(each, known.get(each.resource.id)));
  };

  async *#records(kind: ResourceKind, selection: Selection): AsyncGenerator {
    const { ids, consumerId, consumerIds, endpointId, endpointIds, isForGroup, appKeyHashes, most = PAGE } = selection;
    const { issuerId, labels, namedLike, subject, certificateNames } = selection;
    if (subject !== undefined || certificateNames !== undefined) throw new Error('commands do not select so');
    const asked = {
      kind,
      consumerIds: within(consumerId, consumerIds),
      endpointIds: within(endpointId, endpointIds),
      issuer: issuerId,
      forGroups: isForGroup === true,
      labels,
      q: namedLike,
      limit: Math.max(1, Math.min(most, PAGE)),
    };
    const pieces = ids === undefined ? [undefined] : [...chunksOf([...new Set(ids)].sort(), IDS_AT_ONCE)];
    const hashes = appKeyHashes === undefined ? [undefined] : [...chunksOf(appKeyHashes, HASHES_AT_ONCE)];
    for (const some of pieces) {
      for (const few of hashes) yield* this.#pages({ ...asked, ids: some, appKeyHashes: few }, selection.after ?? null);
    }
  }

  async *#pages(asked: object, from: string | null): AsyncGenerator {
    let after = from;
    do {
      const page = await this.#page({ ...asked, ...(after === null ? {} : { after }) });
      yield* page.items;
      // Ids ascend; an API that does not keep to it would be asked without end.
      const isBehind = page.next !== null && (page.items.length === 0 || (after !== null && page.next <= after));
      if (isBehind) throw standsStill(this.#client.origin, `POST ${LIST}`);
      after = page.next;
    } while (after !== null);
  }

  async #page(body: object): Promise<{ readonly items: readonly unknown[]; readonly next: string | null }> {
    const { items, next }: ApiAnswer = await this.#client.ask('POST', LIST, { body });
    if (!Array.isArray(items) || (next !== null && typeof next !== 'string')) throw this.#strange('no page');
    return { items, next };
  }

  #read<K extends ResourceKind>(kind: K, item: unknown): Stored<ResourceOf[K]> {
    try {
      return readRecord(kind, item);
    } catch (error) {
      throw error instanceof RecordFault ? this.#strange(error.message) : error;
    }
  }

  #strange(what: string): Error {
    return new Error(
      `${this.#client.origin} answered what this version of Postern does not understand (${what}); use the version of "postern manage"`,
    );
  }
}

/** The same credential, in which these secrets can be seen. */
function withSeen(
  stored: Stored<ManagedCredential>,
  seen: ReadonlyMap<string, Secret> | undefined,
): Stored<ManagedCredential> {
  if (seen === undefined) return stored;
  const material = mapSecrets(stored.resource.material, (secret, path) => {
    const same = seen.get(path);
    return same === undefined ? secret : new KeptSecret(path, { same });
  });
  return { ...stored, resource: { ...stored.resource, material } };
}

function listOf(raw: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(raw) ? raw.filter(isMapping) : [];
}

/** One id, some, or those of both. */
function within(id: string | undefined, ids: readonly string[] | undefined): readonly string[] | undefined {
  if (id === undefined) return ids;
  return ids === undefined || ids.includes(id) ? [id] : [];
}
