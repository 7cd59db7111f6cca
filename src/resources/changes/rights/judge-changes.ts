import { type Grant, isGroupGrant } from '../../../model/grant.ts';
import { isAdministrator, maySetLabel } from '../../../model/label-owners.ts';
import { carries, describeLabels, type Labels } from '../../../model/labels.ts';
import { allows, type Permission } from '../../../model/operator.ts';
import { describeBounds, isBound } from '../../../model/operator-bounds.ts';
import { planBelongsTo } from '../../../model/plan.ts';
import { findTakenRequests } from '../../../check/route/taken-requests.ts';
import { isWithinBounds } from '../../../check/route/within-bounds.ts';
import type { Endpoint } from '../../../model/endpoint.ts';
import type { ResourceKind } from '../../resource.ts';
import type { Change, ChangeOf } from '../change.ts';
import type { ChangeGround, LabelledKind } from './change-ground.ts';
import { describeLackingRole, ONLY_ADMINISTRATORS, type OperatorRights, type Overreach } from './operator-rights.ts';

/** What changing each kind needs. */
export const permissionFor: { readonly [K in ResourceKind]: Permission } = {
  endpoint: 'change-endpoints',
  consumer: 'change-consumers',
  credential: 'change-consumers',
  grant: 'change-consumers',
  plan: 'change-endpoints',
  issuer: 'change-endpoints',
  operator: 'change-operators',
};

/**
 * The one rule of what an operator may change, whatever way leads to the changes: why these are refused, null where
 * none is. What the store has now counts beside what the changes were planned on and what they leave. The management
 * API asks before it answers, and the store again within the transaction.
 */
export function judgeChanges(
  rights: OperatorRights,
  changes: readonly Change[],
  ground: ChangeGround,
): Overreach | null {
  const judging = new Judging(rights, changes, ground);
  for (const change of changes) {
    const overreach = judging.judge(change);
    if (overreach !== null) return overreach;
  }
  return judging.judgeRequests();
}

/** Whether an own grant is of a consumer beyond reach: it goes with its endpoint, and no answer names it. */
export function isOfForeignConsumer(
  { operator: { selector } }: OperatorRights,
  change: Change,
  ground: ChangeGround,
): boolean {
  if (change.kind !== 'grant') return false;
  const grant = change.after ?? change.before?.resource ?? null;
  if (grant === null || isGroupGrant(grant)) return false;
  return !carries(ground.consumer.get(grant.consumerId)?.labels ?? {}, selector);
}

class Judging {
  readonly #rights: OperatorRights;
  readonly #changes: readonly Change[];
  readonly #ground: ChangeGround;
  readonly #own: ReadonlyMap<string, Change>;

  constructor(rights: OperatorRights, changes: readonly Change[], ground: ChangeGround) {
    this.#rights = rights;
    this.#changes = changes;
    this.#ground = ground;
    this.#own = new Map(changes.map((change) => [`${change.kind} ${change.id}`, change]));
  }

  judge(change: Change): Overreach | null {
    const { operator } = this.#rights;
    const permission = permissionFor[change.kind];
    if (!allows(operator.role, permission)) return forbidden(describeLackingRole(operator.role, permission));
    switch (change.kind) {
      case 'operator':
        return isAdministrator(operator) ? null : forbidden(ONLY_ADMINISTRATORS);
      case 'endpoint':
      case 'consumer':
        return this.#judgeLabelled(change);
      case 'credential':
        return this.#judgeCredential(change);
      case 'grant':
        return this.#judgeGrant(change);
      case 'plan':
        return this.#judgePlan(change);
      case 'issuer':
        return this.#judgeIssuer(change);
    }
  }

  /** Requests of endpoints beyond reach: a narrower path or a more exact host takes them without colliding. */
  judgeRequests(): Overreach | null {
    const { selector } = this.#rights.operator;
    const changed = this.#changes.flatMap((change) => (change.kind === 'endpoint' ? (change.after ?? []) : []));
    if (changed.length === 0 || Object.keys(selector).length === 0) return null;
    const taken = findTakenRequests(changed, this.#ground.endpoints, ({ labels }) => !carries(labels, selector));
    if (taken === null) return null;
    if (taken === 'too-many') return forbidden(TOO_MANY_TO_COMPARE);
    const { by, from, example } = taken;
    const sentence = `"${by.id}" would take requests of the endpoint "${from.id}", such as ${example}`;
    return {
      code: 'CONFLICT',
      message: `"${by.id}" would take requests of an endpoint beyond reach`,
      met: { kind: 'endpoint', id: from.id, sentence },
    };
  }

  #judgeLabelled(change: ChangeOf<'endpoint'> | ChangeOf<'consumer'>): Overreach | null {
    const { operator } = this.#rights;
    const { kind, id, after } = change;
    const before = change.before?.resource ?? null;
    const stored = before === null ? null : (this.#ground[kind].get(id) ?? null);
    for (const side of [before, stored]) if (side !== null && !this.#reaches(side)) return unseen(kind, id);
    if (after !== null && !this.#reaches(after)) {
      return forbidden(mustCarry(operator.selector));
    }
    for (const side of [before, stored, after]) {
      if (side !== null && 'match' in side && !isWithinBounds(side.match, operator)) return this.#outOfBounds(id);
    }
    return after === null ? null : this.#judgeLabels(before?.labels ?? {}, after.labels);
  }

  #judgeLabels(before: Labels, after: Labels): Overreach | null {
    const { operator, labelOwners } = this.#rights;
    // Labels of the operator are those that all within reach carries.
    const isOwn = (name: string): boolean => Object.hasOwn(operator.selector, name);
    const reserved = changedLabels(before, after).find(
      (name) => !isOwn(name) && !maySetLabel(operator, name, labelOwners),
    );
    return reserved === undefined
      ? null
      : forbidden(`the label ${JSON.stringify(reserved)} is reserved: others set, change and remove it`);
  }

  #judgeCredential({ id, before, after }: ChangeOf<'credential'>): Overreach | null {
    for (const side of [before?.resource ?? null, after]) {
      if (side === null || this.#reachesOwner('consumer', side.consumerId)) continue;
      return before === null ? unseen('consumer', side.consumerId) : unseen('credential', id);
    }
    return null;
  }

  #judgeGrant({ id, before, after }: ChangeOf<'grant'>): Overreach | null {
    for (const grant of [before?.resource ?? null, after]) {
      const overreach = grant === null ? null : this.#judgeSide(id, grant, before === null);
      if (overreach !== null) return overreach;
    }
    return null;
  }

  /** Its limits stand in place of those of others' plans, and so must its consumers and endpoints be one's own. */
  #judgePlan({ id, before, after }: ChangeOf<'plan'>): Overreach | null {
    const { operator } = this.#rights;
    if (before !== null && !planBelongsTo(before.resource, operator.selector)) return unseen('plan', id);
    if (isBound(operator)) return forbidden(PLANS_ARE_UNBOUND);
    return after === null || planBelongsTo(after, operator.selector)
      ? null
      : forbidden(
          `consumerSelector and endpointSelector must name the labels of the operator: ${describeLabels(operator.selector)}`,
        );
  }

  /** Who has it can sign for every consumer whose credentials name it. A change is made of what the store has. */
  #judgeIssuer({ id, before, after }: ChangeOf<'issuer'>): Overreach | null {
    const { operator } = this.#rights;
    if (before !== null && !this.#reaches(before.resource)) return unseen('issuer', id);
    if (isBound(operator)) return forbidden(ISSUERS_ARE_UNBOUND);
    if (after !== null && !this.#reaches(after)) return forbidden(mustCarry(operator.selector));
    return after === null ? null : this.#judgeLabels(before?.resource.labels ?? {}, after.labels);
  }

  #judgeSide(id: string, grant: Grant, isNew: boolean): Overreach | null {
    const { operator } = this.#rights;
    const { endpointId } = grant;
    if (!this.#reachesOwner('endpoint', endpointId)) {
      const goesWithConsumer = !isGroupGrant(grant) && this.#isDeleted('consumer', grant.consumerId);
      if (goesWithConsumer) {
        const sentence = `the grant "${id}" is on an endpoint beyond reach, and would go with its consumer`;
        return { code: 'CONFLICT', message: GRANT_ELSEWHERE, met: { kind: 'grant', id, sentence } };
      }
      return isNew ? unseen('endpoint', endpointId) : unseen('grant', id);
    }
    const endpoint = this.#statesOf('endpoint', endpointId) as readonly Endpoint[];
    if (!endpoint.every(({ match }) => isWithinBounds(match, operator))) return this.#outOfBounds(endpointId);
    // Whose endpoint it is, deletes it with all grants on it.
    if (this.#isDeleted('endpoint', endpointId)) return null;
    if (isGroupGrant(grant)) {
      return carries(grant.consumerSelector, operator.selector)
        ? null
        : forbidden(`the consumerSelector must name the labels of the operator: ${describeLabels(operator.selector)}`);
    }
    if (this.#reachesOwner('consumer', grant.consumerId)) return null;
    return isNew ? unseen('consumer', grant.consumerId) : unseen('grant', id);
  }

  #reaches({ labels }: { readonly labels: Labels }): boolean {
    return carries(labels, this.#rights.operator.selector);
  }

  /** There, and within reach in every state that it has now or gets. */
  #reachesOwner(kind: LabelledKind, id: string): boolean {
    const states = this.#statesOf(kind, id);
    return states.length > 0 && states.every((state) => this.#reaches(state));
  }

  #statesOf(kind: LabelledKind, id: string): readonly { readonly labels: Labels }[] {
    const change = this.#own.get(`${kind} ${id}`) as ChangeOf<LabelledKind> | undefined;
    return [this.#ground[kind].get(id) ?? null, change?.after ?? null].filter((state) => state !== null);
  }

  #isDeleted(kind: LabelledKind, id: string): boolean {
    return this.#own.get(`${kind} ${id}`)?.after === null;
  }

  #outOfBounds(id: string): Overreach {
    const bounds = describeBounds(this.#rights.operator);
    return forbidden(`the endpoint "${id}" must stay within the bounds of the operator: ${bounds}`);
  }
}

const TOO_MANY_TO_COMPARE =
  'so many hosts, paths and methods cannot be compared with what is beyond reach: change fewer at once';
const ISSUERS_ARE_UNBOUND = 'an operator who is bound to hosts or paths changes no issuers';
const PLANS_ARE_UNBOUND = 'an operator who is bound to hosts or paths changes no plans';
const GRANT_ELSEWHERE = 'a grant on an endpoint beyond reach would go with it; it has to be removed first';

function mustCarry(selector: Labels): string {
  return `the resource must carry the labels of the operator: ${describeLabels(selector)}`;
}

function forbidden(message: string): Overreach {
  return { code: 'FORBIDDEN', message };
}

/** In the words for what is not there. */
function unseen(kind: ResourceKind, id: string): Overreach {
  return { code: 'NOT_FOUND', message: `there is no ${kind} ${JSON.stringify(id)}` };
}

function changedLabels(before: Labels, after: Labels): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]);
}
