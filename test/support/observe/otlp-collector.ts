import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js';
import { poll } from '../time/poll.ts';
import { readJsonSpans, readOtlpSpans, type ReceivedSpan } from './otlp-spans.ts';

/** What a collector of a test does with what it is sent. */
export type CollectorMood = 'takes' | 'refuses' | 'says nothing';

/** A collector of traces: OTLP over HTTP, in protobuf and JSON, or over gRPC. */
export interface OtlpCollector extends AsyncDisposable {
  readonly port: number;
  /** What came so far. */
  readonly spans: readonly ReceivedSpan[];
  /** The content types and `x-` headers of what came. */
  readonly heads: readonly Readonly<Record<string, string>>[];
  /** Waits until spans of this service are there for a trace; null for any trace. */
  spansOf(service: string, traceId: string | null): Promise<readonly [ReceivedSpan, ...ReceivedSpan[]]>;
}

/** Starts a collector on a free port. */
export async function startOtlpCollector(
  protocol: 'http' | 'grpc' = 'http',
  mood: CollectorMood = 'takes',
): Promise<OtlpCollector> {
  const spans: ReceivedSpan[] = [];
  const heads: Record<string, string>[] = [];
  const listening = protocol === 'http' ? await listenHttp(spans, heads, mood) : await listenGrpc(spans);
  return {
    ...listening,
    ...{ spans, heads },
    spansOf: async (service, traceId) =>
      await poll(`spans of ${service}`, () => {
        const [first, ...others] = spans.filter(
          (span) => span.service === service && (traceId === null || span.traceId === traceId),
        );
        return Promise.resolve(first === undefined ? null : [first, ...others]);
      }),
  };
}

type Listening = Pick<OtlpCollector, 'port' | typeof Symbol.asyncDispose>;

async function listenHttp(
  spans: ReceivedSpan[],
  heads: Record<string, string>[],
  mood: CollectorMood,
): Promise<Listening> {
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const type = request.headers['content-type'] ?? '';
      heads.push({ 'content-type': type, 'x-test': String(request.headers['x-test']), path: request.url ?? '' });
      if (mood === 'says nothing') return;
      if (mood === 'refuses') {
        response.writeHead(400).end('secret of the collector');
        return;
      }
      spans.push(...(type === 'application/json' ? readJsonSpans(body.toString()) : readOtlpSpans(body)));
      response.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? '{}' : '');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listenGrpc(spans: ReceivedSpan[]): Promise<Listening> {
  const server = new GrpcServer();
  const asIs = (bytes: Buffer): Buffer => bytes;
  const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
  server.addService(
    {
      Export: {
        ...{ path, requestStream: false, responseStream: false },
        ...{ requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs },
      },
    },
    {
      Export: (call: { readonly request: Buffer }, callback: (error: null, answer: Buffer) => void) => {
        spans.push(...readOtlpSpans(call.request));
        callback(null, Buffer.alloc(0));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return {
    port,
    [Symbol.asyncDispose]: () => {
      server.forceShutdown();
      return Promise.resolve();
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
