import type { CredentialDirectory } from '../../resources/changes/credential-directory.ts';
import {
  pagesOf,
  type ResourceStore,
  type Selection,
  type UsageSource,
} from '../../resources/changes/resource-store.ts';
import type { ShownCredential } from '../../resources/changes/shown-credential.ts';
import type { Operator } from '../../model/operator.ts';
import type { ManagedCredential, Stored } from '../../resources/resource.ts';
import { reachedIds } from './reach.ts';
import { readPage } from './read-page.ts';

/** What lists are read from. */
export interface CredentialLists {
  readonly resources: ResourceStore;
  readonly usage: UsageSource;
  readonly directory: Pick<CredentialDirectory, 'withKeyEnd'>;
}

/** Which credentials of a list an operator gets. */
export interface ListWish {
  readonly operator: Operator;
  readonly limit: number;
  readonly isWanted: (credential: ManagedCredential) => boolean;
  readonly isUseWanted: (shown: ShownCredential) => boolean;
}

interface ListPage {
  readonly shown: readonly ShownCredential[];
  /** Behind which one the next page begins; null for the last. */
  readonly last: Stored<ManagedCredential> | null;
}

/** Those whose App Key ends so, in the order of their ids, behind one of them. */
export async function listByKeyEnd(
  { directory, ...source }: CredentialLists,
  end: string,
  { after, consumerId }: Pick<Selection, 'after' | 'consumerId'>,
  wish: ListWish,
): Promise<ListPage> {
  const ids = directory.withKeyEnd(end, { after, most: wish.limit + 1 });
  return await pageOf(source, credentialsOf(source.resources, ids, consumerId), wish);
}

/** Those that were created last, the newest first. */
export async function listNewest(
  source: Omit<CredentialLists, 'directory'>,
  selection: Pick<Selection, 'newest' | 'consumerId'>,
  wish: ListWish,
): Promise<ListPage> {
  const listed = source.resources.list('credential', { ...selection, most: wish.limit + 1 });
  return await pageOf(source, listed, wish);
}

const IDS_AT_ONCE = 100;

async function* credentialsOf(
  resources: ResourceStore,
  ids: AsyncIterable<string>,
  consumerId: string | undefined,
): AsyncGenerator<Stored<ManagedCredential>> {
  for await (const page of pagesOf(ids, IDS_AT_ONCE)) yield* resources.list('credential', { ids: page, consumerId });
}

async function pageOf(
  { resources, usage }: Omit<CredentialLists, 'directory'>,
  listed: AsyncIterable<Stored<ManagedCredential>>,
  { operator, limit, isWanted, isUseWanted }: ListWish,
): Promise<ListPage> {
  const choose = async (some: readonly ShownCredential[]): Promise<readonly ShownCredential[]> => {
    const wanted = some.filter(({ stored }) => isWanted(stored.resource));
    const owners = wanted.map(({ stored }) => stored.resource.consumerId);
    const reached = await reachedIds(operator, 'consumer', [...new Set(owners)], resources);
    const own = wanted.filter(({ stored }) => reached.has(stored.resource.consumerId));
    const uses = await usage.usageOf(own.map(({ stored }) => stored.resource.id));
    return own
      .map(({ stored }) => ({ stored, usage: uses.get(stored.resource.id) ?? null }))
      .filter((shown) => isUseWanted(shown));
  };
  // Their secrets are opened when they are read: no more than a page needs.
  const { shown, last } = await readPage(unused(listed), limit, choose, () => 1, limit + 1);
  return { shown, last: last?.stored ?? null };
}

async function* unused(listed: AsyncIterable<Stored<ManagedCredential>>): AsyncGenerator<ShownCredential> {
  for await (const stored of listed) yield { stored, usage: null };
}
