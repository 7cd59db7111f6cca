import type { ResourceKind } from '../../resource.ts';

/** What helps where an event does not come back; commands and the management API each say it in their own words. */
export interface RevertWords {
  /** Brings back what was stopped. Follows "to bring it back, ". */
  readonly revive: string;
  /** Changes an operator. Follows "make it with ". */
  readonly changeOperator: string;
  /** Deletes a resource with all that it has, as the beginning of a sentence. */
  readonly deleteWhole: (kind: ResourceKind, id: string) => string;
  /** Issues a credential. Follows "Issue a new one: ". */
  readonly issue: (consumerId: string, method: string) => string;
}
