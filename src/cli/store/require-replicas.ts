import type { ReplicaDirectory } from '../../resources/changes/replicas.ts';
import { UsageError } from '../failure.ts';
import type { OpenedStore } from '../opened-store.ts';

/** The replicas of a store. Throws `UsageError` for a declarative file, whose replicas report nowhere. */
export function requireReplicas({ replicas }: Pick<OpenedStore, 'replicas'>): ReplicaDirectory {
  if (replicas !== null) return replicas;
  throw new UsageError(
    'replicas report in MongoDB only, and the store is a file; "postern wait --admin URL" asks a replica itself',
  );
}
