import { endToFind } from '../../../src/resources/app-key-end.ts';
import type { CredentialDirectory } from '../../../src/resources/changes/credential-directory.ts';
import type { MemoryResourceStore } from './memory-resource-store.ts';

/** What the indexes of a database say of App Keys in memory. */
export function memoryDirectory(store: MemoryResourceStore): Pick<CredentialDirectory, 'withKeyEnd' | 'count'> {
  return {
    withKeyEnd: async function* (end, { after }) {
      for await (const { resource } of store.list('credential', { after })) {
        if (endToFind(resource) === end) yield resource.id;
      }
    },
    count: async (kind) => await Promise.resolve(store.countOf(kind)),
  };
}
