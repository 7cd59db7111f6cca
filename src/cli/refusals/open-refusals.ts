import type { RefusalSource } from '../../refusals/refusal-record.ts';
import type { CommandContext } from '../command.ts';
import type { StoreFlags } from '../flags/options.ts';
import { findStore, type OpenedStore } from '../store/open-store.ts';
import { openFor } from '../store/read-store.ts';
import { describe, findAdminAddress } from '../store/admin-listener.ts';
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
  /** The database; null for a replica. */
  readonly store: OpenedStore | null;
}

/** Opens the database of the store, or with `--admin` or a declarative file asks the replica on this machine. */
export async function openRefusals(
  context: CommandContext,
  command: string,
  flags: RefusalPlaceFlags,
): Promise<OpenedRefusals> {
  const { environment } = context.terminal;
  if (flags.admin === undefined && findStore(flags.store, environment).kind === 'mongodb') {
    const store = await openFor(context, command, flags, false);
    if (store.refusals === null) throw new Error('this store keeps no refusals');
    return { source: store.refusals, replica: null, store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
  }
  const address = findAdminAddress(flags.admin, environment);
  return {
    source: createReplicaSource(address, flags.timeout),
    replica: describe(address),
    store: null,
    [Symbol.asyncDispose]: async () => {
      await Promise.resolve();
    },
  };
}
