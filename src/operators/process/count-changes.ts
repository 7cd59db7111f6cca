import type { Change } from '../../resources/changes/change.ts';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';

/** The same store, which reports what each commit made. A commit that rejects, or is not confirmed, reports nothing. */
export function reportingCommits(
  resources: ResourceStore,
  onCommitted: (changes: readonly Change[]) => void,
): ResourceStore {
  return {
    maxChangesPerCommit: resources.maxChangesPerCommit,
    find: async (kind, id) => await resources.find(kind, id),
    list: (kind, selection) => resources.list(kind, selection),
    commit: async (changes, operation) => {
      const revision = await resources.commit(changes, operation);
      onCommitted(changes);
      return revision;
    },
  };
}
