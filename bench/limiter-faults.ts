import { performance } from 'node:perf_hooks';
import { systemClock } from '../src/base/clock.ts';
import { RateLimitServiceLimiter } from '../src/stores/rate-limit-service/rate-limit-service.ts';
import type { LocalServer } from '../test/support/process/local-server.ts';
import { startRateLimitService } from '../test/support/ratelimit/start-rate-limit-service.ts';
import { startRedis } from '../test/support/ratelimit/start-redis.ts';
import { testGateway } from '../test/support/pipeline/gateway.ts';
import { APP_KEY, keyEndpoint, limit } from '../test/support/pipeline/resources.ts';
import { release } from '../test/support/lifetime/release.ts';

/**
 * Measures what checks cost while limits cannot be counted: the figures of docs/traffic-control.md. Each row is one fault with
 * one policy, for ten seconds at 200 checks per second with a limit per consumer and one per endpoint; its latencies are
 * those of whole checks in this process. Run with `node --import tsx bench/limiter-faults.ts`.
 */

const WARM_UP_MS = 2000;
const DURATION_MS = 10_000;
const INTERVAL_MS = 5;
const DEADLINE_MS = 50;

interface Servers {
  readonly redis: LocalServer;
  readonly service: LocalServer;
}

interface Fault {
  readonly name: string;
  readonly begin: (servers: Servers) => Promise<void> | void;
  readonly end: (servers: Servers) => Promise<void> | void;
}

const nothing = (): void => undefined;
const faults: readonly Fault[] = [
  { name: 'none', begin: nothing, end: nothing },
  { name: 'service killed', begin: ({ service }) => service.kill(), end: ({ service }) => service.restart() },
  {
    name: 'service frozen',
    begin: ({ service }) => service.freeze(),
    end: ({ service }) => {
      service.thaw();
    },
  },
  { name: 'Redis killed', begin: ({ redis }) => redis.kill(), end: ({ redis }) => redis.restart() },
  {
    name: 'Redis frozen',
    begin: ({ redis }) => redis.freeze(),
    end: ({ redis }) => {
      redis.thaw();
    },
  },
];

/** One row of the table. */
interface Row {
  readonly answers: Readonly<Record<string, number>>;
  readonly asked: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly backMs: number;
}

/** Starts one after the other at the rate of {@link INTERVAL_MS}, whether those before have ended or not. */
async function repeat<T>(act: () => Promise<T>, durationMs: number): Promise<readonly T[]> {
  const running: Promise<T>[] = [];
  const startedMs = performance.now();
  while (performance.now() - startedMs < durationMs) {
    const dueMs = startedMs + running.length * INTERVAL_MS;
    if (performance.now() < dueMs) await new Promise((resolve) => setTimeout(resolve, 1));
    else running.push(act());
  }
  return await Promise.all(running);
}

async function measure(fault: Fault, policy: 'allow' | 'deny', servers: Servers): Promise<Row> {
  let asked = 0;
  const address = { host: '127.0.0.1', port: servers.service.port };
  using limiter = new RateLimitServiceLimiter(
    { address, domain: 'postern', deadlineMs: DEADLINE_MS, transport: 'native' },
    {
      clock: systemClock,
      observer: {
        asked: (outcome) => {
          if (outcome !== 'given-up') asked += 1;
        },
        down: nothing,
        up: nothing,
      },
    },
  );
  const endpoint = keyEndpoint({
    limits: [limit('4000000000/day/consumer'), limit('4000000000/day/endpoint')],
    options: { onLimiterFailure: policy },
  });
  const gateway = testGateway({ endpoints: [endpoint], limiter });
  const check = async (): Promise<{ readonly code: string; readonly tookMs: number; readonly isCounted: boolean }> => {
    const failures = gateway.limiterFaults.length;
    const startedMs = performance.now();
    const answer = await gateway.send({ headers: [['x-app-key', APP_KEY]] });
    const tookMs = performance.now() - startedMs;
    const code = answer.kind === 'refused' ? answer.body.code : 'ALLOWED';
    return { code, tookMs, isCounted: gateway.limiterFaults.length === failures };
  };
  await repeat(check, WARM_UP_MS);

  await fault.begin(servers);
  asked = 0;
  const checks = await repeat(check, DURATION_MS);
  const askedDuring = asked;
  await fault.end(servers);
  const endedMs = performance.now();
  while (!(await check()).isCounted) await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  const backMs = performance.now() - endedMs;

  const answers: Record<string, number> = {};
  for (const { code } of checks) answers[code] = (answers[code] ?? 0) + 1;
  const sorted = checks.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { answers, asked: askedDuring, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), backMs };
}

const redis = await startRedis();
const service = await startRateLimitService(redis.port);
try {
  process.stdout.write(
    '| Fault | `onLimiterFailure` | Answers of the checks | Questions asked | p50 | p99 | Longest | Counted again after |\n|---|---|---|---|---|---|---|---|\n',
  );
  for (const fault of faults) {
    for (const policy of ['allow', 'deny'] as const) {
      const row = await measure(fault, policy, { redis, service });
      const answers = Object.entries(row.answers).map(([code, count]) => `${String(count)} ${code}`);
      const times = [row.p50Ms, row.p99Ms, row.maxMs].map((ms) => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`);
      const back = fault.name === 'none' ? '' : `${(row.backMs / 1000).toFixed(2)} s`;
      const cells = [fault.name, `\`${policy}\``, answers.join(', '), String(row.asked), ...times, back];
      process.stdout.write(`| ${cells.join(' | ')} |\n`);
    }
  }
} finally {
  await release(redis, service);
}
