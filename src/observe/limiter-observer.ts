import { type Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type FailureReason, failureReasons } from '../limit/service/messages.ts';
import type { RateLimitServiceObserver } from '../limit/service/rate-limit-service.ts';
import type { Logger } from './logger.ts';
import { announcedCounter } from './metric-table.ts';

/** From an answer of a service on the same machine to the longest deadline, in seconds. */
const DURATION_BUCKETS = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** How a question to the rate limit service ended. */
export type LimiterOutcome = 'ok' | 'over-limit' | FailureReason;

/** The metrics of the rate limit service (interfaces §6), there only when one is configured. */
export class LimiterMetrics {
  readonly #questions: Counter<'outcome'>;
  readonly #duration: Histogram;
  readonly #up: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#questions = announcedCounter(registry, {
      name: 'postern_limiter_questions_total',
      help: 'Questions about limits by outcome: ok, over-limit, or why the rate limit service did not count.',
      labels: { outcome: ['ok', 'over-limit', ...failureReasons] },
    });
    this.#duration = new Histogram({
      name: 'postern_limiter_question_duration_seconds',
      help: 'Time of one question to the rate limit service, failed ones too; not of those that were not asked.',
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#up = new Gauge({
      name: 'postern_limiter_up',
      help: 'Whether the rate limit service is asked: 1, or 0 while it is given up.',
      registers,
    });
    this.#up.set(1);
  }

  /** Counts one question. */
  countQuestion(outcome: LimiterOutcome, seconds: number): void {
    this.#questions.inc({ outcome });
    if (outcome !== 'given-up') this.#duration.observe(seconds);
  }

  /** Notes whether the service is asked. */
  setUp(isUp: boolean): void {
    this.#up.set(isUp ? 1 : 0);
  }
}

/** Logs when the rate limit service is given up and when it is asked again; everything else shows in metrics. */
export function createLimiterObserver(logger: Logger, metrics: LimiterMetrics): RateLimitServiceObserver {
  return {
    asked(outcome, seconds) {
      metrics.countQuestion(outcome, seconds);
    },
    down(failure) {
      metrics.setUp(false);
      const { cause } = failure ?? {};
      logger.error('limits cannot be counted; onLimiterFailure of each endpoint decides until they can', {
        reason: failure?.reason ?? 'unknown',
        detail: failure?.message ?? '',
        ...(cause instanceof Error ? { cause: cause.message } : {}),
      });
    },
    up() {
      metrics.setUp(true);
      logger.info('limits are counted again');
    },
  };
}
