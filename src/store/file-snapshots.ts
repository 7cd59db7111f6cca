import type { Clock } from '../clock.ts';
import type { Problem } from '../document/problem.ts';
import { FileStore } from './file/file-store.ts';
import type { SnapshotHolder } from './snapshot-holder.ts';
import { compileSnapshot } from './snapshot.ts';
import type { StoreState } from './state.ts';

/** Told what becomes of a declarative file. */
export interface FileObserver {
  /** A state is in force. */
  loaded(path: string, state: StoreState): void;
  /** The file is wrong now; the last good state stays in force. */
  refused(path: string, problems: readonly Problem[]): void;
  /** The program itself was wrong; the last good state stays in force. */
  defect(path: string, error: unknown): void;
}

/** What a file store needs. */
export interface FileSnapshotsPorts {
  /** Where `appSecretFrom` finds variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly observer: FileObserver;
}

/** Opens a declarative file, and keeps a snapshot of its last good state. Rejects with `FaultyDocument` when it has none. */
export async function openFileSnapshots(
  path: string,
  { clock, environment, observer }: FileSnapshotsPorts,
): Promise<SnapshotHolder> {
  const store = await FileStore.open(path, {
    clock,
    environment,
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
    ready: Promise.resolve(),
    database: null,
    current: () => snapshot,
    ageSeconds: () => store.ageSeconds(),
    findUnreadiness: () => null,
    canLookUp: () => true,
    findNotice: () =>
      store.problems.length === 0 ? null : 'the declarative file is wrong; its last good state decides',
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
    },
  };
}
