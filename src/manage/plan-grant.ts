import { declareGrant, grantId, readGrant } from '../resources/grant.ts';
import { readPlain } from '../document/read-plain.ts';
import type { Grant } from '../model/grant.ts';
import type { Change, Planned } from './change.ts';
import type { Stored } from '../resources/resource.ts';
import { applyWish, type Wish } from './wish.ts';

/**
 * Plans that a consumer is authorised on an endpoint, or how that changes. `current` is the grant that there is. Own
 * limits replace those of the endpoint: `[]` lifts them, undefined leaves them to the endpoint.
 */
export function planGrant(
  { endpointId, consumerId }: Pick<Grant, 'endpointId' | 'consumerId'>,
  wish: Wish,
  current: Stored<Grant> | null,
): Planned {
  const declared = current === null ? { endpoint: endpointId, consumer: consumerId } : declareGrant(current.resource);
  const read = readPlain(applyWish(declared, wish), readGrant);
  if ('problems' in read) return read;
  return { changes: [{ kind: 'grant', id: grantId(read.value), before: current, after: read.value }] };
}

/** Plans that a consumer is no longer authorised on an endpoint. */
export function planGrantRemoval(before: Stored<Grant>): Change {
  return { kind: 'grant', id: grantId(before.resource), before, after: null };
}
