import type { RateLimitServiceObserver } from '../limit/service/rate-limit-service.ts';
import type { LimiterMetrics } from './limiter-metrics.ts';
import type { Logger } from './logger.ts';

/** Says what becomes of the rate limit service: one line when it is given up, one when it is back; all else in metrics. */
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
