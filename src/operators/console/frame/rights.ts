import { requirePermission } from '../../api/authenticate.ts';
import { requireManager } from '../../api/operators.ts';
import { managesOperators } from '../../api/sight.ts';
import { allows, type Operator, type Permission } from '../../../model/operator.ts';

/** Whether an operator may use a page, so that only pages of use are offered. */
export function mayUse(operator: Operator, needs: Permission): boolean {
  return needs === 'change-operators' ? managesOperators(operator) : allows(operator.role, needs);
}

/** Throws the API's own `FORBIDDEN`, which names what is needed, for an operator who may not use a page. */
export function requireUse(operator: Operator, needs: Permission): void {
  if (needs === 'change-operators') requireManager(operator);
  else requirePermission(operator, needs);
}
