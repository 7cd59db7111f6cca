import type { Registry } from 'prom-client';
import type { Clock } from '../../base/clock.ts';
import { lastingUnits } from '../../check/limit/lasting-limits.ts';
import type { LimitReading } from '../../model/limit.ts';
import { registerMetrics } from './metric-table.ts';

/** Consumers of one plan that are counted at most. */
const MAX_CONSUMERS = 10_000;

/**
 * The consumers that this process saw use 80 % or more of a plan's limit of an hour or longer, until the window ends.
 * A second or minute that is nearly used up says nothing that an operator could act on.
 */
export class PlanWarnings {
  readonly #clock: Pick<Clock, 'nowSeconds'>;
  /** By plan: when the last such window of each consumer ends. A plan that was seen stays, with 0. */
  readonly #endsByPlan = new Map<string, Map<string, number>>();

  constructor(clock: Pick<Clock, 'nowSeconds'>, registry: Registry) {
    this.#clock = clock;
    registerMetrics(registry, {
      postern_plan_consumers_near_limit: [
        'Consumers who have used 80 % or more of a plan limit of an hour or longer; 10000 of a plan at most.',
        () => this.#counts(),
        'plan',
      ],
    });
  }

  /** Notes a limit of a plan that is nearly used up. */
  note(planId: string, consumerId: string, { limit, resetSeconds }: LimitReading): void {
    if (!lastingUnits.includes(limit.unit)) return;
    const ends = this.#endsByPlan.get(planId) ?? new Map<string, number>();
    this.#endsByPlan.set(planId, ends);
    const former = ends.get(consumerId);
    if (former === undefined && ends.size >= MAX_CONSUMERS) return;
    ends.set(consumerId, Math.max(former ?? 0, this.#clock.nowSeconds() + resetSeconds));
  }

  #counts(): Readonly<Record<string, number>> {
    const nowSeconds = this.#clock.nowSeconds();
    const counts: Record<string, number> = {};
    for (const [planId, ends] of this.#endsByPlan) {
      for (const [consumerId, end] of ends) if (end <= nowSeconds) ends.delete(consumerId);
      counts[planId] = ends.size;
    }
    return counts;
  }
}
