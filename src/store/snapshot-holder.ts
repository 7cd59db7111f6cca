import { findUnserved } from '../authenticate/unserved.ts';
import { type Clock } from '../clock.ts';
import { type StoreLocation } from '../config-values.ts';
import { formatProblem } from '../document/problem.ts';
import { type Logger } from '../observe/logger.ts';
import { type Metrics } from '../observe/metrics.ts';
import { FileStore } from './file/file-store.ts';
import { compileSnapshot, type Snapshot } from './snapshot.ts';
import { type StoreState } from './state.ts';

/** What a holder of snapshots needs. */
export interface SnapshotHolderPorts {
  /** Where `appSecretFrom` finds variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
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
  const { logger, metrics } = ports;
  const file = location.path;
  const store = await FileStore.open(file, {
    clock: ports.clock,
    environment: ports.environment,
    onState: (state) => {
      snapshot = compileSnapshot(state);
      metrics.countReload('loaded');
      announce(file, state, logger);
    },
    onProblems: (problems) => {
      metrics.countReload('refused');
      logger.error('the declarative file is wrong; the last good state stays in force until it is mended', {
        file,
        problems: problems.map(formatProblem),
      });
    },
    onDefect: (error) => {
      logger.error('the declarative file could not be followed, by a defect of this program', { file }, error);
    },
  });
  let snapshot = compileSnapshot(store.state);
  announce(file, store.state, logger);
  return {
    current: () => snapshot,
    ageSeconds: () => store.ageSeconds(),
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
    },
  };
}

/** Says what is served, and names what this version cannot serve. */
function announce(file: string, state: StoreState, logger: Logger): void {
  logger.info('the declarative file is in force', {
    file,
    endpoints: state.endpoints.length,
    consumers: state.consumers.length,
    credentials: state.credentials.length,
    grants: state.grants.length,
  });
  for (const endpoint of state.endpoints) {
    const reason = findUnserved(endpoint);
    if (reason !== null) logger.warn('an endpoint refuses every request with 503', { endpoint: endpoint.id, reason });
  }
}
