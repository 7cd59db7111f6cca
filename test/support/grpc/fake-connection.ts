import { type StartTimer, startSystemTimer } from '../../../src/base/clock.ts';
import { Connection } from '../../../src/wire/server/http2/connection.ts';
import { defaultLimits, type Http2Limits } from '../../../src/wire/server/http2/limits.ts';
import type { ConnectionEnd } from '../../../src/wire/server/connection-table.ts';
import { createServerContext } from '../../../src/wire/server/http2/server-context.ts';
import { type Call, type MemoryPoolName, type Method, type UnaryAnswer } from '../../../src/wire/server/transport.ts';
import { fixedClock, type FixedClock } from '../time/fixed-clock.ts';
import { clientPreface, FakeWire } from './fake-wire.ts';

/** A call of `/Hold`, which the test answers. */
export interface Held {
  readonly message: Uint8Array;
  readonly call: Call;
  readonly answer: (answer: UnaryAnswer) => void;
}

/** A server without sockets: connections on fake wires, and a clock that the test moves. */
export interface FakeServer {
  readonly clock: FixedClock;
  /** Why connections were closed. */
  readonly refused: string[];
  /** Why connections were ended for lack of room. */
  readonly ended: ConnectionEnd[];
  readonly defects: unknown[];
  /** Pools whose lack of memory refused calls. */
  readonly lacking: MemoryPoolName[];
  /** Calls of `/Hold` that wait for their answers. */
  readonly held: Held[];
  /** How to answer the calls of `/Watch`, a streaming method. */
  readonly watches: ((answer: Uint8Array) => void)[];
  /** Open calls and watches of all connections. */
  openCalls(): { readonly calls: number; readonly watches: number };
  /** Messages that `/Echo` got. */
  readonly echoed: Uint8Array[];
  /** Bytes that messages and answers hold. */
  heldBytes(): number;
  /** Of those, what messages hold that have not come whole. */
  heldParts(): number;
  /** Bytes in sockets, as the server counts them. */
  unsentBytes(): number;
  /** Lengths of large messages that have their turn. */
  turnBytes(): number;
  /** Bytes that are kept for large messages to come, and the regular look whether any came, and at unsent answers. */
  idleBytes(): number;
  sweepMemory(): void;
  /** A connection; introduced unless stated otherwise. */
  connect(introduced?: boolean): FakeConnection;
}

export interface FakeConnection {
  readonly connection: Connection;
  readonly wire: FakeWire;
  /** Gives the connection bytes. */
  readonly send: (...bytes: Buffer[]) => void;
}

const SPOILT = 0xdd;

/** @param limits what differs from the real ones. @param startTimer for the deadlines of calls. */
export function fakeServer(limits: Partial<Http2Limits> = {}, startTimer: StartTimer = startSystemTimer): FakeServer {
  const clock = fixedClock();
  const refused: string[] = [];
  const ended: ConnectionEnd[] = [];
  const defects: unknown[] = [];
  const lacking: MemoryPoolName[] = [];
  const held: Held[] = [];
  const watches: ((answer: Uint8Array) => void)[] = [];
  const echoed: Uint8Array[] = [];
  const maxMessageBytes = 12 * 1024 * 1024;
  const methods = new Map<string, Method>([
    [
      '/Echo',
      {
        kind: 'unary',
        maxMessageBytes,
        handle: (message) => {
          echoed.push(message);
          return message;
        },
      },
    ],
    ['/Health', { kind: 'unary', maxMessageBytes: 1024, handle: () => Buffer.alloc(2) }],
    ['/Grow', { kind: 'unary', maxMessageBytes, handle: (message) => Buffer.alloc(sizeIn(message)) }],
    [
      '/Watch',
      {
        kind: 'stream',
        maxMessageBytes,
        handle: (_message, _call, send) => {
          watches.push(send);
          return undefined;
        },
      },
    ],
    [
      '/Hold',
      {
        kind: 'unary',
        maxMessageBytes,
        handle: async (message, call) => {
          return await new Promise<UnaryAnswer>((answer) => held.push({ message, call, answer }));
        },
      },
    ],
  ]);
  const context = createServerContext({
    methods,
    clock,
    startTimer,
    // A test sends in one turn what comes in many.
    limits: { ...defaultLimits, framesPerTurn: Infinity, ...limits },
    connectionObserver: { connectionEnded: (end) => ended.push(end) },
    observer: {
      defect: (error) => defects.push(error),
      connectionRefused: (reason) => refused.push(reason),
      memoryRefused: (pool) => lacking.push(pool),
    },
  });
  return {
    clock,
    refused,
    ended,
    defects,
    lacking,
    held,
    watches,
    openCalls: () => ({ calls: context.openCalls.size, watches: context.openCalls.watches }),
    echoed,
    heldBytes: () =>
      context.partPool.heldBytes +
      context.runningPool.heldBytes +
      context.largeMemory.heldBytes +
      context.answerPool.heldBytes,
    heldParts: () => context.partPool.heldBytes,
    unsentBytes: () => context.unsent.bytes,
    turnBytes: () => context.turnPool.heldBytes,
    idleBytes: () => context.largeBuffers.idleBytes,
    sweepMemory: () => {
      context.unsent.makeRoom();
      context.largeBuffers.sweep();
    },
    connect: (introduced = true) => {
      const wire = new FakeWire();
      const connection = new Connection(context, wire, 'test');
      const send = (...bytes: Buffer[]): void => {
        const input = Buffer.concat(bytes);
        connection.receive(input);
        // Code that keeps views of input is noticed.
        input.fill(SPOILT);
      };
      if (introduced) {
        send(clientPreface);
        wire.take();
      }
      return { connection, wire, send };
    },
  };
}

/** The answer's size that a message of `/Grow` asks for, in decimal digits; other text asks for nothing. */
function sizeIn(message: Uint8Array): number {
  const text = Buffer.from(message).toString('latin1');
  return /^\d{1,7}$/.test(text) ? Number(text) : 0;
}
