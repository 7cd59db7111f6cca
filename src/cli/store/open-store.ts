import type { Clock } from '../../clock.ts';
import { parseStore } from '../../config-values.ts';
import { type Environment, settings } from '../../config.ts';
import type { AuditTrail, ResourceStore, UsageSource } from '../../manage/resource-store.ts';
import { UsageError } from '../partner/usage-error.ts';
import { actorOf } from './actor-of.ts';

/** The system of record as a command has it open: what is in it, when it was used, who changed it. */
export interface OpenedStore extends AsyncDisposable {
  readonly resources: ResourceStore;
  readonly usage: UsageSource;
  readonly audit: AuditTrail;
  /** Who the audit trail says makes changes. */
  readonly actor: string;
  /** The path of a declarative file, which takes no changes from commands; null for a database. */
  readonly file: string | null;
}

/** Which store a command wants. */
export interface StoreWish {
  /** `--store`, instead of `POSTERN_STORE`. */
  readonly store: string | undefined;
  readonly environment: Environment;
  /** False for a command that shows no secret and copies none: then none is looked up, and what stands for it is worthless. */
  readonly needsSecrets: boolean;
  /** Told of what is passed over, in words for people. */
  readonly warn: (message: string) => void;
}

/** Opens a store for a command. */
export type OpenStore = (wish: StoreWish) => Promise<OpenedStore>;

/**
 * Opens the store of `--store` or `POSTERN_STORE`. A declarative file can be read, and its `commit` says what to do
 * instead. Rejects with `UsageError` for settings that are missing or wrong, `StoreUnavailable` for a database that does
 * not answer, and an error that holds the problems of a faulty file, one a line.
 */
export async function openStore(wish: StoreWish, clock: Clock): Promise<OpenedStore> {
  const { store, environment, needsSecrets } = wish;
  const name = store === undefined ? settings.store.name : '--store';
  const location = parseStore(store ?? (environment[settings.store.name] || settings.store.default));
  if ('fault' in location) throw new UsageError(`${name}: ${location.fault}`);
  const actor = actorOf(environment);
  if (location.kind === 'file') {
    const { openFileStore } = await import('./file-resource-store.ts');
    return { ...(await openFileStore(location.path, environment, needsSecrets)), actor };
  }
  const { openMongoDbStore } = await import('./open-mongodb-store.ts');
  return { ...(await openMongoDbStore(location.uri, wish, clock)), actor };
}
