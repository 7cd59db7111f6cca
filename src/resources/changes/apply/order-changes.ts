import { isGroupGrant, rankOf } from '../../../model/grant.ts';
import { findMatchCollisions } from '../../../check/route/collisions.ts';
import type { Change, ChangeOf } from '../change.ts';
import type { KindPlan } from './apply-plan.ts';

/** The plans of all kinds. */
type KindPlans = Readonly<Record<'endpoints' | 'issuers' | 'consumers' | 'credentials' | 'grants' | 'plans', KindPlan>>;

/**
 * Orders changes so that they can be made in several transactions: endpoints, issuers, each consumer with its
 * credentials, grants, plans; then deletions the other way round. Deleted plans go first: they leave their priorities
 * to others, and the endpoints that they list. A deleted endpoint whose requests another one takes over goes first,
 * with its grants; so does a deleted grant for a group whose priority another one takes over.
 */
export function orderChanges({
  endpoints,
  issuers,
  consumers,
  credentials,
  grants,
  plans,
}: KindPlans): readonly Change[] {
  const replaced = findReplaced(endpoints);
  const ranks = new Set(grants.made.flatMap(ranksOf));
  const isEarly = (change: Change): boolean =>
    change.kind === 'grant' &&
    (replaced.has(change.before?.resource.endpointId ?? '') || rankBefore(change).some((rank) => ranks.has(rank)));
  const isReplaced = (change: Change): boolean => replaced.has(change.id);
  return [
    ...plans.deleted,
    ...grants.deleted.filter(isEarly),
    ...endpoints.deleted.filter(isReplaced),
    ...endpoints.made,
    ...issuers.made,
    ...withCredentials(consumers.made, credentials.made),
    ...grants.made,
    ...plans.made,
    ...grants.deleted.filter((change) => !isEarly(change)),
    ...credentials.deleted,
    ...issuers.deleted,
    ...consumers.deleted,
    ...endpoints.deleted.filter((change) => !isReplaced(change)),
  ];
}

/** What a new or changed grant for a group takes that no other may have. */
function ranksOf({ kind, after }: Change): readonly string[] {
  return kind === 'grant' && after !== null && isGroupGrant(after) ? [rankOf(after)] : [];
}

function rankBefore({ kind, before }: Change): readonly string[] {
  return kind === 'grant' && before !== null && isGroupGrant(before.resource) ? [rankOf(before.resource)] : [];
}

/** The ids of deleted endpoints that claim the same requests as a new or changed one. */
function findReplaced({ made, deleted }: KindPlan): ReadonlySet<string> {
  const former = deleted.flatMap((change) => (change.kind === 'endpoint' ? (change.before?.resource ?? []) : []));
  const coming = made.flatMap((change) => (change.kind === 'endpoint' ? (change.after ?? []) : []));
  const going = new Set(former);
  const collisions = findMatchCollisions([...former, ...coming]);
  return new Set(collisions.flatMap(({ first }) => (going.has(first) ? [first.id] : [])));
}

/** Each consumer followed by its credentials, so that a partner is complete when its step is done. */
function withCredentials(consumers: readonly Change[], credentials: readonly Change[]): readonly Change[] {
  const owned = new Map<string, Change[]>();
  for (const change of credentials) {
    const consumerId = ownerOf(change as ChangeOf<'credential'>);
    const list = owned.get(consumerId);
    if (list === undefined) owned.set(consumerId, [change]);
    else list.push(change);
  }
  const ordered: Change[] = [];
  for (const consumer of consumers) {
    ordered.push(consumer, ...(owned.get(consumer.id) ?? []));
    owned.delete(consumer.id);
  }
  for (const rest of owned.values()) ordered.push(...rest);
  return ordered;
}

function ownerOf({ before, after }: ChangeOf<'credential'>): string {
  return (after ?? before?.resource)?.consumerId ?? '';
}
