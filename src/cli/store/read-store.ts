import type { StoreFlags } from '../flags/options.ts';
import { NotFound, type ResourceStore } from '../../manage/resource-store.ts';
import { grantId } from '../../resources/grant.ts';
import type { ResourceKind, ResourceOf, Stored } from '../../resources/resource.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { Grant } from '../../model/grant.ts';
import type { CommandContext } from '../command.ts';
import { reportFailure, writeSafely } from '../failure.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import type { OpenedStore, SecretsNeeded } from './open-store.ts';

/**
 * Opens the store for a piece of work, and closes it whatever comes of it. Faults become exit codes with a message.
 * `command` names the work in messages, and in the audit trail: `consumer disable`.
 */
export async function useStore(
  { openStore, terminal }: CommandContext,
  command: string,
  { store, timeout: timeoutMs }: Pick<StoreFlags, 'store' | 'timeout'>,
  needsSecrets: SecretsNeeded,
  work: (store: OpenedStore) => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    const warn = (message: string): void => {
      writeSafely(terminal.err, `warning: ${message}\n`);
    };
    const { environment } = terminal;
    await using opened = await openStore({ command, store, environment, needsSecrets, timeoutMs, warn });
    return await work(opened);
  } catch (error) {
    return reportFailure(`postern ${command}`, error, terminal);
  }
}

/** Runs a command that only shows what is in the store, and needs no secrets unless it says so. */
export async function readStore(
  context: CommandContext,
  command: string,
  flags: StoreFlags,
  show: (store: OpenedStore) => Promise<void>,
  needsSecrets = false,
): Promise<void> {
  const code = await useStore(context, command, flags, needsSecrets, async (store) => {
    await show(store);
    return exitCodes.done;
  });
  context.finish(code);
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
  throw new NotFound(kind, id, await someIds(store, kind));
}

async function someIds(store: ResourceStore, kind: ResourceKind): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { resource } of store.list(kind)) {
    ids.push('id' in resource ? resource.id : grantId(resource));
    if (ids.length >= MAX_LOOKED_AT) break;
  }
  return ids;
}

/** The grant of a consumer on an endpoint. Throws `NotFound`: for the endpoint or the consumer, when it is one of them. */
export async function requireGrant(
  store: ResourceStore,
  pair: Pick<Grant, 'endpointId' | 'consumerId'>,
): Promise<Stored<Grant>> {
  const stored = await store.find('grant', grantId(pair));
  if (stored !== null) return stored;
  await requireResource(store, 'endpoint', pair.endpointId);
  await requireResource(store, 'consumer', pair.consumerId);
  return await requireResource(store, 'grant', grantId(pair));
}

/** All endpoints, in the order of their ids. There are as many as an operator writes, so they fit into memory. */
export async function listEndpoints(store: ResourceStore): Promise<readonly Endpoint[]> {
  const endpoints: Endpoint[] = [];
  for await (const { resource } of store.list('endpoint')) endpoints.push(resource);
  return endpoints;
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

/** Everything of a stream. For what is bounded: the endpoints, or what belongs to one resource. */
export async function collectAll<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
