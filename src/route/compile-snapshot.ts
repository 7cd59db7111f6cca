import type { Snapshot, StoreState } from '../store/check-store.ts';
import { compileCredentialIndex } from '../store/credential-index.ts';
import { compileEndpointTable } from './endpoint-table.ts';

/** Compiles all resources of a store into a snapshot that answers everything from memory. */
export function compileSnapshot(state: StoreState): Snapshot {
  return { endpoints: compileEndpointTable(state.endpoints), credentials: compileCredentialIndex(state) };
}
