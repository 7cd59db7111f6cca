import type { AuditEvent } from '../../resources/changes/resource-store.ts';
import { isAdministrator } from '../../model/label-owners.ts';
import type { Operator } from '../../model/operator.ts';
import { isOwnedBy } from '../../model/owned-by.ts';
import type { RefusalRecord } from '../../check/refusals/refusal-record.ts';

/** Whether an operator reaches every consumer and endpoint, also those that are no longer there. */
export function reachesAll({ selector }: Operator): boolean {
  return Object.keys(selector).length === 0;
}

/** Whether an operator manages operators, and so sees what was changed of them. */
export function managesOperators(operator: Operator): boolean {
  return isAdministrator(operator);
}

/**
 * Of refusals and events of the audit trail, which of them an operator sees: those of what belonged, at that time, to
 * who has the operator's labels. Undefined for all.
 */
export function ownedByOf(operator: Operator): Operator['selector'] | undefined {
  return reachesAll(operator) ? undefined : operator.selector;
}

/** Whether an operator sees a refusal. What former versions kept is seen by those who reach everything. */
export function seesRefusal(operator: Operator, { ownedBy }: Pick<RefusalRecord, 'ownedBy'>): boolean {
  return isOwnedBy(ownedBy, operator.selector);
}

/**
 * Whether an operator sees an event. Changes of operators are for those who manage operators; what former versions
 * wrote, and attempts that were refused, for those who reach everything.
 */
export function seesEvent(operator: Operator, { kind, ownedBy }: Pick<AuditEvent, 'kind' | 'ownedBy'>): boolean {
  return kind === 'operator' ? managesOperators(operator) : isOwnedBy(ownedBy, operator.selector);
}
