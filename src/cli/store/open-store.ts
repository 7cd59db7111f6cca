import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import { parseName, parseStore, type StoreLocation } from '../../base/config-values.ts';
import { settings } from '../../gateway/config.ts';
import type { Environment } from '../../base/environment.ts';
import { KeyRing } from '../../model/keyring/key-ring.ts';
import { loadKeyRing } from '../../model/keyring/read-key-ring.ts';
import { parseKeyRingLocation } from '../../model/keyring/ring-location.ts';
import type { DatabaseChecks } from '../doctor/run-checks.ts';
import { STORE_UNNAMED, UsageError } from '../failure.ts';
import type { OpenedStore, StoreWish } from '../opened-store.ts';

/** The store of `--store` or `POSTERN_STORE`. Throws `UsageError` for what is not a store. */
export function findStore(store: string | undefined, environment: Environment): StoreLocation {
  const { name, default: usual } = settings.store;
  const location = parseStore(store ?? (environment[name] || usual));
  if ('fault' in location) throw new UsageError(`${store === undefined ? name : '--store'}: ${location.fault}`);
  return location;
}

/** Whether neither a flag nor the environment names a store, so that it is the default. */
export function isStoreUnnamed(store: string | undefined, environment: Environment): boolean {
  return store === undefined && (environment[settings.store.name] ?? '') === '';
}

/** What to say where the file of the default is not there, so that no store was meant; null where it is. */
export function findDefaultFault(path: string): string | null {
  if (existsSync(path)) return null;
  return `${STORE_UNNAMED}, which is not there: set it to file:PATH or mongodb://HOST:27017/DATABASE, or give --store`;
}

/** Throws `UsageError` with {@link findDefaultFault}. */
export function requireDefaultFile(path: string): void {
  const fault = findDefaultFault(path);
  if (fault !== null) throw new UsageError(fault);
}

/** Commands that can begin an empty database, and one that finds nothing sealed there. Any other would find nothing. */
const BEGINNING = ['endpoint create', 'consumer create', 'operator add', 'apply', 'diff', 'keyring remove'];

/**
 * Opens the store of `--store` or `POSTERN_STORE`. A declarative file can be read, and its `commit` says what to do
 * instead. The key ring is read only for commands that need secrets. Rejects with `UsageError` for settings that are
 * missing or wrong, `FaultyKeyRing`, `StoreUnavailable` for a database that does not answer or that no Postern was used
 * with, and an error that holds the problems of a faulty file, one a line.
 */
export async function openStore(wish: StoreWish, clock: Clock): Promise<OpenedStore> {
  const { environment, needsSecrets, command, timeoutMs, warn } = wish;
  const location = findStore(wish.store, environment);
  if (location.kind === 'api') {
    const { openRemoteStore } = await import('../remote-store/open-remote-store.ts');
    return await openRemoteStore(location.origin, wish);
  }
  const actor = actorOf(environment);
  if (location.kind === 'file') {
    const { openFileStore } = await import('./file-store.ts');
    if (isStoreUnnamed(wish.store, environment)) requireDefaultFile(location.path);
    return { ...(await openFileStore(location.path, environment, needsSecrets)), actor };
  }
  const usesRing = needsSecrets === 'where-possible' ? isKeyRingNamed(environment) : needsSecrets !== false;
  const sealer = wish.sealer ?? (usesRing ? await openKeyRing(environment, warn) : null);
  const { openMongoStoreForCommand } = await import('../../stores/mongodb/open-mongo-store.ts');
  const opened = await openMongoStoreForCommand(location.uri, {
    command,
    actor,
    clock,
    timeoutMs,
    warn,
    sealer,
    mayBeEmpty: BEGINNING.includes(command),
    keepsUnopened: needsSecrets !== true,
    acceptsNewRing: needsSecrets === 'new-ring',
  });
  return { ...opened, actor };
}

/** What doctor looks at a database with. */
export async function openDatabaseChecks(): Promise<DatabaseChecks> {
  const { checkMongodb: check } = await import('../../stores/mongodb/doctor/check-mongodb.ts');
  const { findLimitHolders } = await import('../../stores/mongodb/doctor/limit-holders.ts');
  const { readEndpoints } = await import('../../stores/mongodb/doctor/read-endpoints.ts');
  const { findNamingCredentials } = await import('../../stores/mongodb/doctor/naming-credentials.ts');
  return { check, findLimitHolders, readEndpoints, findNamingCredentials };
}

/** `POSTERN_ACTOR`, or the login name. Throws `UsageError` where there is neither, and for one that is none. */
function actorOf(environment: Environment): string {
  const given = environment[settings.actor.name];
  if (given !== undefined && given !== '') {
    const read = parseName(given);
    if (typeof read === 'string') return read;
    throw new UsageError(`${settings.actor.name}: ${read.fault}`);
  }
  try {
    return userInfo().username;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new UsageError(`${settings.actor.name}: set it, because this system gives you no login name`, {
      cause: error,
    });
  }
}

/** Whether the environment names a key ring; an empty variable names none. */
export function isKeyRingNamed(environment: Environment): boolean {
  return (environment[settings.keyring.name] ?? '') !== '';
}

/**
 * Reads the key ring that `POSTERN_KEYRING` names. Rejects with `UsageError` where it names none, and `FaultyKeyRing`.
 *
 * @param warn takes who else can read it
 */
export async function openKeyRing(environment: Environment, warn: (message: string) => void): Promise<KeyRing> {
  const { name } = settings.keyring;
  const text = environment[name];
  if (text === undefined || text === '') {
    throw new UsageError(
      `${name} is missing: the place of the key ring with which this store's secrets are encrypted; "postern keyring create FILE" creates one for a new store`,
    );
  }
  const location = parseKeyRingLocation(text);
  if ('fault' in location) throw new UsageError(`${name}: ${location.fault}`);
  const { content, warnings } = await loadKeyRing(location, environment);
  for (const warning of warnings) warn(warning);
  return new KeyRing(content);
}
