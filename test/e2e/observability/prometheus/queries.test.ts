import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { startChild } from '../../../support/process/child-process.ts';
import { projectRoot } from '../../../support/docs/documents.ts';
import { send } from '../../../support/http/http-client.ts';
import { freePort } from '../../../../src/cli/programs/free-ports.ts';
import { dashboardQueries, readDashboard } from '../../../support/observe/dashboard.ts';
import { startOtlpCollector } from '../../../support/observe/otlp-collector.ts';
import { prometheusPrograms } from '../../../support/observe/prometheus.ts';
import { readRules } from '../../../support/observe/rules.ts';
import { poll } from '../../../support/time/poll.ts';
import { startRateLimitService } from '../../../support/ratelimit/start-rate-limit-service.ts';
import { startRedis } from '../../../support/ratelimit/start-redis.ts';
import { acquireAll, release } from '../../../support/lifetime/release.ts';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import { keyedWith, type MongodbStack, startMongodbStack } from '../../mongodb/mongodb-stack.ts';

/** Long enough for two scrapes, which is what a rate needs. */
const RATE_INTERVAL = '30s';
/** Nothing of the kind happens in this test, which has no TLS, and whose database keeps the used signatures. */
const quiet = new Set([
  'Lines left out of the log',
  'Time until TLS certificates expire',
  'Reads of TLS files',
  'Used signatures in process',
  'Time until the next end',
  'Partners near the limit of their plan',
  "Fetches of issuers' keys",
  "Age of issuers' keys",
  // It compares with a day before.
  'Who grows',
]);

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data: { readonly result: readonly { readonly metric: Readonly<Record<string, string>> }[] };
}

interface Running extends AsyncDisposable {
  readonly stack: MongodbStack;
  readonly query: (expr: string) => Promise<Answer>;
  /** The rules that are not well, and the alerts that fire. */
  readonly rules: () => Promise<
    readonly { readonly health: string; readonly lastError?: string; readonly name: string }[]
  >;
}

/** Everything at once: MongoDB, rate limit service, a collector, Postern, Envoy, and a Prometheus on the committed configuration. */
async function start(): Promise<Running> {
  return await acquireAll(async (keep) => {
    const redis = keep(await startRedis());
    const limits = keep(await startRateLimitService(redis.port));
    const collector = keep(await startOtlpCollector());
    const stack = keep(
      await startMongodbStack(1, {
        POSTERN_CONSUMER_METRICS: '10',
        POSTERN_RATE_LIMIT_SERVICE: `127.0.0.1:${String(limits.port)}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(collector.port)}`,
        OTEL_BSP_SCHEDULE_DELAY: '50',
      }),
    );
    const { path } = keep(await temporaryDirectory());
    const committed = join(projectRoot, 'deploy/observability');
    const config = parse(await readFile(join(committed, 'prometheus.yaml'), 'utf8')) as {
      global: Record<string, string>;
      rule_files: string[];
      scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
    };
    config.global = { scrape_interval: '1s', evaluation_interval: '1s' };
    config.rule_files = config.rule_files.map((file) => join(committed, file));
    const { postern, envoy } = stack.replica();
    for (const { job_name: job, static_configs: targets } of config.scrape_configs) {
      const port = job === 'postern' ? postern.adminPort : envoy.adminPort;
      targets.splice(0, targets.length, { targets: [`127.0.0.1:${String(port)}`] });
    }
    await writeFile(join(path, 'prometheus.yaml'), JSON.stringify(config));
    const port = await freePort();
    const base = `http://127.0.0.1:${String(port)}`;
    keep(
      await startChild({
        command: (await prometheusPrograms()).prometheus,
        args: [
          ...[`--config.file=${join(path, 'prometheus.yaml')}`, `--storage.tsdb.path=${join(path, 'data')}`],
          `--web.listen-address=127.0.0.1:${String(port)}`,
        ],
      }),
    );
    const ask = async (where: string): Promise<unknown> => await (await fetch(`${base}${where}`)).json();
    await poll('Prometheus', async () =>
      (await fetch(`${base}/-/ready`).catch(() => null))?.ok === true ? true : null,
    );
    return {
      stack,
      query: async (expr) => (await ask(`/api/v1/query?query=${encodeURIComponent(expr)}`)) as Answer,
      rules: async () =>
        (
          (await ask('/api/v1/rules')) as {
            data: { groups: { rules: { health: string; lastError?: string; name: string }[] }[] };
          }
        ).data.groups.flatMap((group) => group.rules),
    };
  });
}

describe('a Prometheus that scrapes Postern and Envoy', () => {
  let running: Running | undefined;
  before(async function () {
    this.timeout(120_000);
    running = await start();
    const { stack, query } = running;
    await stack.postern('endpoint create tight --path /tight --authentication key --limit 1/day/consumer');
    await stack.postern('endpoint edit keyed --limit 1000/minute/consumer');
    const credential = await stack.handOver('credential issue --consumer acme --method key');
    await stack.untilEverywhere(() => keyedWith(credential), 200);
    await stack.untilEverywhere(() => ({ ...keyedWith(credential), target: '/tight' }), 429, 'RATE_LIMITED');
    // Until rates over all that was counted can be taken.
    await poll('rates', async () => {
      await send('HTTP/1.1', stack.replica().envoy.port, keyedWith(credential));
      await send('HTTP/1.1', stack.replica().envoy.port, { target: '/keyed' });
      const needed = [
        `rate(postern_checks_total{code="ALLOWED"}[${RATE_INTERVAL}]) > 0`,
        `rate(postern_consumer_checks_total{outcome="allowed"}[${RATE_INTERVAL}]) > 0`,
        `rate(postern_limiter_questions_total{outcome="ok"}[${RATE_INTERVAL}]) > 0`,
        `rate(envoy_http_ext_authz_ok[${RATE_INTERVAL}]) > 0`,
        `rate(postern_trace_spans_total{outcome="exported"}[${RATE_INTERVAL}]) > 0`,
      ];
      const answers = await Promise.all(needed.map(query));
      return answers.every(({ data }) => data.result.length > 0) ? true : null;
    });
  });
  after(() => release(running));

  it('has an answer for every query of the dashboard', async () => {
    assert.ok(running);
    const empty: string[] = [];
    for (const { panel, expr } of dashboardQueries(readDashboard(), RATE_INTERVAL)) {
      const { status, error, data } = await running.query(expr);
      assert.equal(status, 'success', `${panel}: ${expr}: ${String(error)}`);
      if (data.result.length === 0 && !quiet.has(panel)) empty.push(`${panel}: ${expr}`);
    }
    assert.deepEqual(empty, []);
  });

  it('evaluates every rule, and no alert fires', async () => {
    const { rules, query } = running ?? assert.fail();
    const count = readRules().flatMap((group) => group.rules).length;
    const known = await poll('rules that were evaluated', async () => {
      const all = await rules();
      return all.every(({ health }) => health !== 'unknown') ? all : null;
    });
    assert.equal(known.length, count);
    assert.deepEqual(
      known.filter(({ health }) => health !== 'ok').map(({ name, lastError }) => `${name}: ${String(lastError)}`),
      [],
    );
    // How fast a busy machine is, is no matter of this test.
    const { data } = await query('ALERTS{alertstate="firing",alertname!~"PosternEventLoopLag|PosternLatencyBudget.*"}');
    assert.deepEqual(
      data.result.map(({ metric }) => metric['alertname']),
      [],
    );
    const recorded = await poll('recorded series', async () => {
      const answer = await query('{__name__=~"postern:.*5m"}');
      return answer.data.result.length < 3 ? null : answer;
    });
    assert.deepEqual(
      recorded.data.result.map(({ metric }) => [metric['__name__'], metric['job'], metric['view']]).sort(),
      [
        ['postern:slow:ratio_rate5m', 'postern', undefined],
        ['postern:unavailable:ratio_rate5m', 'envoy', 'envoy'],
        ['postern:unavailable:ratio_rate5m', 'postern', 'postern'],
      ],
    );
  });

  it('finds the job and the replicas by which the dashboard chooses', async () => {
    assert.ok(running);
    const { data } = await running.query('postern_build_info');
    assert.deepEqual(
      data.result.map(({ metric }) => [metric['job'], metric['version'] !== undefined]),
      [['postern', true]],
    );
  });
});
