import { readFileSync } from 'node:fs';
import { type Clock } from '../clock.ts';
import { type StoreLocation } from '../config-values.ts';
import { buildState } from '../document/build-state.ts';
import { parseDocument } from '../document/parse-document.ts';
import { formatProblem } from '../document/problem.ts';
import { secretReader } from '../document/secret-source.ts';
import { type Logger } from '../observe/logger.ts';
import { type Metrics } from '../observe/metrics.ts';
import { compileSnapshot, type Snapshot } from './snapshot.ts';

/** What a holder of snapshots needs. */
export interface SnapshotHolderPorts {
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

/** Opens the store. Rejects when it has no good state. */
export async function openSnapshots(location: StoreLocation, ports: SnapshotHolderPorts): Promise<SnapshotHolder> {
  if (location.kind === 'mongodb') {
    throw new Error('POSTERN_STORE: this version serves from a declarative file only; use file:PATH');
  }
  const text = readFileSync(location.path, 'utf8');
  const parsed = parseDocument([{ file: location.path, text }], {
    isComplete: true,
    readSecret: secretReader({ environment: ports.environment }),
  });
  if ('problems' in parsed) throw new Error(parsed.problems.map(formatProblem).join('\n'));
  const snapshot = compileSnapshot(buildState(parsed.content));
  return await Promise.resolve({
    current: () => snapshot,
    ageSeconds: () => 0,
    [Symbol.asyncDispose]: async () => {
      await Promise.resolve();
    },
  });
}
