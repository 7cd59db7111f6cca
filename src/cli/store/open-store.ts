import { userInfo } from 'node:os';
import type { Clock } from '../../clock.ts';
import { parseStore } from '../../config-values.ts';
import { type Environment, settings } from '../../config.ts';
import { KeyRing } from '../../keyring/key-ring.ts';
import { loadKeyRing } from '../../keyring/read-key-ring.ts';
import { parseKeyRingLocation } from '../../keyring/ring-location.ts';
import type { AuditTrail, ResourceStore, UsageSource } from '../../manage/resource-store.ts';
import { UsageError } from '../failure.ts';

/** The system of record as a command has it open: what is in it, when it was used, who changed it. */
export interface OpenedStore extends AsyncDisposable {
  readonly resources: ResourceStore;
  readonly usage: UsageSource;
  readonly audit: AuditTrail;
  /** Who the audit trail says makes changes. */
  readonly actor: string;
  /** Whether the client of an access token revoked it; null where only the service that runs knows. */
  readonly isTokenRevoked: ((tokenId: string) => Promise<boolean>) | null;
  /** The path of a declarative file, which takes no changes from commands; null for a database. */
  readonly file: string | null;
}

/**
 * What a command does with secrets. False: it neither shows nor makes one, and needs no key ring. True: it shows those
 * that are stored. `new`: it seals new ones, and keeps stored ones as they are where the ring does not open them.
 * `new-ring`: the same with a ring that opens none of them. `where-possible`: it takes those that can be read here, and
 * revealing another one throws.
 */
export type SecretsNeeded = boolean | 'new' | 'new-ring' | 'where-possible';

/** Which store a command wants. */
export interface StoreWish {
  /** `--store`, instead of `POSTERN_STORE`. */
  readonly store: string | undefined;
  readonly environment: Environment;
  readonly needsSecrets: SecretsNeeded;
  /** The command, which others who wait for it are told. */
  readonly command: string;
  /** How long each answer of a database is waited for, in milliseconds. */
  readonly timeoutMs: number;
  /** Told of what is passed over, and of whom is waited for, in words for people. */
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
    const { openFileStore } = await import('./file-store.ts');
    return { ...(await openFileStore(location.path, environment, needsSecrets)), actor };
  }
  const { openMongoDbStore } = await import('./mongodb-store.ts');
  return { ...(await openMongoDbStore(location.uri, { ...wish, actor }, clock)), actor };
}

/** Who the audit trail says makes changes: `POSTERN_ACTOR`, or the login name. Throws `UsageError` where there is neither. */
export function actorOf(environment: Environment): string {
  const given = environment[settings.actor.name];
  if (given !== undefined && given !== '') return given;
  try {
    return userInfo().username;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new UsageError(`${settings.actor.name}: set it, because this system gives you no login name`, {
      cause: error,
    });
  }
}

/** Whether `POSTERN_KEYRING` names a key ring. */
export function isKeyRingNamed(environment: Environment): boolean {
  return (environment[settings.keyring.name] ?? '') !== '';
}

/**
 * Reads the key ring that `POSTERN_KEYRING` names. Rejects with `UsageError` where it names none, and `FaultyKeyRing`.
 *
 * @param warn is told who else can read it
 */
export async function openKeyRing(environment: Environment, warn: (message: string) => void): Promise<KeyRing> {
  const { name } = settings.keyring;
  const text = environment[name];
  if (text === undefined || text === '') {
    throw new UsageError(
      `${name} is missing: the place of the key ring with which this store's secrets are encrypted; "postern keyring create FILE" makes one for a new store`,
    );
  }
  const location = parseKeyRingLocation(text);
  if ('fault' in location) throw new UsageError(`${name}: ${location.fault}`);
  const { content, warnings } = await loadKeyRing(location, environment);
  for (const warning of warnings) warn(warning);
  return new KeyRing(content);
}
