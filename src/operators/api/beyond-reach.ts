import type { AuditTrail } from '../../resources/changes/resource-store.ts';
import { Conflict, Outdated } from '../../resources/changes/resource-store.ts';
import type { Change } from '../../resources/changes/change.ts';
import { type MetBeyondReach, withoutNames } from '../../resources/changes/rights/operator-rights.ts';
import type { Operator } from '../../model/operator.ts';
import type { Throttle } from '../../base/throttle.ts';
import { ApiProblem } from './problem.ts';
import type { ApiVariables } from './ports.ts';
import { reachesAll } from './sight.ts';

/**
 * A conflict with something beyond an operator's reach. The message names nothing of it; `met` is for the audit trail.
 */
export class MetBeyond extends Conflict {
  override readonly name = 'Conflict';
  readonly met: MetBeyondReach;

  constructor(message: string, met: MetBeyondReach) {
    super(message, { unnamed: message });
    this.met = met;
  }
}

/** What a store says of changes that it does not make, in words that this operator may read. */
export function conflictFor(error: Conflict, operator: Operator, changes: readonly Change[]): Conflict {
  if (reachesAll(operator)) return error;
  if (error instanceof Outdated) return new Outdated(withoutNames(error));
  const [change] = changes;
  if (change === undefined || change.kind === 'operator') return new Conflict(withoutNames(error));
  return new MetBeyond(withoutNames(error), { kind: change.kind, id: change.id, sentence: error.message });
}

/** What keeping an attempt needs. */
export interface AttemptPorts {
  readonly audit: Pick<AuditTrail, 'keep'>;
  /** Of attempts alone. */
  readonly throttle: Throttle;
}

/**
 * Keeps in the audit trail that an operator met something beyond reach, dry runs too, so that nobody learns by trying
 * what others have without a trace. Gives the answer: `TOO_MANY_REQUESTS` where it has happened too often in this
 * minute.
 */
export async function keepAttempt(
  { message, met }: MetBeyond,
  asked: Pick<ApiVariables, 'operator' | 'via' | 'reason'> & { readonly method: string; readonly route: string },
  { audit, throttle }: AttemptPorts,
): Promise<ApiProblem> {
  const { operator, via, reason, method, route } = asked;
  const retryAfter = throttle.findWait(operator.id, '');
  if (retryAfter !== null) {
    return new ApiProblem('TOO_MANY_REQUESTS', 'too many requests met what is beyond reach', { retryAfter });
  }
  throttle.countFailure(operator.id, '');
  const { kind, id, sentence: refused } = met;
  await audit.keep({
    actor: operator.id,
    action: `${via} refused ${method} ${route}`,
    reason,
    kind,
    id,
    refused,
  });
  return new ApiProblem('CONFLICT', message);
}
