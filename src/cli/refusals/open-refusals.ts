import { existsSync } from 'node:fs';
import type { RefusalSource } from '../../check/refusals/refusal-record.ts';
import type { CommandContext } from '../command.ts';
import type { StoreFlags } from '../flags/options.ts';
import { describe, findAdminAddress } from '../store/admin-listener.ts';
import { findStore } from '../store/open-store.ts';
import { openFor, requireResource } from '../store/read-store.ts';
import { createReplicaSource } from './ask-replica.ts';

/** The flags that say where refusals are looked up. */
export interface RefusalPlaceFlags extends Pick<StoreFlags, 'store' | 'timeout'> {
  readonly admin?: string;
}

/** Refusals as a command has them open. */
export interface OpenedRefusals extends AsyncDisposable {
  readonly source: RefusalSource;
  /** The replica whose memory they are; null where a database has those of all replicas. */
  readonly replica: string | null;
  /**
   * Rejects with `NotFound`, which names the id that may have been meant, where the store has no such consumer. Which
   * store the replica of `--admin` has is not known here, and then every id will do.
   */
  readonly requireConsumer: (id: string) => Promise<void>;
}

/** Opens the database of the store, or with `--admin` or a declarative file asks the replica on this machine. */
export async function openRefusals(
  context: CommandContext,
  command: string,
  flags: RefusalPlaceFlags,
): Promise<OpenedRefusals> {
  const { environment } = context.terminal;
  const location = flags.admin === undefined ? findStore(flags.store, environment) : null;
  if (location !== null && location.kind !== 'file') {
    const store = await openFor(context, command, flags, false);
    const { refusals, resources } = store;
    if (refusals === null) throw new Error('this store keeps no refusals');
    return {
      source: refusals,
      replica: null,
      requireConsumer: async (id) => {
        await requireResource(resources, 'consumer', id);
      },
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    };
  }
  const address = findAdminAddress(flags.admin, environment);
  return {
    source: createReplicaSource(address, flags.timeout),
    replica: describe(address),
    requireConsumer: async (id) => {
      // The replica may have read it where this command cannot.
      if (location === null || !existsSync(location.path)) return;
      await using store = await openFor(context, command, flags, false);
      await requireResource(store.resources, 'consumer', id);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.resolve();
    },
  };
}
