import type { Grant } from '../../model/grant.ts';
import type { Operator } from '../../model/operator.ts';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';
import type { Stored } from '../../resources/resource.ts';
import { requirePermission } from './authenticate.ts';
import { reachGrant } from './reach.ts';
import { requireRevision } from './request.ts';

/**
 * The grant of a path that an operator is about to change. Throws `FORBIDDEN` where the role does not allow it,
 * `NotFound` for a grant beyond reach, and what {@link requireRevision} throws when it is not as the operator saw it.
 */
export async function grantToChange(
  operator: Operator,
  { endpoint, holder }: { readonly endpoint: string; readonly holder: string },
  headers: { readonly 'if-match'?: string | undefined },
  resources: Pick<ResourceStore, 'find' | 'list'>,
): Promise<Stored<Grant>> {
  requirePermission(operator, 'change-consumers');
  const current = await reachGrant(operator, `${endpoint}/${holder}`, resources);
  requireRevision(current, headers['if-match']);
  return current;
}
