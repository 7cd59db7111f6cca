import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { FailureReason } from '../../../src/stores/rate-limit-service/service-failure.ts';
import { testGateway } from '../../support/pipeline/gateway.ts';
import { keyEndpoint, limit } from '../../support/pipeline/resources.ts';
import { poll } from '../../support/time/poll.ts';
import type { LocalServer } from '../../support/process/local-server.ts';
import { useRateLimitService } from '../../support/ratelimit/use-rate-limit-service.ts';
import { asAcme, callers, codesOf } from './callers.ts';

/** Enough for the circuit breaker to open. */
const MANY = 12;
const DEADLINE_MS = 50;

interface Fault {
  readonly name: string;
  readonly begin: (servers: Servers) => Promise<void> | void;
  readonly end: (servers: Servers) => Promise<void> | void;
  readonly reasons: readonly FailureReason[];
}

interface Servers {
  readonly service: LocalServer;
  readonly redis: LocalServer;
}

const faults: readonly Fault[] = [
  {
    name: 'the service was killed',
    begin: async ({ service }) => {
      await service.kill();
    },
    end: async ({ service }) => {
      await service.restart();
    },
    reasons: ['unreachable', 'deadline', 'error'],
  },
  {
    name: 'the service was stopped in order',
    begin: async ({ service }) => {
      await service.stop();
    },
    end: async ({ service }) => {
      await service.restart();
    },
    reasons: ['unreachable', 'deadline', 'error'],
  },
  {
    name: 'the service is frozen',
    begin: ({ service }) => service.freeze(),
    end: ({ service }) => {
      service.thaw();
    },
    reasons: ['deadline'],
  },
  {
    name: 'Redis was killed',
    begin: async ({ redis }) => {
      await redis.kill();
    },
    end: async ({ redis }) => {
      await redis.restart();
    },
    reasons: ['error', 'deadline'],
  },
  {
    name: 'Redis is frozen',
    begin: ({ redis }) => redis.freeze(),
    end: ({ redis }) => {
      redis.thaw();
    },
    reasons: ['deadline', 'error'],
  },
];

describe('when limits cannot be counted because', () => {
  const running = useRateLimitService();

  for (const fault of faults) {
    for (const [policy, code] of [
      ['allow', 'ALLOWED'],
      ['deny', 'LIMITER_UNAVAILABLE'],
    ] as const) {
      it(`${fault.name}, "${policy}" decides, the service is left alone, and limits hold again after it`, async () => {
        const servers = { service: running.service(), redis: running.redis() };
        const reasons = new Set<string>();
        const turns: string[] = [];
        const limiter = running.limiter({
          deadlineMs: DEADLINE_MS,
          observer: {
            asked: (outcome) => reasons.add(outcome),
            down: () => turns.push('down'),
            up: () => turns.push('up'),
          },
        });
        const endpoint = keyEndpoint({
          id: `e-${randomUUID()}`,
          limits: [limit('4000000000/day/consumer'), limit('4000000000/hour/endpoint')],
          options: { onLimiterFailure: policy },
        });
        const gateway = testGateway({ ...callers, endpoints: [endpoint], limiter });
        const isCounted = async (): Promise<true | null> => {
          const failures = gateway.limiterFaults.length;
          await gateway.send(asAcme);
          return gateway.limiterFaults.length === failures ? true : null;
        };
        await poll('the first count', isCounted);
        reasons.clear();

        await fault.begin(servers);
        try {
          const outage = gateway.limiterFaults.length;
          assert.deepEqual(await codesOf([gateway], asAcme, MANY), { [code]: MANY });
          assert.equal(gateway.limiterFaults.length - outage, MANY, 'every one is told');
          await poll('the breaker', async () => {
            assert.deepEqual(await codesOf([gateway], asAcme, 1), { [code]: 1 });
            return reasons.has('given-up') ? true : null;
          });
          assert.equal(turns[0], 'down');
          reasons.delete('given-up');
          assert.deepEqual(
            [...reasons].filter((reason) => !(fault.reasons as readonly string[]).includes(reason)),
            [],
          );
        } finally {
          await fault.end(servers);
        }

        await poll('the first count after it', isCounted);
        assert.deepEqual([turns[0], turns.at(-1)], ['down', 'up']);
        // The service finds out one by one that its connections to Redis are dead: every attempt counts anew.
        await poll('limits that hold', async () => {
          const limits = [limit('1/minute/endpoint'), limit('1/day/endpoint')];
          const strict = { ...endpoint, id: `e-${randomUUID()}`, limits };
          const after = testGateway({ ...callers, endpoints: [strict], limiter: running.limiter() });
          const codes = await codesOf([after], asAcme, 4);
          return isDeepStrictEqual(codes, { ALLOWED: 1, RATE_LIMITED: 3 }) ? true : null;
        });
      });
    }
  }
});
