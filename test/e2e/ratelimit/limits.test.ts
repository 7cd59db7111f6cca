import assert from 'node:assert/strict';
import { send } from '../../support/http/http-client.ts';
import { fieldValue, type HttpAnswer } from '../../support/http/http-message.ts';
import { freePort } from '../../../src/cli/programs/free-ports.ts';
import { type LogLine, type PosternProcess, startPostern } from '../../support/stack/postern-process.ts';
import { useRateLimitService } from '../../support/ratelimit/use-rate-limit-service.ts';
import { assertRefused } from '../../support/http/assert-refused.ts';
import { release } from '../../support/lifetime/release.ts';
import { secondsLeft } from '../../support/time/seconds-left.ts';
import { type Envoy, startEnvoy } from '../../support/envoy/envoy.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';

const daySeconds = 86_400;

const document = JSON.stringify({
  version: 1,
  endpoints: [
    {
      id: 'orders',
      scenario: 'partner-openapi',
      match: { paths: [{ prefix: '/orders' }] },
      authentication: 'key',
      trafficControl: {
        limits: [
          { requests: 3, unit: 'day', per: 'consumer' },
          { requests: 4, unit: 'day', per: 'endpoint' },
        ],
      },
    },
  ],
  consumers: ['acme', 'beta'].map((id) => ({
    id,
    credentials: [{ id: `${id}-key`, method: 'key', appKey: `key-of-${id}` }],
  })),
});

describe('limits over the rate limit service', () => {
  const running = useRateLimitService();
  let first: Stack | undefined;
  let second: PosternProcess | undefined;
  let secondEnvoy: Envoy | undefined;

  before(async () => {
    const settings = {
      POSTERN_RATE_LIMIT_SERVICE: `127.0.0.1:${String(running.service().port)}`,
      // Whether the service is in time is not what these tests are about.
      POSTERN_RATE_LIMIT_DEADLINE_MS: '5000',
    };
    first = await startStack(document, { settings });
    second = await startPostern(document, settings);
    secondEnvoy = await startEnvoy({
      ports: { postern: second.grpcPort, posternHttp: second.httpPort ?? 1, backend: first.backend.port },
    });
  });
  after(() => release(first, second, secondEnvoy));

  /** One request to each replica in turn. */
  async function call(consumer: 'acme' | 'beta', replica: 0 | 1): Promise<HttpAnswer> {
    assert.ok(first && secondEnvoy);
    const { port } = replica === 0 ? first.envoy : secondEnvoy;
    return await send('HTTP/1.1', port, { target: '/orders', headers: [['X-App-Key', `key-of-${consumer}`]] });
  }

  it('are shared by replicas, told in headers right to the second, and refused requests use up no share', async () => {
    const remaining: (string | null)[] = [];
    for (const replica of [0, 1, 0] as const) {
      const beforeSeconds = Math.floor(Date.now() / 1000);
      const answer = await call('acme', replica);
      const afterSeconds = Math.floor(Date.now() / 1000);
      assert.equal(answer.status, 200, answer.body.toString());
      remaining.push(fieldValue(answer.headers, 'x-ratelimit-remaining'));
      const possible = secondsLeft('day', beforeSeconds, afterSeconds);
      const reset = Number(fieldValue(answer.headers, 'x-ratelimit-reset'));
      assert.ok(possible.includes(reset), `${String(reset)} is none of ${String(possible)}`);
      assert.equal(fieldValue(answer.headers, 'ratelimit-policy'), `"default";q=3;w=${String(daySeconds)}`);
    }
    assert.deepEqual(remaining, ['2', '1', '0']);
    for (const replica of [0, 1, 0, 1] as const) {
      const refused = await call('acme', replica);
      assertRefused(refused, 'RATE_LIMITED');
      const reset = fieldValue(refused.headers, 'x-ratelimit-reset');
      assert.equal(fieldValue(refused.headers, 'retry-after'), reset);
      assert.equal(fieldValue(refused.headers, 'ratelimit'), `"default";r=0;t=${String(reset)}`);
    }
    // Of four for all, three are used.
    const last = await call('beta', 0);
    assert.equal(last.status, 200, last.body.toString());
    assertRefused(await call('beta', 1), 'RATE_LIMITED');
  });

  it('show in the log and in metrics', async () => {
    assert.ok(first);
    const said = whereLimitsAre(first.postern);
    assert.deepEqual([said?.['domain'], said?.['deadlineMs']], ['postern', 5000]);
    const metrics = await first.postern.metrics();
    assert.match(metrics, /^postern_limiter_up 1$/m);
    assert.match(metrics, /^postern_limiter_questions_total\{outcome="ok"\} [1-9]\d*$/m);
    assert.match(metrics, /^postern_limiter_questions_total\{outcome="over-limit"\} [1-9]\d*$/m);
    assert.match(metrics, /^postern_limiter_question_duration_seconds_count [1-9]\d*$/m);
  });
});

describe('limits without a rate limit service', () => {
  it('are said once to be kept in the process', async () => {
    await using replica = await startPostern(document);
    assert.match(String(whereLimitsAre(replica)?.['message']), /^limits are kept in this process/);
    assert.doesNotMatch(await replica.metrics(), /^postern_limiter_up/m);
  });
});

describe('limits over a rate limit service that is away', () => {
  it('do not keep a replica from starting when the service is away', async () => {
    await using replica = await startPostern(document, {
      POSTERN_RATE_LIMIT_SERVICE: `127.0.0.1:${String(await freePort())}`,
    });
    assert.match(await replica.metrics(), /^postern_limiter_up 1$/m);
  });
});

/** The one line of the log that says where limits are kept. */
function whereLimitsAre(replica: PosternProcess): LogLine | undefined {
  const lines = replica.logs().filter(({ message }) => String(message).startsWith('limits are kept'));
  assert.equal(lines.length, 1);
  return lines[0];
}
