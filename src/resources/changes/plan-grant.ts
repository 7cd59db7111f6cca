import { declareGrant, declareTarget, describeGrant, grantId, readGrant } from '../grant.ts';
import { readPlain } from '../../model/document/read-plain.ts';
import { type Grant, type GrantTarget, type GroupGrant, isGroupGrant, rankOf } from '../../model/grant.ts';
import { MAX_GROUP_GRANTS_OF_ENDPOINT } from '../../model/bounds.ts';
import type { Change, Planned } from './change.ts';
import type { PlannedConflict } from './planned-conflict.ts';
import type { Stored } from '../resource.ts';
import { applyWish, type Wish } from './wish.ts';

/**
 * Plans that a consumer or a group is authorised on an endpoint, or how that changes. `current` is the grant that there
 * is, `groups` are the endpoint's grants for groups; itself may be among them. Own limits replace those of the
 * endpoint: `[]` lifts them, undefined leaves them to the endpoint.
 */
export function planGrant(
  target: GrantTarget,
  wish: Wish,
  current: Stored<Grant> | null,
  groups: readonly GroupGrant[] = [],
): Planned {
  const declared = current === null ? declareTarget(target) : declareGrant(current.resource);
  const read = readPlain(applyWish(declared, wish), readGrant, current === null ? undefined : declared);
  if ('problems' in read) return read;
  const after = read.value;
  const id = grantId(after);
  const holder = isGroupGrant(after)
    ? groups.find((other) => rankOf(other) === rankOf(after) && grantId(other) !== id)
    : undefined;
  if (holder !== undefined) return takenPriority(holder, groups);
  if (current === null && groups.length >= MAX_GROUP_GRANTS_OF_ENDPOINT) {
    const most = String(MAX_GROUP_GRANTS_OF_ENDPOINT);
    return { conflict: `"${after.endpointId}" has ${most} grants for groups or more, as many as may be; remove one` };
  }
  return { changes: [{ kind: 'grant', id, before: current, after }] };
}

function takenPriority(holder: GroupGrant, groups: readonly GroupGrant[]): PlannedConflict {
  const free = Math.max(...groups.map(({ priority }) => priority)) + 10;
  const conflict = `the ${describeGrant(holder)} has priority ${String(holder.priority)} already`;
  return { conflict, remedy: { kind: 'other-priority', free } };
}

/** Plans that a consumer or a group is no longer authorised on an endpoint. */
export function planGrantRemoval(before: Stored<Grant>): Change {
  return { kind: 'grant', id: grantId(before.resource), before, after: null };
}
