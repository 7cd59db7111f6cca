import type { LabelSelector } from '../../model/labels.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { ManagedCredential, Stored } from '../resource.ts';
import { fillPage, type Piece } from './fill-page.ts';
import { pagesOf, type ResourceStore, type UsageSource } from './resource-store.ts';
import { readShownCredentials, type ShownCredential } from './shown-credential.ts';
import { type AccessPage, listAccessPages } from './who-may.ts';

/** Where a list of credentials goes on: behind one of a consumer; null for behind a consumer with all it has. */
export interface CredentialPlace {
  readonly consumerId: string;
  readonly credentialId: string | null;
}

/** Which credentials. */
export interface CredentialWish {
  /** Those of consumers that carry these labels. */
  readonly labels: LabelSelector;
  /** Those of this consumer. */
  readonly consumerId?: string | undefined;
  /** Those that this endpoint lets in now. */
  readonly endpoint?: Endpoint | undefined;
  readonly isWanted: (credential: ManagedCredential) => boolean;
  /** By when it was used; asked of those that are wanted. */
  readonly isUseWanted: (shown: ShownCredential) => boolean;
}

/** A page of credentials, and behind which place the next one begins; null for the last. */
export interface CredentialPage {
  readonly shown: readonly ShownCredential[];
  readonly next: CredentialPlace | null;
}

/** What a page is read from. */
export interface CredentialSource {
  readonly resources: ResourceStore;
  readonly usage: UsageSource;
}

/** Consumers whose credentials are asked for at once. */
const CONSUMERS_AT_ONCE = 100;
/** At first: one may have a page of them alone. */
const FIRST_CONSUMERS = 5;

/**
 * Reads the credentials of a wish, in the order of their consumers and then of their ids: at most `limit`, those behind
 * `from`. So a page costs the same wherever it begins, also where few consumers carry the labels. It is empty only at
 * the end ({@link fillPage}).
 */
export async function readCredentialPage(
  source: CredentialSource,
  wish: CredentialWish,
  { from, limit, nowSeconds }: { readonly from: CredentialPlace | null; limit: number; nowSeconds: number },
): Promise<CredentialPage> {
  return await fillPage(listOwned(source, wish, from, nowSeconds), {
    limit,
    placeOf: ({ stored: { resource } }) => ({ consumerId: resource.consumerId, credentialId: resource.id }),
  });
}

async function* listOwned(
  source: CredentialSource,
  wish: CredentialWish,
  from: CredentialPlace | null,
  nowSeconds: number,
): AsyncGenerator<Piece<ShownCredential, CredentialPlace>> {
  for await (const { owners, lookedAt, last } of listOwners(source.resources, wish, from, nowSeconds)) {
    const chosen = await readOwned(source, owners, wish, from);
    yield { chosen, lookedAt, last: { consumerId: last, credentialId: null } };
  }
}

/** A consumer, and which of its credentials; null for all. */
interface Owner {
  readonly consumerId: string;
  readonly credentialIds: readonly string[] | null;
}

interface OwnerPage extends Pick<AccessPage, 'lookedAt' | 'last'> {
  readonly owners: readonly Owner[];
}

async function* listOwners(
  resources: ResourceStore,
  { endpoint, labels, consumerId: only }: CredentialWish,
  from: CredentialPlace | null,
  nowSeconds: number,
): AsyncGenerator<OwnerPage> {
  const after = only === undefined ? placeAfter(from) : largerOf(placeAfter(from), justBefore(only));
  if (endpoint === undefined) {
    const ids = only === undefined ? undefined : [only];
    for await (const page of pagesOf(
      resources.list('consumer', { labels, after, ids, most: CONSUMERS_AT_ONCE }),
      CONSUMERS_AT_ONCE,
      FIRST_CONSUMERS,
    )) {
      const owners = page.map(({ resource }) => ({ consumerId: resource.id, credentialIds: null }));
      yield { owners, lookedAt: page.length, last: owners.at(-1)?.consumerId ?? '' };
    }
    return;
  }
  const selection = { labels, after, id: only };
  for await (const { letIn, lookedAt, last } of listAccessPages(resources, endpoint, nowSeconds, selection)) {
    const owners = letIn
      .filter(({ access }) => access.obstacles.length === 0)
      .map(({ consumer, access }) => ({ consumerId: consumer.id, credentialIds: access.credentialIds }));
    yield { owners, lookedAt, last };
  }
}

/** The consumer that a page ended within comes again, with those of its credentials that are left. */
function placeAfter(from: CredentialPlace | null): string | undefined {
  if (from === null) return undefined;
  return from.credentialId === null ? from.consumerId : justBefore(from.consumerId);
}

/** What is before an id and behind every id before it: ids hold a-z, 0-9 and "-". */
function justBefore(id: string): string {
  return `${id.slice(0, -1)}${String.fromCharCode(id.charCodeAt(id.length - 1) - 1)}~`;
}

function largerOf(one: string | undefined, other: string): string {
  return one !== undefined && one > other ? one : other;
}

/** The credentials of some consumers, consumer by consumer. */
async function readOwned(
  { resources, usage }: CredentialSource,
  owners: readonly Owner[],
  { isWanted, isUseWanted }: CredentialWish,
  from: CredentialPlace | null,
): Promise<readonly ShownCredential[]> {
  const byOwner = new Map<string, Stored<ManagedCredential>[]>(owners.map(({ consumerId }) => [consumerId, []]));
  const chosen = new Map(owners.map(({ consumerId, credentialIds }) => [consumerId, credentialIds]));
  for await (const stored of resources.list('credential', { consumerIds: [...byOwner.keys()] })) {
    const { id, consumerId } = stored.resource;
    const isLeft = from?.consumerId !== consumerId || from.credentialId === null || id > from.credentialId;
    const isChosen = chosen.get(consumerId)?.includes(id) ?? true;
    if (isLeft && isChosen && isWanted(stored.resource)) byOwner.get(consumerId)?.push(stored);
  }
  const shown: ShownCredential[] = [];
  for await (const each of readShownCredentials(inOrder(byOwner), usage)) if (isUseWanted(each)) shown.push(each);
  return shown;
}

async function* inOrder<T>(lists: ReadonlyMap<string, readonly T[]>): AsyncGenerator<T> {
  await Promise.resolve();
  for (const list of lists.values()) yield* list;
}
