import type { Pending } from '../../../base/pending.ts';
import type { CompiledIssuer, IssuerKey } from '../../../model/issuer.ts';

/** The keys of issuers that publish them at an address (`keys.kind` is `uri`). No check fetches them itself. */
export interface IssuerKeys {
  /**
   * The last good ones, from memory; null before there are any. The same array for as long as nothing in it changed.
   */
  keysOf(issuer: CompiledIssuer): readonly IssuerKey[] | null;
  /**
   * Newer keys than `known`, which lack the one of a token, or the first ones for null. Waits for a fetch that is under
   * way or may begin now, not for ever; otherwise it gives what there is: `known` again, or null while there are none.
   */
  newerThan(known: readonly IssuerKey[] | null, issuer: CompiledIssuer): Pending<readonly IssuerKey[] | null>;
}
