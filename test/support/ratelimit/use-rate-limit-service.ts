import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/clock.ts';
import type { GrpcTransport } from '../../../src/wire/grpc-transport.ts';
import {
  RateLimitServiceLimiter,
  type RateLimitServiceObserver,
} from '../../../src/stores/rate-limit-service/rate-limit-service.ts';
import { release } from '../lifetime/release.ts';
import type { LocalServer } from '../process/local-server.ts';
import { startRateLimitService } from './start-rate-limit-service.ts';
import { startRedis } from './start-redis.ts';

/** The rate limit service and its Redis, for the tests of one `describe`. */
export interface RateLimitServiceInUse {
  readonly service: () => LocalServer;
  readonly redis: () => LocalServer;
  /** A limiter on that service, ended with the test; a long deadline unless stated otherwise. */
  readonly limiter: (options?: LimiterOptions) => RateLimitServiceLimiter;
}

/** What a limiter differs in. */
export interface LimiterOptions {
  readonly domain?: string;
  readonly deadlineMs?: number;
  readonly transport?: GrpcTransport;
  readonly observer?: Partial<RateLimitServiceObserver>;
}

const silent: RateLimitServiceObserver = {
  asked: () => undefined,
  down: () => undefined,
  up: () => undefined,
};

/** Starts both around the tests of the calling `describe`. */
export function useRateLimitService(): RateLimitServiceInUse {
  let redis: LocalServer | undefined;
  let service: LocalServer | undefined;
  const limiters: RateLimitServiceLimiter[] = [];
  before(async () => {
    redis = await startRedis();
    service = await startRateLimitService(redis.port);
  });
  afterEach(() => {
    for (const limiter of limiters.splice(0)) limiter[Symbol.dispose]();
  });
  after(() => release(redis, service));
  const running = (server: LocalServer | undefined): LocalServer => {
    assert.ok(server, 'the service runs within tests only');
    return server;
  };
  return {
    service: () => running(service),
    redis: () => running(redis),
    limiter: ({ domain = 'postern', deadlineMs = 5000, transport = 'native', observer } = {}) => {
      const address = { host: '127.0.0.1', port: running(service).port };
      const limiter = new RateLimitServiceLimiter(
        { address, domain, deadlineMs, transport },
        { clock: systemClock, observer: { ...silent, ...observer } },
      );
      limiters.push(limiter);
      return limiter;
    },
  };
}
