import type { Registry } from 'prom-client';
import type { LeftOutReason } from '../../check/refusals/refusal-recorder.ts';
import { registerMetrics } from './metric-table.ts';

/** What metrics ask about the refusals that are kept. */
export interface RefusalStatus {
  readonly written: () => number;
  readonly waiting: () => number;
  readonly leftOut: () => Readonly<Record<LeftOutReason, number>>;
}

/** Registers what becomes of the refusals that are kept. */
export function registerRefusalMetrics(registry: Registry, { written, waiting, leftOut }: RefusalStatus): void {
  registerMetrics(registry, {
    postern_refusals_written_total: ['Refusals that were kept, for "postern refusals".', written],
    postern_refusals_left_out_total: [
      'Refusals that were not kept, because there were too many, by whose share was used up.',
      leftOut,
      'reason',
    ],
    postern_refusals_waiting: ['Refusals that are still to be written.', waiting],
  });
}
