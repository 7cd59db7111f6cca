import { release } from '../../test/support/lifetime/release.ts';
import { startRateLimitService } from '../../test/support/ratelimit/start-rate-limit-service.ts';
import { startRedis } from '../../test/support/ratelimit/start-redis.ts';
import type { Backends } from './peer.ts';

/** Under a closed loop the service is as late as it is loaded; that is measured, not refused. */
const DEADLINE_MS = 5000;

/** Starts Envoy's rate limit service and Redis with the committed configuration of both. */
export async function startRateLimitBackends(): Promise<Backends> {
  const redis = await startRedis();
  try {
    const service = await startRateLimitService(redis.port);
    return {
      env: {
        POSTERN_RATE_LIMIT_SERVICE: `127.0.0.1:${String(service.port)}`,
        POSTERN_RATE_LIMIT_DEADLINE_MS: String(DEADLINE_MS),
      },
      [Symbol.asyncDispose]: () => release(service, redis),
    };
  } catch (error) {
    await release(redis);
    throw error;
  }
}
