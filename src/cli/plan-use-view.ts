import { grouped } from '../base/text/printable.ts';
import { NEAR_LIMIT } from '../check/limit/limit.ts';
import { declarePlanUse, partOf, type PlanUse } from '../resources/changes/usage/plan-usage.ts';
import { formatPlanLimit } from '../resources/plan.ts';
import type { ListView } from './render/list.ts';
import { formatDistance } from './render/text.ts';

/** How the use of plans is shown: the fullest first. */
export function planUseView(nowSeconds: number): ListView<PlanUse> {
  return {
    columns: [
      { heading: 'PLAN', cell: ({ planId }) => planId },
      { heading: 'CONSUMER', cell: ({ consumerId }) => consumerId },
      { heading: 'LIMIT', cell: ({ limit }) => formatPlanLimit(limit) },
      {
        heading: 'USED',
        cell: (use) => `${grouped(use.used)} (${String(Math.floor(partOf(use) * 100))} %)`,
        paint: (text, use, paint) =>
          partOf(use) >= 1 ? paint.red(text) : partOf(use) >= NEAR_LIMIT ? paint.yellow(text) : text,
      },
      { heading: 'BEGINS ANEW', cell: ({ endsAt }) => formatDistance(endsAt, nowSeconds) },
    ],
    declare: declarePlanUse,
    none: 'No requests were counted.',
  };
}
