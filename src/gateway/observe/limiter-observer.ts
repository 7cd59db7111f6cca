import { Gauge, Histogram, type Registry } from 'prom-client';
import { failureReasons } from '../../stores/rate-limit-service/service-failure.ts';
import type { RateLimitServiceObserver } from '../../stores/rate-limit-service/rate-limit-service.ts';
import type { Logger } from './logger.ts';
import { announcedCounter } from './metric-table.ts';

/** From an answer of a service on the same machine to the longest deadline, in seconds. */
const DURATION_BUCKETS = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/**
 * Logs when the rate limit service is given up and when it is asked again; everything else shows in its metrics
 * (interfaces §6), which are there only when such a service is configured.
 */
export function createLimiterObserver(logger: Logger, registry: Registry): RateLimitServiceObserver {
  const registers = [registry];
  const questions = announcedCounter(registry, {
    name: 'postern_limiter_questions_total',
    help: 'Calls to the rate limit service by outcome: ok, over-limit, or why it did not count.',
    labels: { outcome: ['ok', 'over-limit', ...failureReasons] },
  });
  const duration = new Histogram({
    name: 'postern_limiter_question_duration_seconds',
    help: 'Time of a call to the rate limit service, failed ones included.',
    buckets: DURATION_BUCKETS,
    registers,
  });
  const isUp = new Gauge({
    name: 'postern_limiter_up',
    help: '1 while the rate limit service is in use, 0 while it is given up.',
    registers,
  });
  isUp.set(1);
  return {
    asked(outcome, seconds) {
      questions.inc({ outcome });
      if (outcome !== 'given-up') duration.observe(seconds);
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
