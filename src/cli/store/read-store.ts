import type { Command } from 'commander';
import { FaultyKeyRing } from '../../model/keyring/read-key-ring.ts';
import { addStoreOptions, type StoreFlags } from '../flags/options.ts';
import { NotFound, notFound, type ResourceStore } from '../../resources/changes/resource-store.ts';
import { describeGrant, grantId } from '../../resources/grant.ts';
import type { ResourceKind, ResourceOf, Stored } from '../../resources/resource.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { type Grant, type GrantTarget, isGroupGrant } from '../../model/grant.ts';
import { addAction, addHelp, type CommandContext, type Help, nameOf, readExits } from '../command.ts';
import { writeSafely } from '../failure.ts';
import { exitCodes } from '../terminal.ts';
import type { OpenedStore, SecretsNeeded } from '../opened-store.ts';

/** Opens the store for a command, which `await using` closes. Rejects as {@link OpenStore} does. */
export async function openFor(
  { openStore, terminal: { environment, err } }: CommandContext,
  command: string,
  { store, timeout: timeoutMs }: Pick<StoreFlags, 'store' | 'timeout'>,
  needsSecrets: SecretsNeeded,
): Promise<OpenedStore> {
  const warn = (message: string): void => {
    writeSafely(err, `warning: ${message}\n`);
  };
  return await openStore({ command, store, environment, needsSecrets, timeoutMs, warn });
}

/** The same with secrets that can be opened here: none where the key ring is faulty, which another command reports. */
async function openWherePossible(...wish: Parameters<typeof openFor>): Promise<OpenedStore> {
  const [context, command, flags] = wish;
  try {
    return await openFor(context, command, flags, 'where-possible');
  } catch (error) {
    if (!(error instanceof FaultyKeyRing)) throw error;
    return await openFor(context, command, flags, false);
  }
}

/**
 * What differs between commands that only show what is in the store. `F` are the flags of its own, `A` its operands.
 */
interface ReadAction<F, A extends readonly unknown[]> extends Help {
  readonly show: (store: OpenedStore, flags: F & StoreFlags, ...operands: A) => Promise<void>;
  /** Whether it shows secrets, for which it needs the key ring. */
  readonly needsSecrets?: (flags: F) => boolean | 'where-possible';
  /** Formats beside the usual ones. */
  readonly otherFormats?: readonly 'csv'[];
}

/** Makes a command show what is in the store: adds its flags, its help and its action. */
export function addReadAction<F, A extends readonly unknown[]>(
  command: Command,
  context: CommandContext,
  { show, needsSecrets, otherFormats, ...help }: ReadAction<F, A>,
): void {
  addStoreOptions(command, otherFormats);
  addHelp(command, { ...help, exits: { ...readExits, ...help.exits } });
  addAction(command, context, async () => {
    const flags: F & StoreFlags = command.opts();
    const needed = needsSecrets?.(flags) ?? false;
    const open = needed === 'where-possible' ? openWherePossible : openFor;
    await using store = await open(context, nameOf(command), flags, needed);
    await show(store, flags, ...(command.processedArgs as unknown as A));
    return exitCodes.done;
  });
}

/** Ids that are looked at for one that was meant: a store can have millions. */
const MAX_LOOKED_AT = 5000;

/** The resource of an id. Throws `NotFound`, which names the id that may have been meant. */
export async function requireResource<K extends ResourceKind>(
  store: ResourceStore,
  kind: K,
  id: string,
): Promise<Stored<ResourceOf[K]>> {
  const stored = await store.find(kind, id);
  if (stored !== null) return stored;
  throw notFound(kind, id, await someIds(store, kind));
}

async function someIds(store: ResourceStore, kind: ResourceKind): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { resource } of store.list(kind)) {
    ids.push('id' in resource ? resource.id : grantId(resource));
    if (ids.length >= MAX_LOOKED_AT) break;
  }
  return ids;
}

/**
 * The grant of a consumer or a group on an endpoint. Throws `NotFound`: for the endpoint or the consumer, when it is
 * one of them, else with the advice that is given.
 */
export async function requireGrant(store: ResourceStore, target: GrantTarget, advice?: string): Promise<Stored<Grant>> {
  const stored = await store.find('grant', grantId(target));
  if (stored !== null) return stored;
  await requireResource(store, 'endpoint', target.endpointId);
  if (!isGroupGrant(target)) await requireResource(store, 'consumer', target.consumerId);
  if (advice !== undefined) throw new NotFound(`there is no ${describeGrant(target)}; ${advice}`);
  return await requireResource(store, 'grant', grantId(target));
}

/** The endpoint of an id among those of a store. Throws `NotFound`, which names the id that may have been meant. */
export function requireEndpoint(id: string, endpoints: readonly Endpoint[]): Endpoint {
  const endpoint = endpoints.find((candidate) => candidate.id === id);
  if (endpoint !== undefined) return endpoint;
  const ids = endpoints.map((candidate) => candidate.id);
  throw notFound('endpoint', id, ids);
}

/** Those items of a stream that are wanted, at most so many. Reads no further than it must. */
export async function* selectFrom<T>(
  items: AsyncIterable<T>,
  isWanted: (item: T) => boolean,
  limit = Infinity,
): AsyncGenerator<T, void, undefined> {
  let selected = 0;
  for await (const item of items) {
    if (!isWanted(item)) continue;
    yield item;
    selected += 1;
    if (selected >= limit) return;
  }
}
