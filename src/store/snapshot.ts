import type { Grant } from '../model/grant.ts';
import { compileEndpointTable, type EndpointTable } from '../route/endpoint-table.ts';
import { compileCredentialIndex } from './credential-index.ts';
import type { CredentialSource } from './credential-source.ts';
import type { StoreState } from './state.ts';

/** Finds grants on the check path, always from memory. */
export interface GrantSource {
  /** The grant of a consumer on an endpoint, live or not; null when there is none. */
  find(endpointId: string, consumerId: string): Grant | null;
}

/** One state of the store, compiled for look-ups and never changed: a request is decided with one snapshot (spec §6). */
export interface Snapshot {
  readonly endpoints: EndpointTable;
  readonly credentials: CredentialSource;
  readonly grants: GrantSource;
}

/** Compiles all resources of a store into a snapshot that answers everything from memory. */
export function compileSnapshot(state: StoreState): Snapshot {
  return {
    endpoints: compileEndpointTable(state.endpoints),
    credentials: compileCredentialIndex(state.credentials, state.consumers),
    grants: compileGrants(state.grants),
  };
}

function compileGrants(grants: readonly Grant[]): GrantSource {
  const byEndpoint = new Map<string, Map<string, Grant>>();
  for (const grant of grants) {
    const byConsumer = byEndpoint.get(grant.endpointId) ?? new Map<string, Grant>();
    byEndpoint.set(grant.endpointId, byConsumer.set(grant.consumerId, grant));
  }
  return { find: (endpointId, consumerId) => byEndpoint.get(endpointId)?.get(consumerId) ?? null };
}
