import { MAX_LABELS } from './bounds.ts';
import { type Grant, type GroupGrant, isGroupGrant, type OwnGrant } from './grant.ts';
import { carries, carriesEach, type Labels } from './labels.ts';
import type { Limit } from './limit.ts';

/** Whether a grant has not ended (spec "Time"). */
export function isGrantLive({ expiresAt }: Grant, nowSeconds: number): boolean {
  return expiresAt === null || nowSeconds < expiresAt;
}

/** A grant for a group as it is looked at: its labels, by name, side by side. */
export interface RankedGrant extends GroupGrant {
  readonly names: readonly string[];
  readonly values: readonly string[];
  /**
   * Whether labels fit, once that is known; null for few labels. Older stores may have more of them than may be
   * written, and then only the first check of a consumer looks through all.
   */
  readonly known: WeakMap<Labels, boolean> | null;
}

/** Grants for groups in the order in which they are looked at: the highest priority first. */
export function rankGrants(grants: readonly (GroupGrant | RankedGrant)[]): readonly RankedGrant[] {
  return [...grants]
    .sort((one, other) => other.priority - one.priority)
    .map((grant) => ('names' in grant ? grant : rankedGrant(grant)));
}

/** A grant for a group, made ready to be looked at. */
// Field by field: spread would give objects hidden classes of their own, which slows every check down.
export function rankedGrant({ endpointId, consumerSelector, priority, limits, expiresAt }: GroupGrant): RankedGrant {
  const names = Object.keys(consumerSelector);
  const values = Object.values(consumerSelector);
  const known = names.length > MAX_LABELS ? new WeakMap<Labels, boolean>() : null;
  return { endpointId, consumerSelector, priority, limits, expiresAt, names, values, known };
}

function fits({ names, values, known }: RankedGrant, labels: Labels): boolean {
  if (known === null) return carriesEach(labels, names, values);
  const answer = known.get(labels) ?? carriesEach(labels, names, values);
  known.set(labels, answer);
  return answer;
}

/**
 * The grant that counts for a consumer on an endpoint (spec §1): its live own one, else the live one for a group that
 * it belongs to with the highest priority; null without any. Only that one counts, also for limits.
 *
 * @param own the consumer's own grant on the endpoint
 * @param ranked the endpoint's grants for groups, as {@link rankGrants} orders them
 * @param labels those of the consumer
 */
export function grantInEffect<G extends RankedGrant>(
  own: OwnGrant | null,
  ranked: readonly G[],
  labels: Labels,
  nowSeconds: number,
): OwnGrant | G | null {
  if (own !== null && isGrantLive(own, nowSeconds)) return own;
  for (const group of ranked) {
    if (isGrantLive(group, nowSeconds) && fits(group, labels)) return group;
  }
  return null;
}

/**
 * What became of a grant when the one in effect was found:
 * - `in-effect`: it counts.
 * - `outranked`: it is live and fits, and another one counts before it.
 * - `ended`: it would fit, and has ended.
 * - `other-labels`: it is for a group that the consumer does not belong to.
 */
export type GrantOutcome = 'in-effect' | 'outranked' | 'ended' | 'other-labels';

/** A grant and what became of it. */
export interface WeighedGrant {
  readonly grant: Grant;
  readonly outcome: GrantOutcome;
}

/**
 * Says of every grant on an endpoint what became of it by {@link grantInEffect}, in the order in which they are asked.
 */
export function weighGrants(
  own: OwnGrant | null,
  groups: readonly GroupGrant[],
  labels: Labels,
  nowSeconds: number,
): readonly WeighedGrant[] {
  const ranked = rankGrants(groups);
  const inEffect = grantInEffect(own, ranked, labels, nowSeconds);
  const outcomeOf = (grant: Grant): GrantOutcome => {
    if (grant === inEffect) return 'in-effect';
    if (isGroupGrant(grant) && !carries(labels, grant.consumerSelector)) return 'other-labels';
    return isGrantLive(grant, nowSeconds) ? 'outranked' : 'ended';
  };
  return [...(own === null ? [] : [own]), ...ranked].map((grant) => ({ grant, outcome: outcomeOf(grant) }));
}

/**
 * The limits that count for a caller: the endpoint's, with those of the grant in effect in place of `per: consumer`.
 */
export function limitsInForce(ofEndpoint: readonly Limit[], grant: Grant | null): readonly Limit[] {
  const own = grant?.limits ?? null;
  return own === null ? ofEndpoint : [...own, ...ofEndpoint.filter((limit) => limit.per === 'endpoint')];
}
