import { startFleet } from '../../test/support/fleet/fleet.ts';
import { keyed, makePartner } from '../../test/support/fleet/partners.ts';
import { poll } from '../../test/support/time/poll.ts';
import { startRateLimitService } from '../../test/support/ratelimit/start-rate-limit-service.ts';
import { startRedis } from '../../test/support/ratelimit/start-redis.ts';
import type { Drill } from '../framework/drill.ts';
import { call, expectCall, untilCall } from '../framework/traffic.ts';

const LIMIT = 3;

/** The rate limit service is away: one endpoint lets requests through uncounted, another refuses them. */
export const rateLimitServiceLost: Drill = {
  name: 'rate-limit-service-lost',
  title: 'limits cannot be counted: one endpoint allows without them, another refuses',
  services: ['envoy', 'mongodb', 'ratelimit', 'redis'],
  isQuick: false,
  run: async (stage) => {
    await using redis = await startRedis();
    await using service = await startRateLimitService(redis.port);
    await using fleet = await startFleet({
      replicas: 1,
      settings: {
        POSTERN_RATE_LIMIT_SERVICE: `127.0.0.1:${String(service.port)}`,
        POSTERN_RATE_LIMIT_DEADLINE_MS: '1000',
      },
      prepare: async ({ postern }) => {
        await postern('endpoint', 'create', 'keyed', '--path', '/keyed', '--authentication', 'key');
        await postern('consumer', 'create', 'acme');
      },
    });
    const { key } = await makePartner(fleet);
    const metric = async (): Promise<string> =>
      /^postern_limiter_up .*$/m.exec((await fleet.replicas[0]?.process.metrics()) ?? '')?.[0] ?? '';
    const request = () => keyed(key);
    const strict = () => ({ ...keyed(key), target: '/strict' });

    stage.step(`Two endpoints with a limit of ${String(LIMIT)} a day; the second refuses when it cannot be counted`);
    await stage.postern(fleet, `limit set ${String(LIMIT)}/day/consumer --endpoint keyed`);
    await stage.postern(
      fleet,
      `endpoint create strict --path /strict --authentication key --limit 1000000/day/consumer --option onLimiterFailure=deny`,
    );
    await untilCall(stage, fleet, 'the second endpoint', strict, '200');
    for (let count = 0; count < LIMIT; count += 1) await call(fleet, request());
    await untilCall(stage, fleet, 'the first endpoint, over its limit', request, '429 RATE_LIMITED');

    stage.step('The rate limit service is lost');
    await service.kill();
    await untilCall(stage, fleet, 'the first endpoint, uncounted', request, '200');
    await untilCall(stage, fleet, 'the second endpoint', strict, '503 LIMITER_UNAVAILABLE');
    for (let count = 0; count < LIMIT * LIMIT; count += 1) await call(fleet, request());
    stage.show(await poll('the metric', async () => ((await metric()).endsWith(' 0') ? await metric() : null)));

    stage.step('It comes back, without any action');
    await service.restart();
    await untilCall(stage, fleet, 'the second endpoint', strict, '200');
    await untilCall(
      stage,
      fleet,
      'the first endpoint, still over its limit: the counts are in Redis',
      request,
      '429 RATE_LIMITED',
    );
    stage.show(await poll('the metric', async () => ((await metric()).endsWith(' 1') ? await metric() : null)));

    stage.step('If it takes long: remove the limit of the endpoint that refuses');
    await service.kill();
    await untilCall(stage, fleet, 'the second endpoint', strict, '503 LIMITER_UNAVAILABLE');
    await stage.postern(fleet, 'limit clear --endpoint strict');
    await untilCall(stage, fleet, 'the second endpoint', strict, '200');
    await service.restart();
    await stage.postern(fleet, 'limit set 1000000/day/consumer --endpoint strict');
    await expectCall(stage, fleet, 'the second endpoint', strict(), '200');
  },
};
