import { type Consumer } from '../model/consumer.ts';
import { type Credential } from '../model/credential.ts';
import { type Grant } from '../model/grant.ts';
import { type Pending } from '../pending.ts';
import { compileEndpointTable, type EndpointTable } from '../route/endpoint-table.ts';
import { compileCredentialIndex } from './credential-index.ts';
import { type StoreState } from './state.ts';

/** A credential together with the consumer who holds it. */
export interface HeldCredential {
  readonly credential: Credential;
  readonly consumer: Consumer;
}

/** Finds credentials on the check path. */
export interface CredentialSource {
  /**
   * The holder of an App Key, whatever its state; null when nobody has it. From memory at once where possible.
   * Throws, or rejects with, {@link StoreUnavailable} when it cannot know.
   */
  findByAppKey(appKey: string): Pending<HeldCredential | null>;
}

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

/** The store has no answer. A fault: callers get 503, never a 401 for somebody who may be known. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
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
