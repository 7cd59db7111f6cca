import type { Clock } from '../clock.ts';
import type { StoreLocation } from '../config-values.ts';
import type { Problem } from '../document/problem.ts';
import { FileStore } from './file/file-store.ts';
import { compileSnapshot, type Snapshot } from './snapshot.ts';
import type { StoreState } from './state.ts';

/** What a holder of snapshots needs. */
export interface SnapshotHolderPorts {
  /** Where `appSecretFrom` finds variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Told what becomes of the store, which is named by its path. */
  readonly observer: {
    loaded(source: string, state: StoreState): void;
    refused(source: string, problems: readonly Problem[]): void;
    defect(source: string, error: unknown): void;
  };
}

/** Gives the snapshot that decides now. */
export interface SnapshotHolder extends AsyncDisposable {
  current(): Snapshot;
  /** Seconds since the current snapshot was last known to be the state of the store. */
  ageSeconds(): number;
}

/** Opens the store and keeps a snapshot of its last good state. Rejects when it has none to begin with. */
export async function openSnapshots(location: StoreLocation, ports: SnapshotHolderPorts): Promise<SnapshotHolder> {
  if (location.kind === 'mongodb') {
    throw new Error('POSTERN_STORE: this version serves from a declarative file only; use file:PATH');
  }
  const { observer } = ports;
  const { path } = location;
  const store = await FileStore.open(path, {
    clock: ports.clock,
    environment: ports.environment,
    onState: (state) => {
      snapshot = compileSnapshot(state);
      observer.loaded(path, state);
    },
    onProblems: (problems) => {
      observer.refused(path, problems);
    },
    onDefect: (error) => {
      observer.defect(path, error);
    },
  });
  let snapshot = compileSnapshot(store.state);
  observer.loaded(path, store.state);
  return {
    current: () => snapshot,
    ageSeconds: () => store.ageSeconds(),
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
    },
  };
}
