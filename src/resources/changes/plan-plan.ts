import { readPlain } from '../../model/document/read-plain.ts';
import type { Plan } from '../../model/plan.ts';
import { declarePlan, readPlan } from '../plan.ts';
import type { Stored } from '../resource.ts';
import type { Change, Planned } from './change.ts';
import { takenId } from './planned-conflict.ts';
import { applyWish, type Wish } from './wish.ts';

/** Plans a new plan. `others` are all plans that there are. */
export function planNewPlan(id: string, wish: Wish, others: readonly Plan[]): Planned {
  if (others.some((other) => other.id === id)) return takenId('plan', id);
  return planFrom(null, { ...wish, id }, others);
}

/** Plans a change of a plan. `others` are all plans that there are; itself may be among them. */
export function planPlanEdit(current: Stored<Plan>, wish: Wish, others: readonly Plan[]): Planned {
  return planFrom(
    current,
    wish,
    others.filter(({ id }) => id !== current.resource.id),
  );
}

function planFrom(before: Stored<Plan> | null, wish: Wish, others: readonly Plan[]): Planned {
  const declared = before === null ? {} : declarePlan(before.resource);
  const read = readPlain(applyWish(declared, oneWay(wish)), readPlan, before === null ? undefined : declared);
  if ('problems' in read) return read;
  const after = read.value;
  const holder = others.find(({ priority }) => priority === after.priority);
  if (holder === undefined) return { changes: [{ kind: 'plan', id: after.id, before, after }] };
  const free = Math.max(...others.map(({ priority }) => priority)) + 10;
  const rule = `has priority ${String(holder.priority)} already`;
  return {
    conflict: `the plan "${holder.id}" ${rule}`,
    remedy: { kind: 'other-priority', free },
    holder: { kind: 'plan', id: holder.id, unnamed: `another plan ${rule}; give this one another "priority"` },
  };
}

/** A wish for endpoints by their ids takes the place of labels, and the other way round, unless both are wished. */
function oneWay(wish: Wish): Wish {
  const [byIds, byLabels] = ['endpoints', 'endpointSelector'].map((field) => wish[field] !== undefined);
  if (byIds === byLabels) return wish;
  return byIds === true ? { endpointSelector: undefined, ...wish } : { endpoints: undefined, ...wish };
}

/** Plans that a plan is no longer. */
export function planPlanDeletion(before: Stored<Plan>): Change {
  return { kind: 'plan', id: before.resource.id, before, after: null };
}
