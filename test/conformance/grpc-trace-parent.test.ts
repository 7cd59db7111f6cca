import assert from 'node:assert/strict';
import { systemClock } from '../../src/base/clock.ts';
import { createGrpcJsTransport } from '../../src/wire/server/grpc-js-transport.ts';
import { createHttp2Transport } from '../../src/wire/server/http2-transport.ts';
import { type Call, type Transport, type TransportOptions } from '../../src/wire/server/transport.ts';
import { RawClient } from '../support/grpc/raw-client.ts';

const traceParent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const other = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b8-01';

const implementations: readonly (readonly [string, (options: TransportOptions) => Transport])[] = [
  ['native', (options) => createHttp2Transport(options)],
  ['grpc-js', createGrpcJsTransport],
];

/** What methods see of the header when calls come with these, one after the other on one connection. */
async function seen(
  create: (options: TransportOptions) => Transport,
  options: Pick<TransportOptions, 'readsTraceParent'>,
  headers: readonly (string | string[] | null)[],
): Promise<(string | null)[]> {
  const values: (string | null)[] = [];
  const handle = (message: Uint8Array, call: Call): Uint8Array => {
    values.push(call.traceParent);
    return message;
  };
  await using transport = create({
    ...options,
    address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
    methods: new Map([['/test.Test/Echo', { kind: 'unary', handle, maxMessageBytes: 16 }]]),
    clock: systemClock,
    observer: { defect: () => undefined, connectionRefused: () => undefined, memoryRefused: () => undefined },
  });
  await transport.start();
  await using client = await RawClient.connect(transport.address());
  for (const value of headers) {
    const answer = await client.call('/test.Test/Echo', Buffer.of(1), value === null ? {} : { traceparent: value });
    assert.equal(answer.grpcStatus, 0);
  }
  return values;
}

for (const [name, create] of implementations) {
  describe(`the traceparent of a call, ${name}`, () => {
    it('is that of each call, and null without one', async () => {
      const calls = [traceParent, null, traceParent, other, null];
      assert.deepEqual(await seen(create, { readsTraceParent: true }, calls), calls);
    });

    it('is none when it stands more than once (W3C Trace Context §3.2)', async () => {
      const [value] = await seen(create, { readsTraceParent: true }, [[traceParent, other]]);
      assert.ok(value === null || value?.includes(',') === true, String(value)); // joined, it has no meaning either
    });
  });
}

describe('the traceparent of a call that nobody asked for', () => {
  it('is not read', async () => {
    assert.deepEqual(await seen(createHttp2Transport, {}, [traceParent]), [null]);
  });
});
