import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { defaultEnvoyVersion } from '../../../services/install-services.mjs';
import { connectionManager, type JsonObject, listAt, objectAt, routes } from '../../support/envoy/envoy-config.ts';
import { send } from '../../support/http/http-client.ts';
import { type Fields } from '../../support/http/http-message.ts';
import { useStarted } from '../../support/lifetime/use-started.ts';
import { type OtlpCollector, startOtlpCollector } from '../../support/observe/otlp-collector.ts';
import { type ReceivedSpan } from '../../support/observe/otlp-spans.ts';
import { useChain } from '../../support/stack/chain.ts';
import { poll } from '../../support/time/poll.ts';

const CALLERS_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const sampled = ['traceparent', `00-${CALLERS_TRACE}-00f067aa0ba902b7-01`] as const;
const [, minor = 0] = (process.env['ENVOY_VERSION'] ?? defaultEnvoyVersion).split('.').map(Number);

/** The committed pieces for traces, with which nothing is traced by chance, and everything on one path. */
function traceNothing(config: JsonObject, collectorPort: number): void {
  const file = new URL('../../../deploy/observability/envoy-tracing.yaml', import.meta.url);
  const pieces = parse(readFileSync(file, 'utf8')) as JsonObject;
  connectionManager(config)['tracing'] = {
    ...objectAt(pieces, 'tracing'),
    random_sampling: { value: 0 },
    overall_sampling: { value: 100 },
  };
  const cluster = objectAt(pieces, 'cluster');
  const endpoint = ['load_assignment', 'endpoints', 0, 'lb_endpoints', 0, 'endpoint', 'address', 'socket_address'];
  objectAt(cluster, ...endpoint)['port_value'] = collectorPort;
  listAt(config, 'static_resources', 'clusters').push(cluster);
  const all = { numerator: 100 };
  const last = routes(config).at(-1) as JsonObject;
  routes(config).unshift({
    ...last,
    match: { path: '/traced' },
    tracing: { random_sampling: all, overall_sampling: all, client_sampling: all },
  });
  config['layered_runtime'] = {
    layers: [{ name: 'test', static_layer: { tracing: { opentelemetry: { min_flush_spans: 1 } } } }],
  };
}

/** The traces that came of a request with these headers. */
async function tracesOf({ spans }: OtlpCollector, port: number, headers: Fields): Promise<readonly string[]> {
  const before = spans.length;
  assert.equal((await send('HTTP/1.1', port, { target: '/orders', headers })).status, 200);
  const isLast = ({ attributes }: ReceivedSpan): boolean =>
    [...attributes.values()].some((value) => value.includes('/traced'));
  await send('HTTP/1.1', port, { target: '/traced' });
  const news = await poll('the trace of the path that is traced', () => {
    const found = spans.slice(before);
    return Promise.resolve(found.some(isLast) ? found : null);
  });
  const own = new Set(news.filter(isLast).map(({ traceId }) => traceId));
  return [...new Set(news.map(({ traceId }) => traceId))].filter((traceId) => !own.has(traceId));
}

describe('who decides what Envoy traces, with the committed pieces', () => {
  const collector = useStarted(startOtlpCollector);
  const chain = useChain({
    edit: (config) => {
      traceNothing(config, collector.port);
    },
  });

  it('is Envoy where the caller says nothing', async () => {
    assert.deepEqual(await tracesOf(collector, chain.envoy.port, []), []);
  });

  it('is Envoy, not a caller who asks for a trace by x-client-trace-id', async () => {
    assert.deepEqual(await tracesOf(collector, chain.envoy.port, [['x-client-trace-id', 'mine']]), []);
  });

  it('is Envoy from 1.39 on, and before that a caller whose traceparent is sampled', async () => {
    assert.deepEqual(await tracesOf(collector, chain.envoy.port, [sampled]), minor >= 39 ? [] : [CALLERS_TRACE]);
  });
});

describe('a traceparent that Envoy removes at the entrance', () => {
  const collector = useStarted(startOtlpCollector);
  const chain = useChain({
    edit: (config) => {
      traceNothing(config, collector.port);
      const [early] = listAt(connectionManager(config), 'early_header_mutation_extensions');
      listAt(early as JsonObject, 'typed_config', 'mutations').push({ remove: 'traceparent' });
    },
  });

  it('decides nothing, on every version', async () => {
    assert.deepEqual(await tracesOf(collector, chain.envoy.port, [sampled]), []);
  });
});
