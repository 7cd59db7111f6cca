import type { ResourceKind } from '../resource.ts';

/** What a store finds and counts without reading the resources themselves. Rejects with `StoreUnavailable`. */
export interface CredentialDirectory {
  /**
   * The ids of credentials whose App Key ends so (`endToFind`), in their order, behind this one: those whose App Key is
   * kept, and was written by this version or looked at since.
   */
  withKeyEnd(end: string, selection: KeyEndSelection): AsyncIterable<string>;
  /** Notes, once for a store, how App Keys end that former versions wrote; gives how many, null where it was done. */
  noteKeyEnds(signal: AbortSignal): Promise<number | null>;
  /** How many there are of a kind, perhaps with some that cannot be read. */
  count(kind: ResourceKind): Promise<number>;
}

/** Which of those that end so. */
export interface KeyEndSelection {
  readonly after: string | undefined;
  /** So many are wanted: about as many are asked for at once. */
  readonly most: number;
}
