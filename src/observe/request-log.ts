import { Counter, type Registry } from 'prom-client';
import type { StartTimer } from '../clock.ts';
import { LineBudget } from './line-budget.ts';
import type { Logger } from './logger.ts';

/** What the budget of the log takes. */
export interface RequestLogPorts {
  readonly logger: Logger;
  readonly registry: Registry;
  /** Monotonic, in milliseconds. */
  readonly elapsedMs: () => number;
  readonly startTimer: StartTimer;
}

/** Opens the budget for lines about requests; what it leaves out is told by a line and a metric. */
export function openRequestLog({ logger, registry, elapsedMs, startTimer }: RequestLogPorts): LineBudget {
  const budget = new LineBudget({
    elapsedMs,
    startTimer,
    onLeftOut: (kind, lines) => {
      logger.warn('lines about refused requests were left out, because there were too many', { kind, lines });
    },
  });
  new Counter({
    name: 'postern_log_lines_left_out_total',
    help: 'Lines about refused requests that were not written, because there were too many, by kind.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [kind, lines] of budget.leftOut()) this.inc({ kind }, lines);
    },
  });
  return budget;
}
