import { compileEndpointTable, type EndpointTable } from '../route/endpoint-table.ts';
import { compileCredentialIndex } from './credential-index.ts';
import type { CredentialSource } from './credential-source.ts';
import type { StoreState } from './state.ts';

/**
 * What decides a request. The endpoints are those of one moment and never change; a store that fits into memory has its
 * credentials of the same moment beside them, so that a request is decided with one state (spec §6).
 */
export interface Snapshot {
  readonly endpoints: EndpointTable;
  readonly credentials: CredentialSource;
}

/** Compiles all resources of a store into a snapshot that answers everything from memory. */
export function compileSnapshot(state: StoreState): Snapshot {
  return { endpoints: compileEndpointTable(state.endpoints), credentials: compileCredentialIndex(state) };
}
