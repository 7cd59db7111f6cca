import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { InProcessLimiter } from './limit/in-process.ts';
import type { Limiter } from './limit/limiter.ts';
import { RateLimitServiceLimiter } from './limit/rate-limit-service.ts';
import { LimiterMetrics } from './observe/limiter-metrics.ts';
import { createLimiterObserver } from './observe/limiter-observer.ts';
import type { Logger } from './observe/logger.ts';
import type { Metrics } from './observe/metrics.ts';

/** What opening takes. */
export interface GatewayLimiterPorts {
  readonly config: Pick<Config, 'rateLimitService' | 'rateLimitDomain' | 'rateLimitDeadlineMs'>;
  readonly clock: Clock;
  /** Monotonic, in milliseconds. */
  readonly elapsedMs: () => number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What a gateway counts limits with, and how that ends. */
export interface GatewayLimiter extends AsyncDisposable {
  readonly limiter: Limiter;
}

/** Opens the limiter of the configuration, and says which it is. A rate limit service that is away is no hindrance. */
export function openGatewayLimiter({ config, clock, elapsedMs, logger, metrics }: GatewayLimiterPorts): GatewayLimiter {
  const { rateLimitService: address, rateLimitDomain: domain, rateLimitDeadlineMs: deadlineMs } = config;
  if (address === null) {
    logger.info('limits are kept in this process: no rate limit service is configured');
    return { limiter: new InProcessLimiter(clock), [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  logger.info('limits are kept by the rate limit service', { ...address, domain, deadlineMs });
  const observer = createLimiterObserver(logger, new LimiterMetrics(metrics.registry));
  const limiter = new RateLimitServiceLimiter({ address, domain, deadlineMs }, { clock, elapsedMs, observer });
  return { limiter, [Symbol.asyncDispose]: () => limiter[Symbol.asyncDispose]() };
}
