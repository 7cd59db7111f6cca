import { createHash } from 'node:crypto';
import { systemClock } from '../../../src/base/clock.ts';
import type { ConnectionEnd } from '../../../src/wire/server/connection-table.ts';
import { Health } from '../../../src/wire/server/health.ts';
import type {
  Call,
  GrpcFailure,
  Method,
  Transport,
  TransportOptions,
  UnaryAnswer,
} from '../../../src/wire/server/transport.ts';
import type { ListenAddress } from '../../../src/base/net/listen-address.ts';

const MIB = 1024 * 1024;

/** What a transport reported to its observer. */
export interface Told {
  readonly defects: { readonly error: unknown; readonly path: string }[];
  readonly refusedConnections: { readonly reason: string; readonly peer: string }[];
  readonly endedConnections: ConnectionEnd[];
}

/** A call of `/test.Test/Hold`, which waits until the test answers it. */
export interface HeldCall {
  readonly call: Call;
  readonly message: Uint8Array;
  readonly answer: (answer: UnaryAnswer) => void;
}

/** A running transport with methods that tests need. */
export interface Harness extends AsyncDisposable {
  readonly transport: Transport;
  readonly address: ListenAddress;
  readonly health: Health;
  readonly told: Told;
  /** Waits for the next call of `/test.Test/Hold`. */
  nextHeld(): Promise<HeldCall>;
}

/** What `/test.Test/Fail` answers: a message that must be encoded on its way. */
export const failure: GrpcFailure = { status: 5, message: 'no such thing: 100 % ü\n' };

/** Starts a transport; on a free port of 127.0.0.1 unless stated otherwise. */
export async function startHarness(
  create: (options: TransportOptions) => Transport,
  options: Pick<
    Partial<TransportOptions>,
    'address' | 'tls' | 'handshakeTimeoutMs' | 'unixSocketMode' | 'connectionLimits'
  > = {},
): Promise<Harness> {
  const told: Told = { defects: [], refusedConnections: [], endedConnections: [] };
  const health = new Health(['test.Test']);
  const held = queue<HeldCall>();
  const transport = create({
    ...options,
    address: options.address ?? { kind: 'tcp', host: '127.0.0.1', port: 0 },
    methods: new Map([...health.methods(), ...methods(held.push)]),
    clock: systemClock,
    connectionObserver: { connectionEnded: (end) => told.endedConnections.push(end) },
    observer: {
      defect: (error, path) => told.defects.push({ error, path }),
      connectionRefused: (reason, peer) => told.refusedConnections.push({ reason, peer }),
      memoryRefused: () => undefined,
    },
  });
  await transport.start();
  return {
    transport,
    address: transport.address(),
    health,
    told,
    nextHeld: held.next,
    [Symbol.asyncDispose]: async () => {
      await transport[Symbol.asyncDispose]();
    },
  };
}

function methods(hold: (call: HeldCall) => void): [string, Method][] {
  const unary = (handle: (message: Uint8Array, call: Call) => UnaryAnswer | Promise<UnaryAnswer>): Method => ({
    kind: 'unary',
    handle,
    maxMessageBytes: 12 * MIB,
  });
  return [
    ['/test.Test/Echo', unary((message) => message)],
    ['/test.Test/EchoLater', unary(async (message) => await new Promise((done) => setImmediate(done, message)))],
    ['/test.Test/Digest', unary((message) => createHash('sha256').update(message).digest())],
    ['/test.Test/Grow', unary((message) => Buffer.alloc(Buffer.from(message).readUInt32BE(0), 'grow'))],
    ['/test.Test/Small', { ...unary((message) => message), maxMessageBytes: 16 }],
    ['/test.Test/Fail', unary(() => failure)],
    [
      '/test.Test/Throw',
      unary(() => {
        throw new Error('a private detail');
      }),
    ],
    ['/test.Test/Reject', unary(async () => await Promise.reject(new Error('a private detail')))],
    [
      '/test.Test/Hold',
      unary(async (message, call) => {
        return await new Promise<UnaryAnswer>((answer) => {
          hold({ message, call, answer });
        });
      }),
    ],
  ];
}

/** Values that come before or after a test asks for them. */
function queue<T>(): { push: (value: T) => void; next: () => Promise<T> } {
  const values: T[] = [];
  const askers: ((value: T) => void)[] = [];
  return {
    push: (value) => {
      const asker = askers.shift();
      if (asker === undefined) values.push(value);
      else asker(value);
    },
    next: async () => {
      const value = values.shift();
      return value ?? (await new Promise<T>((resolve) => askers.push(resolve)));
    },
  };
}

/** A call's end, when it is reported. */
export async function cancelled(call: Call): Promise<void> {
  if (call.signal.aborted) return;
  await new Promise<void>((resolve) => {
    call.signal.addEventListener('abort', () => {
      resolve();
    });
  });
}
