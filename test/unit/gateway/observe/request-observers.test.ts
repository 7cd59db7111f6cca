import assert from 'node:assert/strict';
import { Histogram } from 'prom-client';
import { type CountTraffic, createCheckObserver } from '../../../../src/gateway/observe/request-observers.ts';
import { type LineBudget } from '../../../../src/gateway/observe/line-budget.ts';
import { createLogger } from '../../../../src/gateway/observe/logger.ts';
import { Metrics } from '../../../../src/gateway/observe/metrics.ts';
import { registerStoreAge } from '../../../../src/gateway/observe/store-metrics.ts';
import { createCheckHandler } from '../../../../src/gateway/serving/check-handler.ts';
import type { Catalog } from '../../../../src/check/store/check-store.ts';
import { checkRequest, type RequestParts } from '../../../support/pipeline/check-request.ts';
import { testGateway } from '../../../support/pipeline/gateway.ts';
import {
  APP_KEY,
  catalogOf,
  consumer,
  credential,
  keyEndpoint,
  openEndpoint,
} from '../../../support/pipeline/resources.ts';

type Line = Readonly<Record<string, unknown>>;

const endpoints = [
  keyEndpoint(),
  keyEndpoint({ id: 'watched', paths: [{ prefix: '/watched' }], options: { mode: 'observe' } }),
  openEndpoint({ id: 'status', paths: [{ prefix: '/status' }] }),
];

/** Sends requests through a pipeline with the real observer; gives what it logged and counted. */
async function observe(
  level: Parameters<typeof createLogger>[0],
  requests: readonly (RequestParts | Uint8Array)[],
  catalog?: () => Catalog,
  budget: Pick<LineBudget, 'take'> = { take: () => true },
): Promise<{ lines: Line[]; text: string; metrics: string; traffic: string[] }> {
  const traffic: string[] = [];
  let text = '';
  const logger = createLogger(level, {
    write: (line: string) => {
      text += line;
    },
  });
  const metrics = new Metrics('test');
  registerStoreAge(metrics.registry, () => 3);
  const compiled = catalogOf({ endpoints });
  const { ports } = testGateway({ catalog: catalog ?? (() => compiled) });
  const countTraffic: CountTraffic = (endpointId, consumerId, code) => {
    traffic.push([endpointId, String(consumerId), code].join(' '));
  };
  const observer = createCheckObserver({ logger, metrics, budget, recordUse: null, recordRefusal: null, countTraffic });
  const handle = createCheckHandler({ ...ports, observer });
  for (const request of requests) await handle(request instanceof Uint8Array ? request : checkRequest(request));
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
  return { lines, text, traffic, metrics: await metrics.registry.metrics() };
}

const secretly = `/orders/7?appKey=${APP_KEY}&x=y`;
const identified = ['x-request-id', 'r-1'] as const;

describe('refusals that may be kept', () => {
  it('are handed over for callers who are known, without a name where that must not show, and where no endpoint took them', async () => {
    const handed: (string | null)[] = [];
    const compiled = catalogOf({ endpoints, credentials: [credential({ state: 'revoked' })] });
    const observer = createCheckObserver({
      logger: createLogger('error', { write: () => undefined }),
      metrics: new Metrics('test'),
      budget: { take: () => false },
      recordUse: null,
      recordRefusal: ({ about, unmatched, code }) =>
        handed.push(`${code} ${about?.credential.id ?? unmatched ?? 'unknown'}`),
      countTraffic: () => undefined,
    });
    const handle = createCheckHandler({ ...testGateway({ catalog: () => compiled }).ports, observer });
    const paths = [
      '/orders/7',
      '/nowhere',
      '/a/../b',
      '/orders/7?appKey=nobody-has-this-one',
      `/orders/7?appKey=${APP_KEY}`,
    ];
    for (const path of paths) await handle(checkRequest({ path }));
    const unmatched = ['ENDPOINT_NOT_FOUND stray', 'PATH_NOT_NORMAL stray'];
    assert.deepEqual(handed, [
      ...unmatched,
      'AUTHENTICATION_FAILED unknown',
      `AUTHENTICATION_FAILED ${credential().id}`,
    ]);
  });
});

describe('the log of checks', () => {
  it('has one line for each refusal, with what is needed to find the reason', async () => {
    const { lines } = await observe('info', [{ method: 'POST', path: '/orders/7?x', headers: [identified] }]);
    assert.equal(lines.length, 1);
    const { time, ...line } = lines[0] ?? {};
    assert.ok(typeof time === 'string' && !Number.isNaN(Date.parse(time)));
    assert.deepEqual(line, {
      level: 'info',
      message: 'refused',
      requestId: 'r-1',
      code: 'CREDENTIALS_MISSING',
      detail: 'the request carries no App Key',
      endpoint: 'orders',
      request: 'POST /orders/7',
      consumer: null,
      credential: null,
    });
  });

  it('says which refusals were let through', async () => {
    const { lines } = await observe('info', [{ path: '/watched' }]);
    assert.deepEqual(
      lines.map(({ message, code }) => [message, code]),
      [['let through by observe mode', 'CREDENTIALS_MISSING']],
    );
  });

  it('logs allowed requests at debug level only', async () => {
    assert.deepEqual((await observe('info', [{ path: secretly }])).lines, []);
    const { lines } = await observe('debug', [{ path: secretly, headers: [identified] }, { path: '/status' }]);
    assert.deepEqual(
      lines.map(({ level, message, endpoint, request, consumer }) => [level, message, endpoint, request, consumer]),
      [
        ['debug', 'allowed', 'orders', 'GET /orders/7', 'acme'],
        ['debug', 'allowed', 'status', 'GET /status', null],
      ],
    );
    assert.equal(lines[0]?.['requestId'], 'r-1');
  });

  it('names the request in the answer and in the log alike, also by an id of our own', async () => {
    const gateway = testGateway();
    const answer = await gateway.send();
    assert.ok(answer.kind === 'refused');
    assert.equal(gateway.decided[0]?.requestId, answer.body.requestId);
  });

  it('shows a configuration fault as one', async () => {
    const { lines } = await observe('info', [{ endpoint: 'oders' }]);
    assert.match(String(lines[0]?.['detail']), /^configuration fault: .* "oders"/);
  });

  it('counts what the budget of lines leaves out, and writes it nowhere', async () => {
    const kinds: string[] = [];
    const take = (kind: string): boolean => {
      kinds.push(kind);
      return false;
    };
    const throwing = (): Catalog => {
      throw new TypeError('oh no');
    };
    const refused = await observe('info', [{}, { path: '/watched' }, Buffer.of(0xff)], undefined, { take });
    const failed = await observe('info', [{}], throwing, { take });
    assert.deepEqual([...refused.lines, ...failed.lines], []);
    assert.deepEqual(kinds, ['CREDENTIALS_MISSING', 'CREDENTIALS_MISSING observed', 'unreadable', 'INTERNAL']);
    assert.match(refused.metrics, /code="MALFORMED_REQUEST"\} 1$/m);
    assert.match(failed.metrics, /code="INTERNAL"\} 1$/m);
  });

  it('warns of messages that are no CheckRequest', async () => {
    const { lines } = await observe('info', [Buffer.of(0xff)]);
    assert.deepEqual(
      lines.map(({ level, code }) => [level, code]),
      [['warn', 'MALFORMED_REQUEST']],
    );
  });

  it('shows a defect with its stack, and which request met it', async () => {
    const catalog = (): Catalog => {
      throw new TypeError('oh no');
    };
    const { lines } = await observe('info', [{ headers: [identified] }], catalog);
    assert.equal(lines[0]?.['level'], 'error');
    assert.equal(lines[0]['requestId'], 'r-1');
    assert.equal(lines[0]['code'], 'INTERNAL');
    assert.equal(lines[0]['request'], 'GET /orders');
    assert.match(JSON.stringify(lines[0]['err']), /oh no.*request-observers\.test/s);
  });

  it('never holds credentials, queries, headers or bodies', async () => {
    const headers = [
      ['x-app-key', `${APP_KEY}x`],
      ['authorization', 'Bearer hunter2'],
      ['cookie', 'hunter2'],
    ] as const;
    const paths = [
      secretly,
      `${secretly}&appKey=hunter2`,
      '/orders?hunter2',
      '/orders#hunter2',
      '/status?hunter2',
      '/watched?appKey=hunter2',
      '//?hunter2',
      '/else?appKey=hunter2',
    ];
    const { text, lines } = await observe(
      'debug',
      paths.map((path) => ({ path, headers, body: 'hunter2' })),
    );
    assert.equal(lines.length, paths.length);
    for (const word of [APP_KEY, 'hunter2', 'appKey']) assert.ok(!text.includes(word), word);
  });

  it('shows what callers choose as harmless text of bounded length', async () => {
    const { lines } = await observe('info', [
      { path: `/\x1b[31m\r\n${'x'.repeat(60_000)}`, method: '\x1b]0;a\x07' },
      { path: '/', endpoint: `\u202e${'y'.repeat(5000)}` },
    ]);
    for (const line of lines) {
      for (const value of Object.values(line)) {
        assert.match(String(value), /^[\x20-\x7e…]*$/);
        assert.ok(String(value).length < 250);
      }
    }
  });
});

describe('the counts of requests', () => {
  it('are by endpoint, consumer and code; of nobody where it is unknown who called, and of no request that no endpoint serves', async () => {
    const { traffic } = await observe('error', [
      { path: secretly },
      { path: '/orders' },
      { path: `/watched?appKey=${APP_KEY}x` },
      { path: '/status' },
      { path: '/else' },
      Buffer.of(0xff),
    ]);
    assert.deepEqual(traffic, [
      'orders acme ALLOWED',
      'orders null CREDENTIALS_MISSING',
      'watched null AUTHENTICATION_FAILED',
      'status null ALLOWED',
    ]);
  });

  it('are those of the consumer whose credentials are refused', async () => {
    const disabled = catalogOf({ endpoints, consumers: [consumer({ enabled: false })] });
    const { traffic } = await observe('error', [{ path: secretly }], () => disabled);
    assert.deepEqual(traffic, ['orders acme AUTHENTICATION_FAILED']);
  });
});

describe('the metrics of checks', () => {
  it('count by endpoint, method and code', async () => {
    const { metrics } = await observe('error', [
      { path: secretly },
      { path: secretly },
      { path: '/orders' },
      { path: '/watched' },
      { path: '/status' },
      { path: '/else' },
      { path: '//' },
      Buffer.of(0xff),
    ]);
    const counted = metrics.split('\n').filter((line) => /^postern_checks_total\{.* [1-9]\d*$/.test(line));
    assert.deepEqual(counted.sort(), [
      'postern_checks_total{endpoint="",authentication="",code="ENDPOINT_NOT_FOUND"} 1',
      'postern_checks_total{endpoint="",authentication="",code="MALFORMED_REQUEST"} 1',
      'postern_checks_total{endpoint="",authentication="",code="PATH_NOT_NORMAL"} 1',
      'postern_checks_total{endpoint="orders",authentication="key",code="ALLOWED"} 2',
      'postern_checks_total{endpoint="orders",authentication="key",code="CREDENTIALS_MISSING"} 1',
      'postern_checks_total{endpoint="status",authentication="",code="ALLOWED"} 1',
      'postern_checks_total{endpoint="watched",authentication="key",code="CREDENTIALS_MISSING"} 1',
    ]);
    assert.match(metrics, /^postern_check_duration_seconds_count 7$/m);
    assert.match(metrics, /^postern_snapshot_age_seconds 3$/m);
  });

  it('count defects', async () => {
    const catalog = (): Catalog => {
      throw new TypeError('oh no');
    };
    const { metrics } = await observe('error', [{}], catalog);
    assert.match(metrics, /^postern_checks_total\{endpoint="",authentication="",code="INTERNAL"\} 1$/m);
  });

  it('are there before the first check of an endpoint, as 0, where alerts look for a rise', async () => {
    const metrics = new Metrics('test');
    const strict = keyEndpoint({ id: 'strict', options: { onLimiterFailure: 'deny' } });
    metrics.announce([strict, openEndpoint({ id: 'status' }), openEndpoint({ id: 'off', enabled: false })]);
    metrics.countCheck(strict, 'ALLOWED', 0.001);
    metrics.announce([strict]);
    const counted = (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('postern_checks'));
    assert.deepEqual(counted, [
      'postern_checks_total{endpoint="",authentication="",code="INTERNAL"} 0',
      'postern_checks_total{endpoint="",authentication="",code="STORE_UNAVAILABLE"} 0',
      'postern_checks_total{endpoint="",authentication="",code="UNAVAILABLE"} 0',
      'postern_checks_total{endpoint="",authentication="",code="MALFORMED_REQUEST"} 0',
      'postern_checks_total{endpoint="strict",authentication="key",code="ALLOWED"} 1',
      'postern_checks_total{endpoint="strict",authentication="key",code="STORE_UNAVAILABLE"} 0',
      'postern_checks_total{endpoint="strict",authentication="key",code="LIMITER_UNAVAILABLE"} 0',
      'postern_checks_total{endpoint="status",authentication="",code="ALLOWED"} 0',
    ]);
  });

  it('are not shown beforehand for very many endpoints', async () => {
    const metrics = new Metrics('test');
    metrics.announce(Array.from({ length: 1001 }, (_, at) => openEndpoint({ id: `endpoint-${String(at)}` })));
    assert.doesNotMatch(await metrics.registry.metrics(), /endpoint-0/);
  });

  it('keep the method of an endpoint that was checked by another one before', async () => {
    const metrics = new Metrics('test');
    metrics.countCheck(keyEndpoint({ id: 'orders' }), 'ALLOWED', 0);
    metrics.countCheck(keyEndpoint({ id: 'orders' }), 'ALLOWED', 0);
    metrics.countCheck(openEndpoint({ id: 'orders' }), 'ALLOWED', 0);
    const text = await metrics.registry.metrics();
    assert.match(text, /endpoint="orders",authentication="key",code="ALLOWED"\} 2$/m);
    assert.match(text, /endpoint="orders",authentication="",code="ALLOWED"\} 1$/m);
  });

  it('put durations into buckets as prom-client does', async () => {
    const metrics = new Metrics('test');
    const reference = new Histogram({ name: 'x', help: 'x', buckets: [0.000_01, 0.001, 5], registers: [] });
    for (const seconds of [0, 0.000_01, 0.000_010_1, 0.000_5, 0.001, 0.7, 5, 5.1, 60]) {
      metrics.countCheck(null, 'ALLOWED', seconds);
      reference.observe(seconds);
    }
    const text = await metrics.registry.metrics();
    for (const { metricName = '', labels, value } of (await reference.get()).values) {
      const name = metricName.replace(/^x/, 'postern_check_duration_seconds');
      const line =
        'le' in labels ? `${name}{le="${String(labels['le'])}"} ${String(value)}` : `${name} ${String(value)}`;
      assert.ok(text.split('\n').includes(line), line);
    }
    const [mine] = (await metrics.registry.getMetricsAsJSON()).filter(({ name }) => name.includes('check_duration'));
    assert.equal(mine?.type, 'histogram');
  });

  it('do not grow with what callers choose', async () => {
    const requests = Array.from({ length: 300 }, (_, at) => ({
      ...{
        authority: `h${String(at)}.example`,
        method: `M${String(at)}`,
        path: `/orders/${String(at)}?appKey=k${String(at)}`,
      },
      ...{
        endpoint: at % 2 === 0 ? `e${String(at)}` : 'orders',
        headers: [['x-request-id', `r-${String(at)}`]] as const,
      },
    }));
    const [few, many] = [await observe('error', requests.slice(0, 2)), await observe('error', requests)];
    const seriesOf = (text: string): string[] =>
      text.split('\n').flatMap((line) => (line.startsWith('postern_') ? [line.replace(/ [^ ]*$/, '')] : []));
    assert.deepEqual(seriesOf(many.metrics), seriesOf(few.metrics));
    assert.ok(seriesOf(few.metrics).length > 50);
  });

  it('count reads of the file and failures of the limiter', async () => {
    const metrics = new Metrics('test');
    metrics.countReload('loaded');
    metrics.countReload('refused');
    metrics.countReload('refused');
    assert.match(await metrics.registry.metrics(), /^postern_store_last_reload_good 0$/m);
    metrics.countReload('loaded');
    metrics.countLimiterFailure();
    const text = await metrics.registry.metrics();
    assert.match(text, /^postern_store_reloads_total\{outcome="loaded"\} 2$/m);
    assert.match(text, /^postern_store_last_reload_good 1$/m);
    assert.match(text, /^postern_store_reloads_total\{outcome="refused"\} 2$/m);
    assert.match(text, /^postern_limiter_failures_total 1$/m);
  });

  it('keep to themselves: two instances do not share a count', async () => {
    const [one, two] = [new Metrics('test'), new Metrics('test')];
    one.countLimiterFailure();
    assert.match(await two.registry.metrics(), /^postern_limiter_failures_total 0$/m);
  });
});

describe('log lines', () => {
  for (const [level, expected] of [
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
    ['debug', ['error', 'warn', 'info', 'debug']],
  ] as const) {
    it(`are written from ${level} upwards`, () => {
      const written: string[] = [];
      const logger = createLogger(level, {
        write: (line: string) => {
          written.push((JSON.parse(line) as { level: string }).level);
        },
      });
      logger.error('m', { field: 1 }, new Error('x'));
      logger.warn('m');
      logger.info('m');
      logger.debug('m');
      assert.deepEqual(written, expected);
      assert.equal(logger.isDebug, level === 'debug');
    });
  }
});
