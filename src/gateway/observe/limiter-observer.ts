import { Gauge, type Registry } from 'prom-client';
import type { RateLimitServiceObserver } from '../../stores/rate-limit-service/rate-limit-service.ts';
import type { QuestionOutcome } from '../../stores/rate-limit-service/service-failure.ts';
import { FastHistogram } from './check-metrics.ts';
import type { Logger } from './logger.ts';
import { registerMetrics } from './metric-table.ts';

/** From an answer of a service on the same machine to the longest deadline, in seconds. */
const DURATION_BUCKETS = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/**
 * Logs when the rate limit service is given up and when it is asked again; everything else shows in its metrics
 * (interfaces §6), which are there only when such a service is configured.
 */
export function createLimiterObserver(logger: Logger, registry: Registry): RateLimitServiceObserver {
  const questions: Record<QuestionOutcome, number> = {
    ok: 0,
    'over-limit': 0,
    deadline: 0,
    unreachable: 0,
    error: 0,
    'wrong-answer': 0,
    'given-up': 0,
  };
  registerMetrics(registry, {
    postern_limiter_questions_total: [
      'Calls to the rate limit service by outcome: ok, over-limit, or why it did not count.',
      () => questions,
      'outcome',
    ],
  });
  const duration = new FastHistogram({
    name: 'postern_limiter_question_duration_seconds',
    help: 'Time of a call to the rate limit service, failed ones included.',
    buckets: DURATION_BUCKETS,
    registry,
  });
  const isUp = new Gauge({
    name: 'postern_limiter_up',
    help: '1 while the rate limit service is in use, 0 while it is given up.',
    registers: [registry],
  });
  isUp.set(1);
  return {
    asked(outcome, seconds) {
      questions[outcome] += 1;
      if (outcome !== 'given-up') duration.add(seconds);
    },
    down(failure) {
      isUp.set(0);
      const { cause } = failure ?? {};
      logger.error('limits cannot be counted; onLimiterFailure of each endpoint decides until they can', {
        reason: failure?.reason ?? 'unknown',
        detail: failure?.message ?? '',
        ...(cause instanceof Error ? { cause: cause.message } : {}),
      });
    },
    up() {
      isUp.set(1);
      logger.info('limits are counted again');
    },
  };
}
