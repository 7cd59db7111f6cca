import type { Grant } from '../../model/grant.ts';
import type { Change } from '../change.ts';
import { grantId } from '../../resources/grant.ts';
import type { Stored } from '../../resources/resource.ts';

/** Plans that a consumer is no longer authorised on an endpoint. */
export function planGrantRemoval(before: Stored<Grant>): Change {
  return { kind: 'grant', id: grantId(before.resource), before, after: null };
}
