import { isGroupGrant } from '../../../model/grant.ts';
import type { Labels } from '../../../model/labels.ts';
import { type OwnedBy, ownedBy } from '../../../model/owned-by.ts';
import type { Change, ChangeOf } from '../change.ts';
import type { ChangeGround, LabelledKind } from '../rights/change-ground.ts';

/**
 * Whom each of some changes belongs to, as they are made: endpoint, consumer and issuer to who has their labels before
 * and after, a credential to who has its consumer, a grant to who has its endpoint and, unless it is for a group, its
 * consumer, a plan to who has what both of its selectors say. Operators are nobody's.
 *
 * @param ground what the store has before the changes
 */
export function createOwners(
  changes: readonly Change[],
  ground: Pick<ChangeGround, LabelledKind>,
): (change: Change) => OwnedBy {
  const made = {
    endpoint: new Map<string, ChangeOf<LabelledKind>>(),
    consumer: new Map<string, ChangeOf<LabelledKind>>(),
  };
  for (const change of changes) {
    if (change.kind === 'endpoint' || change.kind === 'consumer') made[change.kind].set(change.id, change);
  }
  const labelsOf = (kind: LabelledKind, id: string): readonly Labels[] => {
    const change = made[kind].get(id);
    const states = [ground[kind].get(id), change?.before?.resource, change?.after];
    return states.flatMap((state) => (state === undefined || state === null ? [] : [state.labels]));
  };
  return (change) => {
    if (change.kind === 'operator') return [];
    if (change.kind === 'plan') {
      const sides = [change.before?.resource ?? null, change.after].filter((side) => side !== null);
      return ownedBy(
        sides.flatMap(({ consumerSelector, endpointSelector }) => [consumerSelector, endpointSelector ?? {}]),
      );
    }
    if (change.kind === 'issuer') {
      const sides = [change.before?.resource ?? null, change.after].filter((side) => side !== null);
      return ownedBy(sides.map(({ labels }) => labels));
    }
    if (change.kind !== 'credential' && change.kind !== 'grant') return ownedBy(labelsOf(change.kind, change.id));
    const owners: Labels[] = [];
    for (const side of [change.before?.resource ?? null, change.after]) {
      if (side === null) continue;
      if ('endpointId' in side) owners.push(...known(labelsOf('endpoint', side.endpointId)));
      if (!('endpointId' in side) || !isGroupGrant(side)) owners.push(...known(labelsOf('consumer', side.consumerId)));
    }
    return ownedBy(owners);
  };
}

/** What belongs to something that cannot be read is nobody's. */
function known(labels: readonly Labels[]): readonly Labels[] {
  return labels.length === 0 ? [{}] : labels;
}
