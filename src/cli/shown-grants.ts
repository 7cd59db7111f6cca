import type { Consumer } from '../model/consumer.ts';
import { type Grant, type GroupGrant, isGroupGrant, type OwnGrant } from '../model/grant.ts';
import { weighGrants } from '../model/grant-in-effect.ts';
import { declareGrant } from '../resources/grant.ts';
import type { Stored } from '../resources/resource.ts';
import { formatHolder, formatOutcome } from './render/grants.ts';
import type { ListView } from './render/list.ts';
import { formatDistance, formatGrantLimits } from './render/text.ts';

/** A grant that fits a consumer, and whether it is the one that counts on its endpoint. */
export interface ShownGrant {
  readonly grant: Grant;
  readonly isInEffect: boolean;
  /** In a cell: `yes`, or why not. */
  readonly counts: string;
}

/** The grants that fit a consumer, endpoint by endpoint in the order in which they are looked at. */
export function weighAll(
  own: readonly Stored<Grant>[],
  groups: readonly GroupGrant[],
  { labels }: Pick<Consumer, 'labels'>,
  nowSeconds: number,
): readonly ShownGrant[] {
  const singles = new Map(
    own.flatMap(({ resource }): (readonly [string, OwnGrant])[] =>
      isGroupGrant(resource) ? [] : [[resource.endpointId, resource]],
    ),
  );
  const endpointIds = [...new Set([...singles.keys(), ...groups.map(({ endpointId }) => endpointId)])].sort();
  return endpointIds.flatMap((id) => {
    const ofEndpoint = groups.filter(({ endpointId }) => endpointId === id);
    const weighed = weighGrants(singles.get(id) ?? null, ofEndpoint, labels, nowSeconds);
    return weighed
      .filter(({ outcome }) => outcome !== 'other-labels')
      .map((each) => ({
        grant: each.grant,
        isInEffect: each.outcome === 'in-effect',
        counts: formatOutcome(each, weighed, labels, nowSeconds),
      }));
  });
}

/** Grants of one consumer in a table. */
export function shownGrantView(nowSeconds: number): ListView<ShownGrant> {
  return {
    columns: [
      { heading: 'ENDPOINT', cell: ({ grant }) => grant.endpointId },
      { heading: 'FOR', cell: ({ grant }) => formatHolder(grant), canShrink: true },
      { heading: 'LIMITS', cell: ({ grant }) => formatGrantLimits(grant.limits), canShrink: true },
      {
        heading: 'ENDS',
        cell: ({ grant: { expiresAt } }) => (expiresAt === null ? 'never' : formatDistance(expiresAt, nowSeconds)),
      },
      {
        heading: 'COUNTS',
        cell: ({ counts }) => counts,
        canShrink: true,
        paint: (text, { isInEffect }, paint) => (isInEffect ? text : paint.yellow(text)),
      },
    ],
    declare: ({ grant }) => declareGrant(grant),
    none: '',
  };
}
