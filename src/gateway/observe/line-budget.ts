import type { Registry } from 'prom-client';
import type { Clock, StartTimer } from '../../base/clock.ts';
import type { Logger } from './logger.ts';
import { registerMetrics } from './metric-table.ts';

/** Lines of one kind that may come at once, and how many more each second: 260 MB a day of each kind at most. */
const BURST_LINES = 100;
const LINES_PER_SECOND = 10;
/** How often it is reported what was left out, in milliseconds. */
const REPORT_MS = 10_000;

/** What a budget of log lines needs, and what it calls. */
export interface LineBudgetPorts {
  readonly clock: Pick<Clock, 'elapsedMs'>;
  readonly startTimer: StartTimer;
  /** Called every ten seconds, if lines of a kind were left out, with how many since the last time. */
  readonly onLeftOut: (kind: string, lines: number) => void;
}

/**
 * Keeps a flood of requests from becoming a flood of lines, so that an attack does not fill the disk: of each kind 100
 * lines at once and 10 a second in the long run. Kinds are words of the program, such as refusal codes; they count for
 * themselves, so that many lines of one kind hide none of another. Disposing of it reports the last of what was left
 * out.
 */
export class LineBudget implements Disposable {
  readonly #ports: LineBudgetPorts;
  readonly #kinds = new Map<string, KindBudget>();
  #cancelReport: (() => void) | null = null;

  constructor(ports: LineBudgetPorts) {
    this.#ports = ports;
  }

  /** Whether a line of this kind may be written now; one that may not is counted. */
  take(kind: string): boolean {
    const nowMs = this.#ports.clock.elapsedMs();
    let budget = this.#kinds.get(kind);
    if (budget === undefined) {
      budget = { lines: BURST_LINES, atMs: nowMs, leftOut: 0, leftOutEver: 0 };
      this.#kinds.set(kind, budget);
    }
    budget.lines = Math.min(BURST_LINES, budget.lines + ((nowMs - budget.atMs) * LINES_PER_SECOND) / 1000);
    budget.atMs = nowMs;
    if (budget.lines >= 1) {
      budget.lines -= 1;
      return true;
    }
    budget.leftOut += 1;
    budget.leftOutEver += 1;
    this.#cancelReport ??= this.#ports.startTimer(REPORT_MS, () => {
      this.#report();
    });
    return false;
  }

  /** How many lines of each kind were left out since the start. */
  *leftOut(): Iterable<readonly [kind: string, lines: number]> {
    for (const [kind, { leftOutEver }] of this.#kinds) yield [kind, leftOutEver];
  }

  [Symbol.dispose](): void {
    this.#cancelReport?.();
    this.#report();
  }

  #report(): void {
    this.#cancelReport = null;
    for (const [kind, budget] of this.#kinds) {
      if (budget.leftOut === 0) continue;
      this.#ports.onLeftOut(kind, budget.leftOut);
      budget.leftOut = 0;
    }
  }
}

interface KindBudget {
  /** What may still be written, as of {@link atMs}; not whole while it fills up again. */
  lines: number;
  atMs: number;
  leftOut: number;
  leftOutEver: number;
}

/** What the budget of lines about requests needs. */
export interface RequestLogPorts extends Omit<LineBudgetPorts, 'onLeftOut'> {
  readonly logger: Logger;
  readonly registry: Registry;
}

/** Opens the budget for lines about requests; what it leaves out is reported by a line and a metric. */
export function openRequestLog({ logger, registry, clock, startTimer }: RequestLogPorts): LineBudget {
  const budget = new LineBudget({
    clock,
    startTimer,
    onLeftOut: (kind, lines) => {
      logger.warn('lines about refused requests were left out, because there were too many', { kind, lines });
    },
  });
  registerMetrics(registry, {
    postern_log_lines_left_out_total: [
      'Lines about refused requests that were not written, because there were too many, by kind.',
      () => Object.fromEntries(budget.leftOut()),
      'kind',
    ],
  });
  return budget;
}
