import type { Clock } from '../clock.ts';
import type { StoreLocation } from '../config-values.ts';
import type { Sealer } from '../keyring/sealed.ts';
import { type FileObserver, openFileSnapshots } from './file-snapshots.ts';
import type { MongoSnapshots, MongoStoreObserver } from './mongodb/mongo-snapshots.ts';
import type { Snapshot } from './snapshot.ts';
import { startSystemTimer } from './timer.ts';

/** What a holder of snapshots needs. */
export interface SnapshotHolderPorts {
  /** Where `appSecretFrom` finds variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** What opens the App Secrets of a database; null for none. */
  readonly keyRing: (Sealer & { reload(): Promise<boolean> }) | null;
  /** Credentials of a database that are held in memory at most. */
  readonly maxCachedCredentials: number;
  /** How long a cached credential serves while the database is away. */
  readonly maxStaleSeconds: number;
  /** Told what becomes of the store, a file or a database. */
  readonly observer: { readonly file: FileObserver; readonly database: MongoStoreObserver };
}

/** Gives the snapshot that decides now. */
export interface SnapshotHolder extends AsyncDisposable {
  /** Resolves when there is a snapshot: at once for a file, and as soon as it could be read for a database. */
  readonly ready: Promise<void>;
  /** Throws `StoreUnavailable` while there is none. */
  current(): Snapshot;
  /** Seconds since the current snapshot was last known to be the state of the store. */
  ageSeconds(): number;
  /** Why checks should not come here, in words: no snapshot yet, or one that is too old to serve. Null otherwise. */
  findUnreadiness(): string | null;
  /** Whether callers who are not in memory can be decided. */
  canLookUp(): boolean;
  /** What is the matter with the store though there is a snapshot, in words; null for nothing. */
  findNotice(): string | null;
  /** What else a database does, such as keeping when credentials were used; null for a file. */
  readonly database: Pick<
    MongoSnapshots,
    'isUp' | 'changeCount' | 'faultCount' | 'cache' | 'usage' | 'revokedTokens' | 'replayGuard'
  > | null;
}

/**
 * Opens the store. Rejects when a declarative file has no good state to begin with, and when a database has no key ring
 * or an address that is not understood; a database that is away is waited for.
 */
export async function openSnapshots(location: StoreLocation, ports: SnapshotHolderPorts): Promise<SnapshotHolder> {
  const { clock, environment, keyRing, maxCachedCredentials, maxStaleSeconds, observer } = ports;
  if (location.kind === 'file') {
    return await openFileSnapshots(location.path, { clock, environment, observer: observer.file });
  }
  if (keyRing === null) {
    throw new Error(
      'POSTERN_KEYRING: a MongoDB store needs the key ring that its App Secrets were sealed with; for a new store make one with "postern keyring create FILE"',
    );
  }
  // A declarative file does without the driver.
  const { MongoSnapshots: Snapshots } = await import('./mongodb/mongo-snapshots.ts');
  const snapshots = new Snapshots(location.uri, {
    clock,
    startTimer: startSystemTimer,
    keyRing,
    observer: observer.database,
    maxCachedCredentials,
    maxStaleSeconds,
  });
  return {
    ready: snapshots.ready,
    database: snapshots,
    current: () => snapshots.current(),
    ageSeconds: () => snapshots.ageSeconds(),
    findUnreadiness: () => snapshots.findUnreadiness(),
    canLookUp: () => snapshots.canLookUp(),
    findNotice: () => snapshots.findNotice(),
    [Symbol.asyncDispose]: () => snapshots[Symbol.asyncDispose](),
  };
}
