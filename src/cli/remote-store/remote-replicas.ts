import { isMapping } from '../../model/document/fields.ts';
import type { StoreRevision } from '../../model/store-revision.ts';
import type { Replica, ReplicaDirectory } from '../../resources/changes/replicas.ts';
import { NotFound } from '../../resources/changes/resource-store.ts';
import type { ApiClient } from './api-client.ts';

/** The replicas of a store behind the management API. */
export function createRemoteReplicas(client: ApiClient): ReplicaDirectory {
  return {
    storeRevision: async () => {
      const { latest, underWay } = await client.ask('GET', '/v1/replicas');
      return readRevision({ latest, underWay }) ?? { latest: 0, underWay: [] };
    },
    list: async () => {
      const { items } = await client.ask('GET', '/v1/replicas');
      return (Array.isArray(items) ? (items as readonly unknown[]) : []).map(readReplica);
    },
    forget: async (id) => {
      try {
        await client.ask('DELETE', `/v1/replicas/${encodeURIComponent(id)}`, { isChange: true });
        return true;
      } catch (error) {
        if (error instanceof NotFound) return false;
        throw error;
      }
    },
  };
}

function readReplica(raw: unknown): Replica {
  const shown = isMapping(raw) ? raw : {};
  const exact = isMapping(shown['exact']) ? shown['exact'] : {};
  const number = (name: string): number => {
    const value = exact[name];
    return typeof value === 'number' ? value : 0;
  };
  const { reason } = shown;
  return {
    id: String(shown['id']),
    name: String(shown['name']),
    version: String(shown['version']),
    mode: String(shown['mode']),
    unreadiness: typeof reason === 'string' ? reason : null,
    revision: readRevision(exact),
    ageMs: number('ageMs'),
    silentMs: number('silentMs'),
    servesForMs: number('servesForMs'),
  };
}

function readRevision({ latest, underWay }: Readonly<Record<string, unknown>>): StoreRevision | null {
  if (typeof latest !== 'number') return null;
  return { latest, underWay: Array.isArray(underWay) ? underWay.filter((each) => typeof each === 'number') : [] };
}
