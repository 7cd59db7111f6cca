import assert from 'node:assert/strict';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  ParentBasedSampler,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { systemClock } from '../../../../../src/base/clock.ts';
import { LimiterUnavailable } from '../../../../../src/check/limit/limiter.ts';
import { isPromise } from '../../../../../src/base/pending.ts';
import { type CheckHandler, createCheckHandler } from '../../../../../src/gateway/serving/check-handler.ts';
import { createCheckTracer } from '../../../../../src/gateway/observe/traces/span-tracer.ts';
import { type CredentialSource, StoreUnavailable } from '../../../../../src/check/store/credential-source.ts';
import { readAnswer } from '../../../../support/pipeline/answer.ts';
import { checkRequest } from '../../../../support/pipeline/check-request.ts';
import { type GatewayParts, testGateway } from '../../../../support/pipeline/gateway.ts';
import { APP_KEY, keyEndpoint, limit, catalogOf } from '../../../../support/pipeline/resources.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const ENVOY_SPAN = '00f067aa0ba902b7';
const sampled = `00-${TRACE}-${ENVOY_SPAN}-01`;
const unsampled = `00-${TRACE}-${ENVOY_SPAN}-00`;
const withKey = { path: `/orders?appKey=${APP_KEY}` };

/** A pipeline whose checks are traced into memory. */
function traced(parts: GatewayParts = {}): { handle: CheckHandler; spans: () => ReadableSpan[]; defects: unknown[] } {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const defects: unknown[] = [];
  const startTrace = createCheckTracer({
    tracer: provider.getTracer('test'),
    clock: systemClock,
    onDefect: (error) => defects.push(error),
  });
  const observer = { decided: () => undefined, unreadable: () => undefined, defect: () => undefined };
  const handle = createCheckHandler({ ...testGateway(parts).ports, observer, startTrace });
  return { handle, spans: () => exporter.getFinishedSpans(), defects };
}

/** Credentials that must be waited for. */
function later(find: CredentialSource['findByAppKey'] = (appKey) => catalogOf().credentials.findByAppKey(appKey)) {
  const credentials: CredentialSource = {
    findByAppKey: async (appKey) => await Promise.resolve().then(() => find(appKey)),
    canKnow: () => true,
  };
  const catalog = {
    ...catalogOf({ endpoints: [keyEndpoint({ limits: [limit('9/minute/consumer')] })] }),
    credentials,
  };
  return () => catalog;
}

describe('the trace of a check', () => {
  it('is one SERVER span below the one of Envoy, with words of the configuration only', async () => {
    const { handle, spans } = traced();
    const request = checkRequest({
      ...withKey,
      headers: [['traceparent', `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`]],
    });
    assert.equal(readAnswer(await handle(request, { traceParent: sampled })).kind, 'allowed');
    assert.equal(spans().length, 1);
    const [span] = spans();
    assert.equal(span?.name, 'envoy.service.auth.v3.Authorization/Check');
    assert.equal(span.kind, SpanKind.SERVER);
    assert.equal(span.spanContext().traceId, TRACE);
    assert.equal(span.parentSpanContext?.spanId, ENVOY_SPAN);
    assert.equal(span.parentSpanContext.isRemote, true);
    assert.equal(span.status.code, SpanStatusCode.UNSET);
    assert.deepEqual(span.attributes, {
      'rpc.system': 'grpc',
      'rpc.service': 'envoy.service.auth.v3.Authorization',
      'rpc.method': 'Check',
      'postern.endpoint': 'orders',
      'postern.authentication': 'key',
      'postern.consumer': 'acme',
      'postern.code': 'ALLOWED',
      'postern.allowed': true,
    });
  });

  it('is below the span that the request names, where the call names none', async () => {
    const { handle, spans } = traced();
    await handle(checkRequest({ ...withKey, headers: [['traceparent', sampled]] }), { traceParent: null });
    assert.equal(spans()[0]?.parentSpanContext?.spanId, ENVOY_SPAN);
  });

  it('begins a trace where none is named, or a wrong one is', async () => {
    const { handle, spans } = traced();
    const wrong = [
      '',
      'x',
      `ff-${TRACE}-${ENVOY_SPAN}-01`,
      `00-${'0'.repeat(32)}-${ENVOY_SPAN}-01`,
      `${sampled}-x`,
      'a'.repeat(9000),
    ];
    for (const traceParent of [null, ...wrong]) await handle(checkRequest(withKey), { traceParent });
    assert.equal(spans().length, wrong.length + 1);
    for (const span of spans()) {
      assert.equal(span.parentSpanContext, undefined);
      assert.notEqual(span.spanContext().traceId, TRACE);
    }
  });

  it('is not there when Envoy does not sample the request', async () => {
    const { handle, spans } = traced({ catalog: later() });
    await handle(checkRequest(withKey), { traceParent: unsampled });
    assert.deepEqual(spans(), []);
  });

  it('still answers in the same turn when nothing has to be waited for', () => {
    const { handle } = traced();
    assert.ok(!isPromise(handle(checkRequest(withKey), { traceParent: sampled })));
  });

  it('has a child for what had to be waited for', async () => {
    const { handle, spans } = traced({
      catalog: later(),
      limiter: {
        take: async ({ limits }) =>
          await Promise.resolve(
            limits.map((each) => ({
              limit: each,
              remaining: 1,
              resetSeconds: 1,
              windowSeconds: 60,
              isExceeded: false,
            })),
          ),
      },
    });
    assert.equal(readAnswer(await handle(checkRequest(withKey), { traceParent: sampled })).kind, 'allowed');
    const [find, take, check] = spans();
    assert.deepEqual([find?.name, take?.name, spans().length], ['find credential', 'take from limits', 3]);
    for (const child of [find, take]) {
      assert.equal(child?.kind, SpanKind.CLIENT);
      assert.equal(child.parentSpanContext?.spanId, check?.spanContext().spanId);
      assert.equal(child.spanContext().traceId, TRACE);
      assert.equal(child.status.code, SpanStatusCode.UNSET);
    }
  });

  it('shows a refusal as an answer, and no error', async () => {
    const { handle, spans } = traced();
    await handle(checkRequest({ path: '/orders?appKey=hunter2' }), { traceParent: sampled });
    const [span] = spans();
    assert.equal(span?.attributes['postern.code'], 'AUTHENTICATION_FAILED');
    assert.equal(span.attributes['postern.allowed'], false);
    assert.equal(span.attributes['postern.consumer'], undefined);
    assert.equal(span.status.code, SpanStatusCode.UNSET);
  });

  it('shows trouble of the gateway as an error, without the text of the fault', async () => {
    const secretive = 'cannot reach mongodb://user:hunter2@db';
    const { handle, spans } = traced({
      catalog: later(() => {
        throw new StoreUnavailable(secretive);
      }),
    });
    await handle(checkRequest(withKey), { traceParent: sampled });
    assert.deepEqual(
      spans().map(({ status }) => status),
      [
        { code: SpanStatusCode.ERROR, message: 'StoreUnavailable' },
        { code: SpanStatusCode.ERROR, message: 'STORE_UNAVAILABLE' },
      ],
    );
    assert.ok(!JSON.stringify(spans().map(({ attributes, events }) => [attributes, events])).includes('hunter2'));
  });

  it('shows a limiter that does not answer, though the request is let through', async () => {
    const { handle, spans } = traced({
      endpoints: [keyEndpoint({ limits: [limit('9/minute/consumer')] })],
      limiter: { take: async () => await Promise.reject(new LimiterUnavailable('away')) },
    });
    await handle(checkRequest(withKey), { traceParent: sampled });
    assert.deepEqual(
      spans().map(({ name, status }) => [name, status.code]),
      [
        ['take from limits', SpanStatusCode.ERROR],
        ['envoy.service.auth.v3.Authorization/Check', SpanStatusCode.UNSET],
      ],
    );
  });

  it('shows a defect as an error', async () => {
    const { handle, spans } = traced({
      catalog: later(() => {
        throw new TypeError('oh no');
      }),
    });
    await handle(checkRequest(withKey), { traceParent: sampled });
    const [, span] = spans();
    assert.equal(span?.attributes['postern.code'], 'INTERNAL');
    assert.equal(span.status.code, SpanStatusCode.ERROR);
  });

  it('holds no credential, no query and nothing else that a caller chose', async () => {
    const { handle, spans } = traced();
    const headers = [
      ['cookie', 'hunter2'],
      ['user-agent', 'hunter2'],
      ['x-app-key', 'hunter2'],
    ] as const;
    for (const path of [`/orders/hunter2?appKey=${APP_KEY}`, '/hunter2?appKey=hunter2', '/orders?hunter2']) {
      await handle(checkRequest({ path, method: 'HUNTER2', headers, endpoint: '' }), { traceParent: sampled });
    }
    const text = JSON.stringify(
      spans().map(({ attributes, name, status, events }) => [attributes, name, status, events]),
    );
    assert.ok(spans().length === 3 && !/hunter2/i.test(text) && !text.includes(APP_KEY), text);
  });

  it('never changes an answer, not even when making spans fails', async () => {
    const defects: unknown[] = [];
    const startTrace = createCheckTracer({
      tracer: {
        startSpan: () => {
          throw new TypeError('oh no');
        },
        startActiveSpan: () => {
          throw new TypeError('oh no');
        },
      },
      clock: systemClock,
      onDefect: (error) => defects.push(error),
    });
    const observer = { decided: () => undefined, unreadable: () => undefined, defect: () => undefined };
    const handle = createCheckHandler({ ...testGateway().ports, observer, startTrace });
    assert.equal(readAnswer(await handle(checkRequest(withKey))).kind, 'allowed');
    assert.equal(defects.length, 1);
  });
});
