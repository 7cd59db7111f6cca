import { systemClock } from '../../../src/base/clock.ts';
import { grpcTransports } from '../../../src/wire/grpc-transport.ts';
import { poll } from '../../support/time/poll.ts';
import { useRateLimitService } from '../../support/ratelimit/use-rate-limit-service.ts';
import { describeLimiterContract } from '../limiter.ts';

describe("over Envoy's rate limit service", () => {
  const running = useRateLimitService();

  for (const transport of grpcTransports) {
    describeLimiterContract(`of the rate limit service, called by ${transport}`, () =>
      Promise.resolve({
        limiter: running.limiter({ transport }),
        nowSeconds: () => systemClock.nowSeconds(),
        toNextSecond: async () => {
          const second = systemClock.nowSeconds();
          await poll('the next second', () => Promise.resolve(systemClock.nowSeconds() > second ? true : null));
        },
        unique: `${transport}-`,
      }),
    );
  }
});
