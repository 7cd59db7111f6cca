import assert from 'node:assert/strict';
import { cp, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Envoy, startEnvoy } from '../../support/envoy/envoy.ts';
import { filterSettings, type JsonObject } from '../../support/envoy/envoy-config.ts';
import { type PlainRequest, protocols, send } from '../../support/http/http-client.ts';
import { fieldValue, fieldValues, type HttpAnswer, jsonBody } from '../../support/http/http-message.ts';
import { poll } from '../../support/time/poll.ts';
import type { LocalServer } from '../../support/process/local-server.ts';
import {
  attachRateLimitFilter,
  filterExample,
  hasRetryAfter,
  useRateLimitPort,
} from '../../support/envoy/rate-limit-filter.ts';
import { startRateLimitService } from '../../support/ratelimit/start-rate-limit-service.ts';
import { startRedis } from '../../support/ratelimit/start-redis.ts';
import { assertRefused } from '../../support/http/assert-refused.ts';
import { acquireAll, release } from '../../support/lifetime/release.ts';
import { secondsLeft } from '../../support/time/seconds-left.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

const daySeconds = 86_400;
const tellsWait = hasRetryAfter();
/** Enough failures for Envoy to leave the service alone (attachment.yaml). */
const MANY = 5;

/** Postern keeps no limits here: the filter does. */
const document = JSON.stringify({
  version: 1,
  endpoints: [
    ...['orders', 'reports', 'shared', 'twice', 'away'].map((id) => endpoint(id)),
    endpoint('granted', { accessCondition: 'authenticated-and-authorized' }),
    { id: 'status', scenario: 'open', match: { paths: [{ exact: '/status' }] } },
  ],
  consumers: ['acme', 'beta'].map((id) => ({
    id,
    credentials: [{ id: `${id}-key`, method: 'key', appKey: `key-of-${id}` }],
  })),
  grants: [{ endpoint: 'granted', consumer: 'acme' }],
});

/** Takes the place of the committed limits: windows of a day do not end within a test. */
const dayLimits = `domain: partners
descriptors:
  - key: endpoint
    value: reports
    descriptors:
      - { key: consumer, rate_limit: { unit: day, requests_per_unit: 2 } }
      - { key: consumer, value: beta, rate_limit: { unit: day, requests_per_unit: 5 } }
  - key: endpoint
    value: shared
    rate_limit: { unit: day, requests_per_unit: 4 }
    descriptors:
      - { key: consumer, rate_limit: { unit: day, requests_per_unit: 3 } }
  - key: endpoint
    value: twice
    rate_limit: { unit: day, requests_per_unit: 1 }
    descriptors:
      - { key: consumer, rate_limit: { unit: minute, requests_per_unit: 1 } }
  - key: endpoint
    value: granted
    rate_limit: { unit: day, requests_per_unit: 1 }
  - key: endpoint
    value: status
    rate_limit: { unit: day, requests_per_unit: 1 }
  - key: endpoint
    value: away
    rate_limit: { unit: day, requests_per_unit: 100000 }
`;

function endpoint(id: string, more: object = {}): object {
  const match = { paths: [{ prefix: `/${id}` }] };
  return { id, scenario: 'partner-openapi', match, authentication: 'key', ...more };
}

interface FilterStack extends AsyncDisposable {
  readonly redis: LocalServer;
  readonly service: LocalServer;
  /** Its filter is patient: whether the service is in time is not what most tests are about. */
  readonly stack: Stack;
  /** With the same Postern, and the filter as it is committed. */
  readonly committed: Envoy;
  /** The same, but `failure_mode_deny`. */
  readonly denying: Envoy;
  /** Puts other limits in place of those of the service, as an operator would. */
  readonly replaceLimits: (yaml: string) => Promise<void>;
}

async function startFilterStack(): Promise<FilterStack> {
  return await acquireAll(async (keep) => {
    const { path } = keep(await temporaryDirectory());
    await cp(join(filterExample, 'ratelimit'), join(path, 'ratelimit'), { recursive: true });
    const redis = keep(await startRedis());
    const service = keep(await startRateLimitService(redis.port, path));
    const editWith = (changes: JsonObject) => (config: JsonObject) => {
      attachRateLimitFilter(config);
      useRateLimitPort(config, service.port);
      Object.assign(filterSettings(config, 'envoy.filters.http.ratelimit'), changes);
    };
    const stack = keep(await startStack(document, { edit: editWith({ timeout: '5s' }) }));
    const { postern, backend } = stack;
    const ports = { postern: postern.grpcPort, posternHttp: postern.httpPort ?? 1, backend: backend.port };
    const committed = keep(await startEnvoy({ ports, edit: editWith({}) }));
    const denying = keep(await startEnvoy({ ports, edit: editWith({ failure_mode_deny: true }) }));
    const replaceLimits = async (yaml: string): Promise<void> => {
      const next = join(path, 'next.yaml');
      await writeFile(next, yaml);
      await rename(next, join(path, 'ratelimit/config/partners.yaml'));
    };
    return { redis, service, stack, committed, denying, replaceLimits };
  });
}

describe("limits by Envoy's own rate limit filter, which Postern's metadata feeds", () => {
  let running: FilterStack;
  before(async () => {
    running = await startFilterStack();
  });
  after(() => release(running));

  async function call(target: string, consumer: string | null, envoy = running.stack.envoy): Promise<HttpAnswer> {
    const headers: PlainRequest['headers'] = consumer === null ? [] : [['X-App-Key', `key-of-${consumer}`]];
    return await send('HTTP/1.1', envoy.port, { target, headers });
  }

  /** What is left of the tightest limit, or the code of the refusal. */
  async function outcome(path: string, consumer: string | null): Promise<string | null> {
    const answer = await call(path, consumer);
    if (answer.status === 200) return fieldValue(answer.headers, 'x-ratelimit-remaining');
    return (jsonBody(answer) as { readonly code: string }).code;
  }

  async function outcomes(path: string, consumers: readonly (string | null)[]) {
    const found: (string | null)[] = [];
    for (const consumer of consumers) found.push(await outcome(path, consumer));
    return found;
  }

  it('are those of the committed configuration: by endpoint, by consumer, and for one that is named', async () => {
    const told: Record<string, string | null> = {};
    for (const [path, consumer] of [
      ['/orders', 'acme'],
      ['/orders', 'beta'],
      ['/reports', 'acme'],
      ['/away', 'acme'],
      ['/status', null],
    ] as const) {
      const answer = await call(path, consumer);
      assert.equal(answer.status, 200, answer.body.toString());
      told[`${path} ${String(consumer)}`] = fieldValue(answer.headers, 'x-ratelimit-limit');
    }
    assert.deepEqual(told, {
      '/orders acme': '1000, 1000;w=60, 6000;w=60',
      '/orders beta': '600, 600;w=60, 6000;w=60',
      '/reports acme': '3, 3;w=60',
      '/away acme': null,
      '/status null': null,
    });
  });

  it('change within moments, without a restart', async () => {
    await running.replaceLimits(dayLimits);
    await poll('the limits of the new file', async () => {
      const answer = await call('/away', 'acme');
      const told = fieldValue(answer.headers, 'x-ratelimit-limit');
      return told === `100000, 100000;w=${String(daySeconds)}` ? true : null;
    });
  });

  it('let as many pass as they say, refuse the rest in the form of a refusal, and keep consumers apart', async () => {
    assert.deepEqual(await outcomes('/reports', ['acme', 'acme']), ['1', '0']);
    running.stack.backend.reset();
    for (const protocol of protocols) {
      const beforeSeconds = Math.floor(Date.now() / 1000);
      const answer = await send(protocol, running.stack.envoy.port, {
        target: '/reports',
        headers: [['X-App-Key', 'key-of-acme']],
      });
      const afterSeconds = Math.floor(Date.now() / 1000);
      assertRefused(answer, 'RATE_LIMITED');
      assertResets(answer, secondsLeft('day', beforeSeconds, afterSeconds));
      assert.deepEqual(fieldValues(answer.headers, 'x-envoy-ratelimited'), []);
    }
    assert.deepEqual(running.stack.backend.requests, []);
    assert.deepEqual(await outcomes('/reports', ['beta', 'beta', 'acme', 'beta']), ['4', '3', 'RATE_LIMITED', '2']);
  });

  it('that all share are not used up by requests over the limit of one consumer', async () => {
    assert.deepEqual(await outcomes('/shared', ['acme', 'acme', 'acme', 'acme', 'acme', 'acme']), [
      '2',
      '1',
      '0',
      ...['RATE_LIMITED', 'RATE_LIMITED', 'RATE_LIMITED'],
    ]);
    // Of four for all, three are used.
    assert.deepEqual(await outcomes('/shared', ['beta', 'beta']), ['0', 'RATE_LIMITED']);
  });

  it('say how long the longest of those that are exceeded lasts', async () => {
    await call('/twice', 'acme');
    const beforeSeconds = Math.floor(Date.now() / 1000);
    const answer = await call('/twice', 'acme');
    const possible = secondsLeft('day', beforeSeconds, Math.floor(Date.now() / 1000));
    assertRefused(answer, 'RATE_LIMITED');
    const waits = fieldValues(answer.headers, 'retry-after');
    if (tellsWait) assert.ok(waits.length === 1 && possible.includes(Number(waits[0])), waits.join());
    else assert.deepEqual(waits, []);
  });

  it('are not used up by 401 and 403', async () => {
    assert.deepEqual(await outcomes('/granted', [null, 'nobody', 'beta', 'beta']), [
      'CREDENTIALS_MISSING',
      'AUTHENTICATION_FAILED',
      'NOT_AUTHORIZED',
      'NOT_AUTHORIZED',
    ]);
    assert.deepEqual(await outcomes('/granted', ['acme', 'acme']), ['0', 'RATE_LIMITED']);
    // Whoever may not enter is told that, not that it is full.
    assert.deepEqual(await outcomes('/granted', ['beta']), ['NOT_AUTHORIZED']);
  });

  it('of an open endpoint are shared by all callers', async () => {
    assert.deepEqual(await outcomes('/status', [null, 'acme']), ['0', 'RATE_LIMITED']);
  });

  it('show in the access log and in statistics', async () => {
    const answer = await call('/status', null);
    const entry = await running.stack.envoy.accessLogEntry(fieldValue(answer.headers, 'x-request-id') ?? '');
    assert.deepEqual(
      [entry['status'], entry['details'], entry['endpoint']],
      [429, 'request_rate_limited RL', 'status'],
    );
    assert.ok((await running.stack.envoy.stat('cluster.backend.ratelimit.over_limit')) > 0);
  });

  const faults: Readonly<Record<string, readonly [begin: () => unknown, end: () => unknown]>> = {
    'the service was killed': [() => running.service.kill(), () => running.service.restart()],
    'the service is frozen': [
      () => running.service.freeze(),
      () => {
        running.service.thaw();
      },
    ],
    'Redis was killed': [() => running.redis.kill(), () => running.redis.restart()],
    'Redis is frozen': [
      () => running.redis.freeze(),
      () => {
        running.redis.thaw();
      },
    ],
  };
  for (const [name, [begin, end]] of Object.entries(faults)) {
    it(`let everything pass, or nothing with failure_mode_deny, while ${name}, and hold again after it`, async () => {
      const { committed, denying } = running;
      const both = [committed, denying];
      const ejected = async (each: Envoy) => await each.stat('cluster.ratelimit.outlier_detection.ejections_active');
      await begin();
      try {
        for (let count = 0; count < MANY; count += 1) {
          const allowed = await call('/away', 'acme', committed);
          assert.equal(allowed.status, 200, allowed.body.toString());
          assert.deepEqual(fieldValues(allowed.headers, 'x-ratelimit-limit'), []);
          const refused = await call('/away', 'acme', denying);
          const requestId = fieldValue(refused.headers, 'x-request-id');
          const message = 'The limits cannot be checked at the moment.';
          assert.equal(refused.status, 503);
          assert.deepEqual(jsonBody(refused), { code: 'LIMITER_UNAVAILABLE', message, requestId });
          assert.equal(fieldValue(refused.headers, 'content-type'), 'application/json');
          assert.equal(fieldValue(refused.headers, 'cache-control'), 'no-store');
        }
        for (const each of both) {
          await poll('the service is left alone', async () => {
            await call('/away', 'acme', each);
            return (await ejected(each)) === 1 ? true : null;
          });
        }
      } finally {
        await end();
      }
      for (const each of both) {
        await poll('limits again', async () => {
          const { status, headers } = await call('/away', 'acme', each);
          return status === 200 && fieldValue(headers, 'x-ratelimit-limit') !== null ? true : null;
        });
      }
    });
  }

  it('wait for a frozen service no longer than the filter may, and not at all once it is left alone', async () => {
    const { committed, service } = running;
    const timeouts = async () => await committed.stat('cluster.ratelimit.upstream_rq_timeout');
    const before = await timeouts();
    await service.freeze();
    try {
      await poll('the service is left alone', async () => {
        assert.equal((await call('/away', 'acme', committed)).status, 200);
        return (await committed.stat('cluster.ratelimit.outlier_detection.ejections_active')) === 1 ? true : null;
      });
      assert.ok((await timeouts()) - before >= MANY, 'each of them waited until the time of the filter was over');
      const unhealthy = await committed.stat('cluster.ratelimit.upstream_cx_none_healthy');
      await poll('a request that waits for nothing', async () => {
        assert.equal((await call('/away', 'acme', committed)).status, 200);
        return (await committed.stat('cluster.ratelimit.upstream_cx_none_healthy')) > unhealthy ? true : null;
      });
    } finally {
      service.thaw();
    }
  });

  it('are silently none when the configuration of the service lacks the domain', async () => {
    await running.replaceLimits('domain: elsewhere\n');
    await poll('no limits', async () => {
      const { status, headers } = await call('/reports', 'acme');
      return status === 200 && fieldValue(headers, 'x-ratelimit-limit') === null ? true : null;
    });
    await running.replaceLimits(dayLimits);
    await poll('the limits of before', async () => ((await call('/reports', 'acme')).status === 429 ? true : null));
  });

  it('are told by doctor apart from limits that count twice', async () => {
    await using folder = await temporaryDirectory();
    const twice = join(folder.path, 'twice.yaml');
    const limits = [{ requests: 5, unit: 'day', per: 'consumer' }];
    await writeFile(
      twice,
      JSON.stringify({
        version: 1,
        endpoints: [endpoint('orders', { trafficControl: { limits } }), endpoint('reports')],
      }),
    );
    const examine = async (file: string, settings: Readonly<Record<string, string>> = {}) => {
      const url = `http://127.0.0.1:${String(running.stack.envoy.adminPort)}`;
      const { out, code } = await runCli(['doctor', '--envoy', url], { POSTERN_STORE: `file:${file}`, ...settings });
      assert.equal(code, 0, out);
      return out.split('\n').filter((line) => /^. listener/.test(line));
    };
    const once = await examine(running.stack.postern.documentPath);
    assert.deepEqual(once, [
      '✓ listener partners: asks Postern about every request, and lets nothing pass that was not decided',
      '✓ listener partners: filter chain: the filter envoy.filters.http.ratelimit keeps limits, and Postern keeps none',
    ]);
    const both = await examine(twice);
    assert.equal(both.length, 1, both.join('\n'));
    assert.match(both.join(), /^! listener partners: filter chain: .* twice/);
  });
});

/** `Retry-After` and `X-RateLimit-Reset` say one of these numbers of seconds. */
function assertResets({ headers }: HttpAnswer, possible: readonly number[]): void {
  const reset = fieldValue(headers, 'x-ratelimit-reset') ?? '';
  assert.ok(possible.includes(Number(reset)), `${reset} is none of ${String(possible)}`);
  assert.deepEqual(fieldValues(headers, 'retry-after'), tellsWait ? [reset] : []);
}
