import type { CallFailure } from '../../../src/wire/grpc-client/call-failure.ts';
import { ClientCall } from '../../../src/wire/grpc-client/client-call.ts';
import { ClientConnection } from '../../../src/wire/grpc-client/client-connection.ts';
import { type ClientLimits, clientLimits } from '../../../src/wire/grpc-client/client-limits.ts';
import { frameFlag, frameType } from '../../../src/wire/http2/frame.ts';
import { ManualTime } from '../time/manual-time.ts';
import { block, data, FakeWire, frame, settings, uint32 } from './fake-wire.ts';

/** A call of a fake client, and what became of it. */
export interface MadeCall {
  readonly call: ClientCall;
  readonly outcomes: (Buffer | CallFailure)[];
}

/** A client's connection without a socket: the test is the server, and moves the time. */
export interface FakeClient {
  readonly connection: ClientConnection;
  readonly wire: FakeWire;
  readonly time: ManualTime;
  /** What the connection told its host, in order. */
  readonly events: string[];
  /** Calls that the peer did not work on. */
  readonly unprocessed: ClientCall[];
  /** What it sent to introduce itself. */
  readonly introduction: Buffer;
  /** Gives the connection bytes, whose memory is spoilt afterwards. */
  readonly send: (...bytes: Buffer[]) => void;
  /** Begins a call; null when the connection takes none. */
  readonly call: (message?: Buffer, deadlineMs?: number) => MadeCall | null;
}

const SPOILT = 0xdd;
export const requestFields = { scheme: 'http', authority: 'limits:8081', path: '/S/M', userAgent: 'test' } as const;

/** @param introduced whether the server has sent its SETTINGS. */
export function fakeClient(limits: Partial<ClientLimits> = {}, introduced = true): FakeClient {
  const time = new ManualTime();
  const events: string[] = [];
  const unprocessed: ClientCall[] = [];
  const wire = new FakeWire();
  const context = {
    fields: requestFields,
    limits: { ...clientLimits, ...limits },
    clock: time,
    startTimer: time.startTimer,
  };
  const connection = new ClientConnection(context, wire, {
    ready: () => events.push('ready'),
    hasRoom: () => undefined,
    unprocessed: (call) => unprocessed.push(call),
    leaving: () => events.push('leaving'),
    lost: (_, reason) => events.push(`lost: ${reason}`),
  });
  const introduction = wire.takeBytes();
  const send = (...bytes: Buffer[]): void => {
    const input = Buffer.concat(bytes);
    connection.receive(input);
    input.fill(SPOILT);
  };
  if (introduced) {
    send(settings());
    wire.take();
  }
  return {
    connection,
    wire,
    time,
    events,
    unprocessed,
    introduction,
    send,
    call: (message = Buffer.from('question'), deadlineMs = 50) => {
      if (!connection.admits) return null;
      const outcomes: (Buffer | CallFailure)[] = [];
      const call = new ClientCall({
        message,
        deadlineAtMs: time.nowMs() + deadlineMs,
        resolve: (answer) => outcomes.push(answer),
        reject: (failure) => outcomes.push(failure),
        ended: () => undefined,
      });
      connection.begin(call);
      return { call, outcomes };
    },
  };
}

const END = frameFlag.endHeaders | frameFlag.endStream;

/** The head of a gRPC answer. */
export function answerHead(
  id: number,
  fields: Readonly<Record<string, string>> = { ':status': '200', 'content-type': 'application/grpc' },
  flags: number = frameFlag.endHeaders,
): Buffer {
  return frame(frameType.headers, flags, id, block(fields));
}

/** A message with its prefix. */
export function prefixed(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0]), uint32(message.length), message]);
}

export function trailers(id: number, fields: Readonly<Record<string, string>> = { 'grpc-status': '0' }): Buffer {
  return frame(frameType.headers, END, id, block(fields));
}

/** A whole answer that is right. */
export function goodAnswer(id: number, message: Buffer): Buffer {
  return Buffer.concat([answerHead(id), data(id, prefixed(message)), trailers(id)]);
}

/** An answer without a message ("Trailers-Only"). */
export function statusOnly(id: number, status: string, message = ''): Buffer {
  const fields = { ':status': '200', 'content-type': 'application/grpc', 'grpc-status': status };
  return answerHead(id, message === '' ? fields : { ...fields, 'grpc-message': message }, END);
}
