import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { connectionManager, type JsonObject, listAt, objectAt } from '../../support/envoy/envoy-config.ts';
import { send } from '../../support/http/http-client.ts';
import { type OtlpCollector, startOtlpCollector } from '../../support/observe/otlp-collector.ts';
import { type ReceivedSpan } from '../../support/observe/otlp-spans.ts';
import { poll } from '../../support/time/poll.ts';
import { type PosternSettings, startPostern } from '../../support/stack/postern-process.ts';
import { release } from '../../support/lifetime/release.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';

const document = `
version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key }
consumers:
  - { id: acme, name: Acme Ltd, credentials: [{ id: acme-key, method: key, appKey: secret-of-acme }] }
`;
const CHECK_SPAN = 'envoy.service.auth.v3.Authorization/Check';
const CALLERS_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLERS_SPAN = '00f067aa0ba902b7';

/** Adds the committed pieces for traces, with a collector of the test, and every request sampled. */
function traceTo(port: number): (config: JsonObject) => void {
  return (config) => {
    const pieces = parse(
      readFileSync(new URL('../../../deploy/observability/envoy-tracing.yaml', import.meta.url), 'utf8'),
    ) as JsonObject;
    const tracing = objectAt(pieces, 'tracing');
    tracing['random_sampling'] = { value: 100 };
    tracing['overall_sampling'] = { value: 100 };
    connectionManager(config)['tracing'] = tracing;
    const cluster = objectAt(pieces, 'cluster');
    const endpoint = ['load_assignment', 'endpoints', 0, 'lb_endpoints', 0, 'endpoint', 'address', 'socket_address'];
    objectAt(cluster, ...endpoint)['port_value'] = port;
    listAt(config, 'static_resources', 'clusters').push(cluster);
    config['layered_runtime'] = {
      layers: [{ name: 'test', static_layer: { tracing: { opentelemetry: { min_flush_spans: 1 } } } }],
    };
  };
}

function settingsFor(port: number): PosternSettings {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}`, OTEL_BSP_SCHEDULE_DELAY: '50' };
}

describe('a trace', () => {
  for (const transport of ['native', 'grpc-js'] as const) {
    describe(`of Envoy and Postern, gRPC transport ${transport}`, () => {
      let collector: OtlpCollector | undefined;
      let stack: Stack | undefined;
      before(async () => {
        collector = await startOtlpCollector();
        stack = await startStack(document, {
          settings: { ...settingsFor(collector.port), POSTERN_GRPC_TRANSPORT: transport },
          edit: traceTo(collector.port),
        });
      });
      after(() => release(collector, stack));

      it('has the span of Postern below the one that Envoy made for its call, in the trace of the caller', async () => {
        assert.ok(collector && stack);
        const headers = [['traceparent', `00-${CALLERS_TRACE}-${CALLERS_SPAN}-01`]] as const;
        const answer = await send('HTTP/1.1', stack.envoy.port, { target: '/orders/1?appKey=secret-of-acme', headers });
        assert.equal(answer.status, 200);
        const [check] = await collector.spansOf('postern', CALLERS_TRACE);
        const { spans } = collector;
        const byId = async (spanId: string): Promise<ReceivedSpan> =>
          await poll(`the span ${spanId}`, () => Promise.resolve(spans.find((span) => span.spanId === spanId) ?? null));
        const call = await byId(check.parentSpanId);
        assert.match(call.name, /envoy\.service\.auth\.v3\.Authorization/);
        const incoming = await byId(call.parentSpanId);
        assert.equal(incoming.parentSpanId, CALLERS_SPAN);
        assert.deepEqual([call.service, incoming.service, incoming.traceId], ['envoy', 'envoy', CALLERS_TRACE]);
        assert.deepEqual([check.name, check.kind, incoming.kind], [CHECK_SPAN, 2, 2]);
        assert.deepEqual(Object.fromEntries(check.attributes), {
          'rpc.system': 'grpc',
          'rpc.service': 'envoy.service.auth.v3.Authorization',
          'rpc.method': 'Check',
          'postern.endpoint': 'orders',
          'postern.authentication': 'key',
          'postern.consumer': 'acme',
          'postern.code': 'ALLOWED',
          'postern.allowed': 'true',
        });
      });

      it('is begun by Envoy where the caller names none', async () => {
        assert.ok(collector && stack);
        const before = collector.spans.length;
        await send('HTTP/1.1', stack.envoy.port, { target: '/orders/1' });
        const check = await later(collector, (span) => span.service === 'postern', before);
        assert.equal(check.attributes.get('postern.code'), 'CREDENTIALS_MISSING');
        assert.notEqual(check.traceId, CALLERS_TRACE);
        const call = await later(collector, ({ spanId }) => spanId === check.parentSpanId, before);
        assert.equal(call.traceId, check.traceId);
      });

      it('is not made by Postern where the caller does not want it', async () => {
        assert.ok(collector && stack);
        const unwanted = 'a'.repeat(32);
        const headers = [['traceparent', `00-${unwanted}-${CALLERS_SPAN}-00`]] as const;
        await send('HTTP/1.1', stack.envoy.port, { target: '/orders/1', headers });
        const before = collector.spans.length;
        await send('HTTP/1.1', stack.envoy.port, { target: '/orders/1' });
        await later(collector, (span) => span.service === 'postern', before);
        assert.deepEqual(
          collector.spans.filter(({ traceId }) => traceId === unwanted),
          [],
        );
      });

      it('holds no secret', () => {
        const text = JSON.stringify(
          collector?.spans.filter(({ service }) => service === 'postern').map((span) => [...span.attributes]),
        );
        assert.ok(text.includes('acme') && !text.includes('secret-of-acme'));
      });
    });
  }
});

describe('the exporter of traces', () => {
  /** One refused request straight to a gateway with these settings, and what its standard variables make of it. */
  async function traceOne(settings: PosternSettings, collector: OtlpCollector) {
    await using stack = await startStack(document, { settings });
    await send('HTTP/1.1', stack.envoy.port, { target: '/orders/1' });
    return await collector.spansOf(settings['OTEL_SERVICE_NAME'] ?? 'postern', null);
  }

  for (const [protocol, kind] of [
    ['http/protobuf', 'http'],
    ['http/json', 'http'],
    ['grpc', 'grpc'],
  ] as const) {
    it(`speaks ${protocol}, and takes the other standard variables`, async () => {
      await using collector = await startOtlpCollector(kind);
      const [span] = await traceOne(
        {
          ...settingsFor(collector.port),
          OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
          OTEL_EXPORTER_OTLP_HEADERS: 'x-test=from-variable',
          OTEL_SERVICE_NAME: 'gate',
        },
        collector,
      );
      assert.equal(span.name, CHECK_SPAN);
      assert.equal(span.attributes.get('postern.code'), 'CREDENTIALS_MISSING');
      if (kind === 'grpc') return;
      const type = protocol === 'http/json' ? 'application/json' : 'application/x-protobuf';
      assert.deepEqual(collector.heads[0], { 'content-type': type, 'x-test': 'from-variable', path: '/v1/traces' });
    });
  }

  it('sends what waits when the gateway stops', async () => {
    await using collector = await startOtlpCollector();
    const settings = { ...settingsFor(collector.port), OTEL_BSP_SCHEDULE_DELAY: '600000' };
    await using stack = await startStack(document, { settings });
    await send('HTTP/1.1', stack.envoy.port, { target: '/orders/1' });
    assert.deepEqual(collector.spans, []);
    assert.deepEqual(await stack.postern.stop(), { code: 0, signal: null });
    assert.equal((await collector.spansOf('postern', null)).length, 1);
  });

  const moods: Readonly<Record<string, (collector: OtlpCollector) => number>> = {
    'is away': () => 1,
    'refuses everything': ({ port }) => port,
    'never answers': ({ port }) => port,
  };
  for (const [what, portOf] of Object.entries(moods)) {
    it(`costs checks nothing and the log one line when the collector ${what}`, async () => {
      await using collector = await startOtlpCollector('http', what === 'never answers' ? 'says nothing' : 'refuses');
      const settings = {
        ...settingsFor(portOf(collector)),
        ...{ OTEL_EXPORTER_OTLP_TIMEOUT: '300', OTEL_BSP_MAX_QUEUE_SIZE: '10', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5' },
      };
      await using stack = await startStack(document, { settings });
      for (let at = 0; at < 40; at += 1) {
        const answer = await send('HTTP/1.1', stack.envoy.port, { target: '/orders/1?appKey=secret-of-acme' });
        assert.equal(answer.status, 200);
      }
      const told = await stack.postern.logLine(({ message }) =>
        String(message).startsWith('traces cannot be delivered'),
      );
      assert.equal(told['level'], 'warn');
      assert.match(await stack.postern.metrics(), /^postern_trace_spans_total\{outcome="failed"\} [1-9]/m);
      assert.deepEqual(await stack.postern.stop(), { code: 0, signal: null });
      const lines = stack.postern.logs().filter(({ message }) => /traces|OpenTelemetry/.test(String(message)));
      assert.equal(lines.length, 1, JSON.stringify(lines));
      assert.ok(!stack.postern.output().includes('secret of the collector'));
    });
  }

  it('does not hold the process when the gateway stops and the collector never answers', async () => {
    await using collector = await startOtlpCollector('http', 'says nothing');
    await using stack = await startStack(document, {
      settings: { ...settingsFor(collector.port), OTEL_EXPORTER_OTLP_TIMEOUT: '600000', OTEL_BSP_SCHEDULE_DELAY: '1' },
    });
    await send('HTTP/1.1', stack.envoy.port, { target: '/orders/1' });
    await poll('a delivery', () => Promise.resolve(collector.heads.length > 0 ? true : null));
    // Without an end of its own it would be killed, because it takes longer than tests wait.
    assert.deepEqual(await stack.postern.stop(), { code: 0, signal: null });
  });

  it('neither floods the collector nor holds the process when batches of none are asked for', async () => {
    await using collector = await startOtlpCollector();
    const settings = { ...settingsFor(collector.port), OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '0' };
    await using stack = await startStack(document, { settings });
    await send('HTTP/1.1', stack.envoy.port, { target: '/orders/1' });
    await collector.spansOf('postern', null);
    assert.deepEqual(await stack.postern.stop(), { code: 0, signal: null });
    assert.ok(collector.heads.length <= 2, `${String(collector.heads.length)} deliveries of one span`);
  });

  it('is told without the headers for the collector when it cannot be made from them', async () => {
    await using postern = await startPostern(document, {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret-of-us%0A%00,x=y',
    });
    await postern.logLine(({ message }) => String(message).startsWith('traces cannot be made'));
    assert.ok(!postern.output().includes('secret-of-us'));
  });

  it('is told in the log when it cannot be made, and the gateway serves', async () => {
    await using postern = await startPostern(document, { OTEL_EXPORTER_OTLP_ENDPOINT: 'no address' });
    const told = await postern.logLine(({ message }) => /traces|OpenTelemetry/.test(String(message)));
    assert.notEqual(told['level'], 'info');
  });
});

/** The first span of those that came later for which `isWanted` holds. */
async function later(
  collector: OtlpCollector,
  isWanted: (span: ReceivedSpan) => boolean,
  before: number,
): Promise<ReceivedSpan> {
  return await poll('a span', () => Promise.resolve(collector.spans.slice(before).find(isWanted) ?? null));
}
