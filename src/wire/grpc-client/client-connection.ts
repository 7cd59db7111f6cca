import type { Clock, StartTimer } from '../../base/clock.ts';
import { CRUMB_BYTES, FloodGuard, IDLE_FRAME_COST, RESET_COST } from '../http2/flood-guard.ts';
import {
  type ErrorCode,
  errorCode,
  frameFlag,
  frameType,
  INITIAL_WINDOW_BYTES,
  MAX_STREAM_ID,
  setting,
} from '../http2/frame.ts';
import { findFrameFault, findSettingFault, windowTooLarge } from '../http2/frame-rules.ts';
import { FrameReader, type FrameSink } from '../http2/frame-reader.ts';
import { FrameWriter } from '../http2/frame-writer.ts';
import { HeaderFrames } from '../http2/header-frames.ts';
import { u16, u31, u32, u8 } from '../http2/octets.ts';
import type { Wire } from '../http2/socket-wire.ts';
import { CallFailure, callStatus } from './call-failure.ts';
import type { ClientCall } from './client-call.ts';
import { type CallsConduct, ClientCalls } from './client-calls.ts';
import type { ClientLimits } from './client-limits.ts';
import { type RequestFields, RequestHeads } from './request-heads.ts';
import { RequestSender } from './request-sender.ts';

/** What all connections of a channel share. */
export interface ClientContext {
  readonly fields: RequestFields;
  readonly limits: ClientLimits;
  readonly clock: Clock;
  readonly startTimer: StartTimer;
}

/** Notified of what becomes of a connection. */
export interface ConnectionHost {
  /** The peer has introduced itself: calls may begin. */
  ready(connection: ClientConnection): void;
  /** More calls may begin than before. */
  hasRoom(connection: ClientConnection): void;
  /** The peer has not worked on this call, which may be made again. */
  unprocessed(call: ClientCall): void;
  /** No more calls begin on it; those under way go on. */
  leaving(connection: ClientConnection): void;
  /** It is over, and so are its calls. `reason` is for people. Called once. */
  lost(connection: ClientConnection, reason: string): void;
}

/** No stream of our own, of a client's GOAWAY: servers open none. */
const NO_STREAM = 0;
const PING = Buffer.from('is alive', 'latin1');

/**
 * The client's side of one HTTP/2 connection (RFC 9113) that carries unary gRPC calls. It asks of the peer what the
 * protocol asks of a server, ends on every breach, and holds and does no more than its limits say, whatever comes.
 */
export class ClientConnection implements FrameSink, CallsConduct {
  /** The time of the last input or event. */
  nowMs: number;
  readonly #context: ClientContext;
  readonly #wire: Wire;
  readonly #host: ConnectionHost;
  readonly #reader = new FrameReader(Buffer.alloc(0));
  readonly #writer: FrameWriter;
  readonly #headers: HeaderFrames;
  readonly #flood: FloodGuard;
  readonly #sender: RequestSender;
  readonly #calls: ClientCalls;
  readonly #heads: RequestHeads;
  #introduced = false;
  #readyAtMs = Infinity;
  /** SETTINGS_MAX_CONCURRENT_STREAMS of the peer. */
  #maxStreams = Infinity;
  #consumedBytes = 0;
  /** Of the peer's latest GOAWAY. */
  #lastStreamId = MAX_STREAM_ID;
  #isLeaving = false;
  #isReading = false;
  #isFlushPlanned = false;
  #over = false;
  #heardAtMs: number;
  #stopPing: (() => void) | null = null;

  /** Introduces itself at once. */
  constructor(context: ClientContext, wire: Wire, host: ConnectionHost) {
    const { limits, clock, fields } = context;
    this.#context = context;
    this.#wire = wire;
    this.#host = host;
    this.nowMs = this.#heardAtMs = clock.nowMs();
    this.#heads = new RequestHeads(fields);
    this.#flood = new FloodGuard(limits, this.nowMs);
    this.#writer = new FrameWriter(wire);
    this.#sender = new RequestSender(
      this.#writer,
      (steps) =>
        this.#flood.spendWindowSteps(steps) ||
        this.breach(errorCode.enhanceYourCalm, 'the windows ask for more work than the peer has sent'),
    );
    this.#calls = new ClientCalls(limits, this.#writer, this.#sender, this.#flood, this);
    this.#headers = new HeaderFrames(limits, this, this.#calls);
    this.#writer.preface();
    this.#writer.settings([
      [setting.enablePush, 0],
      [setting.maxHeaderListSize, limits.maxHeaderListBytes],
    ]);
    this.#writer.windowUpdate(0, limits.connectionWindowBytes - INITIAL_WINDOW_BYTES);
    this.#writer.flush();
  }

  /** Whether another call may begin. */
  get admits(): boolean {
    const { maxOpenCalls, pauseAboveBytes } = this.#context.limits;
    return (
      this.#introduced &&
      !this.#isLeaving &&
      !this.#over &&
      this.#calls.size < Math.min(this.#maxStreams, maxOpenCalls) &&
      this.#wire.unsentBytes <= pauseAboveBytes
    );
  }

  /** Whether the peer has introduced itself. */
  get isReady(): boolean {
    return this.#introduced;
  }

  /** What has come of answers that are not complete, in bytes. */
  get heldBytes(): number {
    return this.#calls.heldBytes;
  }

  get openCalls(): number {
    return this.#calls.size;
  }

  /** Whether it was of use: it answered a call, or the peer took it for a while. */
  get isProven(): boolean {
    return this.#calls.answered > 0 || this.#context.clock.nowMs() - this.#readyAtMs >= this.#context.limits.provenMs;
  }

  /** Begins a call. Only while {@link admits}. */
  begin(call: ClientCall): void {
    this.nowMs = this.#context.clock.nowMs();
    const timeoutMs = Math.max(1, Math.ceil(call.deadlineAtMs - this.nowMs));
    this.#calls.begin(call, this.#heads.head(timeoutMs));
    if (this.nowMs - this.#heardAtMs > this.#context.limits.keepaliveMs) this.#askWhetherAlive();
    this.#wrote();
    if (this.#calls.exhausted) this.#leave();
  }

  /** No caller waits for the call any more. */
  cancel(call: ClientCall, failure: CallFailure): void {
    this.#calls.reset(call, errorCode.cancel, failure);
    this.#wrote();
  }

  /** Begins no more calls, and ends when those under way have. */
  leave(): void {
    if (!this.#over) this.#leave();
  }

  /** Bytes have come. They are the caller's again when this returns. */
  receive(input: Buffer): void {
    if (this.#over) return;
    this.nowMs = this.#heardAtMs = this.#context.clock.nowMs();
    this.#endPing();
    this.#flood.received(input.length);
    this.#isReading = true;
    const problem = this.#reader.push(input, this);
    this.#isReading = false;
    if (problem !== null) this.breach(problem.code, problem.reason);
    if (this.#wire.unsentBytes > this.#context.limits.maxUnsentBytes) this.#cut('it does not read what it is sent');
    this.#flush();
  }

  /** Everything given to the wire has left. */
  drained(): void {
    if (this.#over) return;
    this.#host.hasRoom(this);
  }

  /** The wire is gone. */
  wireLost(reason: string): void {
    this.#end(reason, callStatus.unavailable);
  }

  /** Ends at once, without a word. */
  destroy(reason: string): void {
    this.#cut(reason);
  }

  /** For the reader: one whole frame (RFC 9113 §4.1). */
  frame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): boolean {
    if (!this.#introduced && (type !== frameType.settings || (flags & frameFlag.ack) !== 0)) {
      return this.breach(errorCode.protocolError, 'the first frame is not SETTINGS');
    }
    if (this.#headers.unfinishedSinceMs !== null && type !== frameType.continuation) {
      return this.breach(errorCode.protocolError, 'a header block is interrupted');
    }
    switch (type) {
      case frameType.data:
        this.#data(flags, streamId, bytes, start, end);
        break;
      case frameType.headers:
        if (this.#calls.isIdle(streamId)) {
          this.breach(errorCode.protocolError, 'HEADERS on a stream that was never opened');
        } else this.#headers.headers(flags, streamId, bytes, start, end);
        break;
      case frameType.continuation:
        this.#headers.continuation(flags, streamId, bytes, start, end);
        break;
      default: {
        const fault = findFrameFault(type, flags, streamId, end - start);
        if (fault !== null) this.breach(fault.code, fault.reason);
        else this.#control(type, flags, streamId, bytes, start, end);
      }
    }
    return !this.#over;
  }

  /** For the calls and the frames. */
  breach(code: ErrorCode, reason: string): false {
    if (this.#over) return false;
    this.#writer.goaway(NO_STREAM, code, reason);
    this.#writer.flush();
    this.#wire.end();
    this.#end(`it broke the protocol: ${reason}`, callStatus.internal);
    return false;
  }

  /** For the calls. */
  spend(tokens: number): boolean {
    return (
      this.#flood.spend(tokens, this.nowMs) ||
      this.breach(errorCode.enhanceYourCalm, 'too many frames that bring no answer')
    );
  }

  /** For the calls. */
  unprocessed(call: ClientCall): void {
    this.#host.unprocessed(call);
  }

  /** For the calls. */
  closed(): void {
    if (this.#over) return;
    if (this.#isLeaving) this.#endWhenIdle();
    else this.#host.hasRoom(this);
  }

  /** RFC 9113 §6.1. */
  #data(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const payloadBytes = end - start;
    if (this.#calls.isIdle(streamId)) {
      this.breach(errorCode.protocolError, 'DATA on a stream that was never opened');
      return;
    }
    this.#consume(payloadBytes);
    const endStream = (flags & frameFlag.endStream) !== 0;
    const call = this.#calls.get(streamId);
    // Of a call that is over there may be more on its way.
    if ((call === undefined || (payloadBytes < CRUMB_BYTES && !endStream)) && !this.spend(IDLE_FRAME_COST)) return;
    if (call === undefined) return;
    call.receiveWindowBytes -= payloadBytes;
    if (call.receiveWindowBytes < 0) {
      this.breach(errorCode.flowControlError, 'an answer is larger than its window');
      return;
    }
    const isPadded = (flags & frameFlag.padded) !== 0;
    const from = isPadded ? start + 1 : start;
    const to = isPadded ? end - u8(bytes, start) : end;
    if (to < from) this.breach(errorCode.protocolError, 'DATA is all padding and more');
    else this.#calls.data(call, bytes, from, to, endStream);
  }

  /**
   * The connection's receive window (RFC 9113 §6.9.1). What was taken is given back in large pieces, before the peer
   * can have used the rest: it never closes, and no peer can send more than it.
   */
  #consume(payloadBytes: number): void {
    this.#consumedBytes += payloadBytes;
    if (this.#consumedBytes <= this.#context.limits.connectionWindowBytes / 2) return;
    this.#writer.windowUpdate(0, this.#consumedBytes);
    this.#consumedBytes = 0;
  }

  /** Frames that carry nothing of an answer. */
  #control(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    switch (type) {
      case frameType.settings:
        this.#settings(flags, bytes, start, end);
        break;
      case frameType.windowUpdate:
        this.#windowUpdate(streamId, u31(bytes, start));
        break;
      case frameType.rstStream:
        this.#rstStream(streamId, u32(bytes, start));
        break;
      case frameType.ping:
        if (this.spend(IDLE_FRAME_COST) && (flags & frameFlag.ack) === 0) this.#writer.ping(bytes, start, true);
        break;
      case frameType.goaway:
        this.#goaway(u31(bytes, start));
        break;
      case frameType.pushPromise:
        this.breach(errorCode.protocolError, 'a push was promised, and pushes are off');
        break;
      default: // PRIORITY; RFC 9113 §5.5: unknown types are ignored
        this.spend(IDLE_FRAME_COST);
    }
  }

  /** RFC 9113 §6.5. */
  #settings(flags: number, bytes: Buffer, start: number, end: number): void {
    if (!this.spend(IDLE_FRAME_COST + (end - start) / 6) || (flags & frameFlag.ack) !== 0) return;
    for (let at = start; at < end && !this.#over; at += 6) this.#setting(u16(bytes, at), u32(bytes, at + 2));
    if (this.#over) return;
    this.#writer.settingsAck(); // before anything that the new values allow (RFC 9113 §6.5.3)
    if (this.#introduced) {
      this.#sender.settingsChanged();
      if (this.admits) this.#host.hasRoom(this);
      return;
    }
    this.#introduced = true;
    this.#readyAtMs = this.nowMs;
    this.#host.ready(this);
  }

  #setting(identifier: number, value: number): void {
    const fault = findSettingFault(identifier, value);
    if (fault !== null) this.breach(fault.code, fault.reason);
    else if (identifier === setting.headerTableSize) this.#heads.limitTable(value);
    else if (identifier === setting.maxConcurrentStreams) this.#maxStreams = value;
    else if (identifier === setting.enablePush && value === 1) {
      this.breach(errorCode.protocolError, 'a server asks for pushes');
    } else if (identifier === setting.initialWindowSize && !this.#sender.changeInitialWindow(value)) {
      this.breach(windowTooLarge.code, windowTooLarge.reason);
    }
  }

  /** RFC 9113 §6.9. */
  #windowUpdate(streamId: number, incrementBytes: number): void {
    if (!this.spend(IDLE_FRAME_COST)) return;
    const call = this.#calls.get(streamId);
    if (streamId === 0) {
      if (incrementBytes === 0) this.breach(errorCode.protocolError, 'WINDOW_UPDATE of 0');
      else if (!this.#sender.widen(incrementBytes)) {
        this.breach(errorCode.flowControlError, 'the connection window is too large');
      }
    } else if (call === undefined) {
      if (this.#calls.isIdle(streamId)) {
        this.breach(errorCode.protocolError, 'WINDOW_UPDATE on a stream that was never opened');
      }
    } else if (incrementBytes === 0) {
      this.#calls.reset(call, errorCode.protocolError, new CallFailure(callStatus.internal, 'WINDOW_UPDATE of 0'));
    } else if (!this.#sender.widenStream(call, incrementBytes)) {
      const failure = new CallFailure(callStatus.internal, 'the window is too large');
      this.#calls.reset(call, errorCode.flowControlError, failure);
    }
  }

  /** RFC 9113 §6.4; REFUSED_STREAM: §8.7. */
  #rstStream(streamId: number, code: number): void {
    if (this.#calls.isIdle(streamId)) {
      this.breach(errorCode.protocolError, 'RST_STREAM on a stream that was never opened');
      return;
    }
    const call = this.#calls.get(streamId);
    if (!this.spend(RESET_COST) || call === undefined) return;
    const isRefused = code === errorCode.refusedStream;
    this.#calls.drop(call, !isRefused, () => {
      const message = `it reset the call (HTTP/2 error ${String(code)})`;
      return new CallFailure(isRefused ? callStatus.unavailable : callStatus.internal, message);
    });
  }

  /** RFC 9113 §6.8. */
  #goaway(lastStreamId: number): void {
    if (!this.spend(IDLE_FRAME_COST)) return;
    if (lastStreamId > this.#lastStreamId) {
      this.breach(errorCode.protocolError, 'GOAWAY takes back what the one before said');
      return;
    }
    this.#lastStreamId = lastStreamId;
    // First, so that calls which were not worked on go elsewhere.
    this.#markLeaving();
    for (const call of this.#calls.all()) {
      if (call.id <= lastStreamId) continue;
      this.#calls.drop(call, false, () => new CallFailure(callStatus.unavailable, 'the connection is being closed'));
    }
    this.#endWhenIdle();
  }

  #leave(): void {
    this.#markLeaving();
    this.#endWhenIdle();
  }

  #markLeaving(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#host.leaving(this);
  }

  #endWhenIdle(): void {
    if (this.#over || this.#calls.size > 0) return;
    this.#writer.goaway(NO_STREAM, errorCode.noError, '');
    this.#writer.flush();
    this.#wire.end();
    this.#end('the connection is being closed', callStatus.unavailable);
  }

  /** For peers that do not react. */
  #cut(reason: string): void {
    if (this.#over) return;
    this.#wire.destroy();
    this.#end(reason, callStatus.unavailable);
  }

  #end(reason: string, code: number): void {
    if (this.#over) return;
    this.#over = true;
    this.#endPing();
    for (const call of this.#calls.all()) this.#calls.drop(call, true, () => new CallFailure(code, reason));
    this.#host.lost(this, reason);
  }

  /** gRPC keepalive: nothing has come for long, and a call waits. */
  #askWhetherAlive(): void {
    if (this.#stopPing !== null) return;
    this.#writer.ping(PING, 0, false);
    this.#stopPing = this.#context.startTimer(this.#context.limits.pingMs, () => {
      this.#stopPing = null;
      this.#cut('it does not answer a ping');
    });
  }

  #endPing(): void {
    this.#stopPing?.();
    this.#stopPing = null;
  }

  /** Something was written outside {@link receive}: all calls of a turn of the event loop leave in one write. */
  #wrote(): void {
    if (this.#isReading || this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    setImmediate(() => {
      this.#isFlushPlanned = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (!this.#over) this.#writer.flush();
  }
}
