import assert from 'node:assert/strict';
import { CheckRequest, CheckResponse } from '../../../src/gen/envoy/service/auth/v3/external_auth.ts';
import { RateLimitRequest, RateLimitResponse } from '../../../src/gen/envoy/service/ratelimit/v3/rls.ts';
import { RateLimitUnit } from '../../../src/gen/envoy/type/v3/ratelimit_unit.ts';
import {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthCheckResponse_ServingStatus,
} from '../../../src/gen/grpc/health/v1/health.ts';
import { HttpRequest } from '../../../src/check/receive/http-request.ts';
import {
  deniedResponse,
  okResponse,
  writeEntries,
  writeUpstreamHeaders,
} from '../../../src/check/respond/check-response.ts';
import { checkRequest } from '../../support/pipeline/check-request.ts';
import { loadUpstreamDefinitions, methodOf } from '../../support/grpc/upstream-messages.ts';

/** `HeaderValueOption.HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD` */
const OVERWRITE = 2;

const upstream = loadUpstreamDefinitions();
const check = methodOf(upstream, 'envoy.service.auth.v3.Authorization', 'Check');
const shouldRateLimit = methodOf(upstream, 'envoy.service.ratelimit.v3.RateLimitService', 'ShouldRateLimit');
const healthCheck = methodOf(upstream, 'grpc.health.v1.Health', 'Check');

describe('the answers of Check, read with the definitions of Envoy', () => {
  it('are an allow with headers, removals, response headers and metadata', () => {
    const bytes = okResponse({
      upstreamHeaders: [
        ['x-consumer-id', 'acme'],
        [':path', '/orders'],
      ],
      headersToRemove: ['x-app-key', 'X_Consumer_Id'],
      responseHeaders: [['ratelimit', '"default";r=1;t=2']],
      metadata: [['code', 'ALLOWED']],
      lastEntry: { key: 'postern.text', value: { bytes: Buffer.from('ä€😀\0'), freeBefore: 0 } },
    });
    assert.deepEqual(pick(check.responseDeserialize(bytes)), {
      status: 0,
      ok: {
        headers: [
          ['x-consumer-id', 'acme', OVERWRITE],
          [':path', '/orders', OVERWRITE],
        ],
        remove: ['x-app-key', 'X_Consumer_Id'],
        response: [['ratelimit', '"default";r=1;t=2', OVERWRITE]],
      },
      denied: null,
      metadata: { code: 'ALLOWED', 'postern.text': 'ä€😀\0' },
    });
  });

  it('are an allow when there is nothing to change', () => {
    const bytes = okResponse({
      upstreamHeaders: [],
      headersToRemove: [],
      responseHeaders: [],
      metadata: [],
      lastEntry: null,
    });
    assert.deepEqual(pick(check.responseDeserialize(bytes)), {
      status: 0,
      ok: { headers: [], remove: [], response: [] },
      denied: null,
      metadata: {},
    });
  });

  for (const [status, grpc] of [
    [401, 16],
    [403, 7],
    [429, 7],
    [503, 7],
  ] as const) {
    it(`are a refusal with the status ${String(status)}`, () => {
      const bytes = deniedResponse(status, [['content-type', 'application/json']], '{"message":"ä€😀"}', [
        ['code', 'X'],
      ]);
      assert.deepEqual(pick(check.responseDeserialize(bytes)), {
        status: grpc,
        ok: null,
        denied: {
          status,
          headers: [['content-type', 'application/json', OVERWRITE]],
          body: '{"message":"ä€😀"}',
        },
        metadata: { code: 'X' },
      });
    });
  }

  it('hold texts of every length that changes how lengths are written', () => {
    for (const length of [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152]) {
      const body = 'x'.repeat(length);
      const bytes = deniedResponse(400, [], body, []);
      assert.equal(pick(check.responseDeserialize(bytes)).denied?.body.length, length);
    }
  });

  it('hold headers and a last entry of such lengths, short answers after long ones too', () => {
    for (const length of [0, 1, 47, 48, 49, 127, 128, 4096, 16_383, 16_384, 300_000, 2]) {
      const text = Array.from({ length }, (_, at) => String.fromCharCode(0x21 + (at % 94))).join('');
      const bytes = okResponse({
        upstreamHeaders: [[':path', text]],
        headersToRemove: [text],
        responseHeaders: [['a', text]],
        metadata: [['code', text]],
        lastEntry: { key: 'postern.text', value: { bytes: Buffer.from(text), freeBefore: 0 } },
      });
      assert.deepEqual(pick(check.responseDeserialize(bytes)), {
        status: 0,
        ok: { headers: [[':path', text, OVERWRITE]], remove: [text], response: [['a', text, OVERWRITE]] },
        denied: null,
        metadata: { code: text, 'postern.text': text },
      });
    }
  });

  it('hold values in parts, whole numbers among them', () => {
    for (const number of [0, 1, 9, 10, 99, 100, 86_400, 2_147_483_648, 4_294_967_295]) {
      const bytes = deniedResponse(429, [['ratelimit', ['"default";r=', number, ';t=', 7]]], '', []);
      const expected = [['ratelimit', `"default";r=${String(number)};t=7`, OVERWRITE]];
      assert.deepEqual(pick(check.responseDeserialize(bytes)).denied?.headers, expected);
    }
  });

  it('take in what was written before', () => {
    const identity = writeUpstreamHeaders([
      ['x-consumer-id', 'acme'],
      ['x-consumer-username', 'x'.repeat(200)],
    ]);
    const bytes = okResponse({
      upstreamHeaders: [identity, [':path', '/orders']],
      headersToRemove: ['x'],
      responseHeaders: [],
      metadata: [['code', 'ALLOWED'], writeEntries([['consumer', 'acme']]), ['postern.body', 'original']],
      lastEntry: null,
    });
    const { ok, metadata } = pick(check.responseDeserialize(bytes));
    assert.deepEqual(ok?.headers, [
      ['x-consumer-id', 'acme', OVERWRITE],
      ['x-consumer-username', 'x'.repeat(200), OVERWRITE],
      [':path', '/orders', OVERWRITE],
    ]);
    assert.deepEqual(metadata, { code: 'ALLOWED', consumer: 'acme', 'postern.body': 'original' });
  });

  it('are written the same by the generated code', () => {
    const bytes = okResponse({
      upstreamHeaders: [['x-consumer-id', 'acme']],
      headersToRemove: ['x'],
      responseHeaders: [['ratelimit', 'r']],
      metadata: [['code', 'ALLOWED']],
      lastEntry: null,
    });
    const encoded = CheckResponse.encode(CheckResponse.decode(bytes)).finish();
    assert.deepEqual(pick(check.responseDeserialize(Buffer.from(encoded))), pick(check.responseDeserialize(bytes)));
  });
});

describe('requests of Check, written with the definitions of Envoy', () => {
  const http = {
    id: '17',
    method: 'POST',
    path: '/orders?x=1',
    host: 'api.example.com:8080',
    scheme: 'https',
    query: 'not read',
    fragment: 'not read',
    protocol: 'HTTP/2',
    size: 5,
  };
  const context = {
    source: { address: { socket_address: { address: '127.0.0.1', port_value: 4711 } }, principal: 'spiffe://x' },
    destination: { address: { socket_address: { address: '127.0.0.1', port_value: 10000 } } },
    context_extensions: { other: 'x', endpoint: 'orders' },
    metadata_context: { filter_metadata: { a: { fields: { b: { string_value: 'c' } } } } },
    tls_session: { sni: 'api.example.com' },
  };
  const time = { seconds: 1_790_000_000, nanos: 7 };

  it('are read with raw headers and a raw body', () => {
    const message = check.requestSerialize({
      attributes: {
        ...context,
        request: {
          time,
          http: {
            ...http,
            raw_body: Buffer.from([0, 255, 128, 10, 13]),
            header_map: {
              headers: [
                { key: ':path', raw_value: Buffer.from('/\xe9?x=1', 'latin1') },
                { key: ':authority', raw_value: Buffer.from('a.example') },
                { key: 'x-app-key', raw_value: Buffer.from('one') },
                { key: 'X-App-Key', raw_value: Buffer.from('two') },
                { key: 'empty', raw_value: Buffer.alloc(0) },
                { key: 'text', value: 'v' },
              ],
            },
          },
        },
      },
    });
    const request = parse(message);
    assert.equal(request.method, 'POST');
    assert.equal(request.protocol, 'HTTP/2');
    assert.equal(request.path, '/\xe9?x=1');
    assert.equal(request.authority, 'a.example');
    assert.deepEqual(request.headers.valuesOf('x-app-key'), ['one', 'two']);
    assert.deepEqual(request.headers.findSingle('x-app-key'), { repeated: true });
    assert.equal(request.headers.find('empty'), '');
    assert.equal(request.headers.find('text'), 'v');
    assert.equal(request.headers.find('absent'), null);
    assert.equal(request.endpointExtension, 'orders');
    assert.deepEqual([...request.body], [0, 255, 128, 10, 13]);
    assert.equal(request.declaredSize, 5);
    assert.equal(request.headers.isRaw, true);
  });

  it('are read with a map of headers and a text body', () => {
    const message = check.requestSerialize({
      attributes: {
        ...context,
        request: { time, http: { ...http, headers: { ':path': '/map', 'x-app-key': 'k' }, body: 'h\u00e4 !' } },
      },
    });
    const request = parse(message);
    assert.equal(request.path, '/map');
    assert.equal(request.authority, 'api.example.com:8080', 'the host stands for an authority that is no header');
    assert.equal(request.headers.findSingle('x-app-key'), 'k');
    assert.equal(request.body.toString('utf8'), 'h\u00e4 !');
    assert.equal(request.headers.isRaw, false);
  });

  it('are read when they say nothing at all', () => {
    const request = parse(check.requestSerialize({}));
    assert.deepEqual(
      [request.method, request.path, request.authority, request.endpointExtension, request.bodyLength],
      ['', '', '', null, 0],
    );
  });

  it('are read by the generated code, and written by it, alike', () => {
    const bytes = checkRequest({
      body: 'body',
      endpoint: 'orders',
      headers: [['x-app-key', 'k']],
    });
    const theirs = check.requestDeserialize(bytes);
    const again = check.requestSerialize(theirs);
    assert.deepEqual(CheckRequest.decode(again), CheckRequest.decode(bytes));
  });
});

describe('the messages of the rate limit service', () => {
  it('are written as Envoy reads them', () => {
    const bytes = RateLimitRequest.encode(
      RateLimitRequest.fromPartial({
        domain: 'postern',
        hitsAddend: 1,
        descriptors: [
          {
            entries: [
              { key: 'endpoint', value: 'orders' },
              { key: 'unit', value: 'minute' },
            ],
            limit: { requestsPerUnit: 4_294_967_295, unit: RateLimitUnit.MINUTE },
          },
        ],
      }),
    ).finish();
    const read = shouldRateLimit.requestDeserialize(Buffer.from(bytes)) as {
      domain: string;
      hits_addend: number;
      descriptors: { entries: unknown; limit: unknown }[];
    };
    assert.equal(read.domain, 'postern');
    assert.equal(read.hits_addend, 1);
    assert.deepEqual(read.descriptors[0]?.entries, [
      { key: 'endpoint', value: 'orders' },
      { key: 'unit', value: 'minute' },
    ]);
    assert.deepEqual(read.descriptors[0].limit, { requests_per_unit: 4_294_967_295, unit: 2 });
  });

  it('are read as Envoy writes them', () => {
    const bytes = shouldRateLimit.responseSerialize({
      overall_code: 2,
      statuses: [
        {
          code: 2,
          current_limit: { requests_per_unit: 5, unit: 3, name: 'n' },
          limit_remaining: 3,
          duration_until_reset: { seconds: 17, nanos: 5 },
        },
      ],
      response_headers_to_add: [{ key: 'a', value: 'b' }],
    });
    const read = RateLimitResponse.decode(bytes);
    assert.equal(read.overallCode, 2);
    assert.deepEqual(read.statuses, [
      {
        code: 2,
        currentLimit: { requestsPerUnit: 5, unit: 3, name: 'n' },
        limitRemaining: 3,
        durationUntilReset: { seconds: 17, nanos: 5 },
      },
    ]);
  });
});

describe('the messages of the gRPC health service', () => {
  it('are read as its clients write them', () => {
    const bytes = healthCheck.requestSerialize({ service: 'envoy.service.auth.v3.Authorization' });
    assert.equal(HealthCheckRequest.decode(bytes).service, 'envoy.service.auth.v3.Authorization');
  });

  for (const [word, status] of Object.entries(HealthCheckResponse_ServingStatus)) {
    it(`say ${word} as its clients read it`, () => {
      const bytes = HealthCheckResponse.encode({ status }).finish();
      assert.deepEqual(healthCheck.responseDeserialize(Buffer.from(bytes)), { status });
    });
  }
});

interface UpstreamHeader {
  readonly header: { readonly key: string; readonly value: string };
  readonly append_action: number;
}

interface UpstreamResponse {
  readonly status: { readonly code: number };
  readonly ok_response?: {
    readonly headers: UpstreamHeader[];
    readonly headers_to_remove: string[];
    readonly response_headers_to_add: UpstreamHeader[];
  };
  readonly denied_response?: {
    readonly status: { readonly code: number };
    readonly headers: UpstreamHeader[];
    readonly body: string;
  };
  readonly dynamic_metadata: { readonly fields: Record<string, { stringValue: string }> } | null;
}

function pick(response: object) {
  const { status, ok_response: ok, denied_response: denied, dynamic_metadata: metadata } = response as UpstreamResponse;
  return {
    status: status.code,
    ok: ok
      ? {
          headers: ok.headers.map(triple),
          remove: ok.headers_to_remove,
          response: ok.response_headers_to_add.map(triple),
        }
      : null,
    denied: denied ? { status: denied.status.code, headers: denied.headers.map(triple), body: denied.body } : null,
    metadata: Object.fromEntries(
      Object.entries(metadata?.fields ?? {}).map(([key, value]) => [key, value.stringValue]),
    ),
  };
}

function triple({ header, append_action: action }: UpstreamHeader) {
  return [header.key, header.value, action];
}

function parse(message: Buffer): HttpRequest {
  const request = HttpRequest.parse(message);
  assert.ok(request);
  return request;
}
