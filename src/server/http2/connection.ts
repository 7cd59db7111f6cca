import { Calls, type CallsHost } from './calls.ts';
import { FloodGuard } from './flood-guard.ts';
import {
  type ConnectionProblem,
  type ErrorCode,
  errorCode,
  frameFlag,
  frameType,
  INITIAL_WINDOW_BYTES,
  MAX_FRAME_BYTES,
  MAX_STREAM_ID,
  MAX_WINDOW_BYTES,
  setting,
} from './frame.ts';
import { FrameReader, type FrameSink } from './frame-reader.ts';
import { FrameWriter } from './frame-writer.ts';
import { HeaderBlock } from './header-block.ts';
import { HpackDecoder } from './hpack/decoder.ts';
import { u16, u31, u32, u8 } from './octets.ts';
import { classifyRequestField } from './request-field.ts';
import { MAX_HEADER_LIST_BYTES, RequestHead } from './request-head.ts';
import type { ServerContext } from './server-context.ts';
import type { Stream } from './stream.ts';
import type { Wire } from './wire.ts';

/** SETTINGS_HEADER_TABLE_SIZE, which we leave as it is (RFC 9113 §6.5.2). */
const HEADER_TABLE_BYTES = 4096;
/** What a peer pays for frames that bring no call, and what an answered call earns it. */
const IDLE_FRAME_COST = 1;
const RESET_COST = 5;
const ANSWER_EARNS = 4;
/** DATA frames below this are no data. */
const SMALL_DATA_BYTES = 256;
/** The opaque data of the ping that tells when a peer has seen our GOAWAY (RFC 9113 §6.8). */
const DRAIN_PING = Buffer.from('draining', 'latin1');

/**
 * The server's side of one HTTP/2 connection (RFC 9113) that carries gRPC calls: bytes in through {@link receive},
 * bytes out through a {@link Wire}. It keeps what the protocol asks of a server, closes on every breach, and works
 * in proportion to what it is sent.
 */
export class Connection implements FrameSink, CallsHost {
  /** The time of the last input or event. */
  nowMs: number;
  readonly #context: ServerContext;
  readonly #wire: Wire;
  readonly #peer: string;
  readonly #reader = new FrameReader();
  readonly #writer: FrameWriter;
  readonly #hpack: HpackDecoder;
  readonly #head = new RequestHead();
  readonly #calls: Calls;
  readonly #flood: FloodGuard;
  readonly #openedAtMs: number;
  #introduced = false;
  #block: HeaderBlock | null = null;
  #consumedBytes = 0;
  #reading = false;
  #flushPlanned = false;
  #paused = false;
  #pausedAtMs = 0;
  #drain: 'no' | 'announced' | 'final' = 'no';
  #over = false;

  /** @param peer its address, for people. */
  constructor(context: ServerContext, wire: Wire, peer: string) {
    this.#context = context;
    this.#wire = wire;
    this.#peer = peer;
    this.nowMs = context.clock.nowMs();
    this.#openedAtMs = this.nowMs;
    this.#writer = new FrameWriter(wire);
    this.#hpack = new HpackDecoder({
      staticTable: context.staticTable,
      classify: classifyRequestField,
      tableLimitBytes: HEADER_TABLE_BYTES,
    });
    this.#calls = new Calls(context, this.#writer, this);
    this.#flood = new FloodGuard(context.limits.idleFrames, context.limits.idleFramesPerSecond, this.nowMs);
  }

  /** Calls whose answers are not complete. */
  get openCalls(): number {
    return this.#calls.table.size;
  }

  get writable(): boolean {
    return !this.#paused && this.#writer.bufferedBytes <= this.#context.limits.pauseAboveBytes;
  }

  /** Bytes have come. `chunk` is the connection's own: methods may keep views of it. */
  receive(chunk: Buffer): void {
    if (this.#over) return;
    this.nowMs = this.#context.clock.nowMs();
    this.#reading = true;
    const problem = this.#reader.push(chunk, this);
    if (problem !== null) this.#break(problem.code, problem.reason);
    this.#calls.settle();
    this.#reading = false;
    this.#flush();
  }

  /** Everything given to the wire has left. */
  drained(): void {
    if (this.#over || !this.#paused) return;
    this.nowMs = this.#context.clock.nowMs();
    this.#paused = false;
    this.#wire.resume();
    this.#calls.sender.pump();
    this.#flush();
  }

  /** The wire is gone. */
  lost(): void {
    if (this.#over) return;
    this.#over = true;
    this.#calls.dropAll();
  }

  /**
   * Ends the connection without losing a call (RFC 9113 §6.8): first a GOAWAY that refuses nothing, and once the peer
   * has seen it, or {@link finishDrain} is called, the one that counts; then the running calls; then the end.
   */
  drain(): void {
    if (this.#over || this.#drain !== 'no') return;
    if (!this.#introduced) {
      this.#end();
      return;
    }
    this.#drain = 'announced';
    this.#writer.goaway(MAX_STREAM_ID, errorCode.noError, 'draining');
    this.#writer.ping(DRAIN_PING, 0, false);
    this.#calls.stop();
    this.#flush();
  }

  /** Does not wait longer for the peer to have seen {@link drain}'s first GOAWAY. */
  finishDrain(): void {
    if (this.#over || this.#drain !== 'announced') return;
    this.#drain = 'final';
    this.#writer.goaway(this.#calls.table.lastId, errorCode.noError, 'draining');
    this.#flush();
    this.#endWhenIdle();
  }

  /** Cuts what makes no progress. To be called every few seconds. */
  sweep(): void {
    if (this.#over) return;
    this.nowMs = this.#context.clock.nowMs();
    const { receiveStallMs, sendStallMs } = this.#context.limits;
    const sinceMs = this.#block?.startedAtMs ?? (this.#introduced ? this.nowMs : this.#openedAtMs);
    if (this.nowMs - sinceMs > receiveStallMs) {
      this.#cut('the peer began something and did not go on');
    } else if (this.#paused && this.nowMs - this.#pausedAtMs > sendStallMs) {
      this.#cut('the peer does not read what it is sent');
    } else {
      this.#calls.sweep(this.nowMs);
      this.#flush();
    }
  }

  /** For the calls: something was written outside {@link receive}; what comes in the same turn goes with it. */
  wrote(): void {
    if (this.#reading || this.#flushPlanned || this.#over) return;
    this.#flushPlanned = true;
    queueMicrotask(() => {
      this.#flushPlanned = false;
      this.#flush();
    });
  }

  /** For the calls. */
  answered(): void {
    this.#flood.earn(ANSWER_EARNS);
  }

  /** For the reader: one whole frame (RFC 9113 §4.1). */
  frame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): boolean {
    if (!this.#introduced) {
      if (type !== frameType.settings || (flags & frameFlag.ack) !== 0) {
        return this.#break(errorCode.protocolError, 'the first frame is not SETTINGS');
      }
      this.#introduce();
    }
    if (this.#block !== null && type !== frameType.continuation) {
      return this.#break(errorCode.protocolError, 'a header block is interrupted');
    }
    switch (type) {
      case frameType.data:
        this.#data(flags, streamId, bytes, start, end);
        break;
      case frameType.headers:
        this.#headers(flags, streamId, bytes, start, end);
        break;
      case frameType.continuation:
        this.#continuation(flags, streamId, bytes, start, end);
        break;
      case frameType.windowUpdate:
        this.#windowUpdate(streamId, bytes, start, end);
        break;
      case frameType.rstStream:
        this.#rstStream(streamId, end - start);
        break;
      case frameType.settings:
        this.#settings(flags, streamId, bytes, start, end);
        break;
      case frameType.ping:
        this.#ping(flags, streamId, bytes, start, end);
        break;
      case frameType.priority:
        this.#priority(streamId, bytes, start, end);
        break;
      case frameType.goaway:
        if (streamId !== 0) this.#break(errorCode.protocolError, 'GOAWAY on a stream');
        else if (end - start < 8) this.#break(errorCode.frameSizeError, 'GOAWAY is too short');
        break;
      case frameType.pushPromise:
        this.#break(errorCode.protocolError, 'a client pushes');
        break;
      default: // RFC 9113 §5.5: unknown types are ignored
        this.#spend(IDLE_FRAME_COST);
    }
    return !this.#over;
  }

  /** Our preface (RFC 9113 §3.4): not before the client's, so that what speaks no HTTP/2 is sent none. */
  #introduce(): void {
    this.#introduced = true;
    const { limits } = this.#context;
    this.#writer.settings(limits.maxConcurrentStreams, MAX_HEADER_LIST_BYTES);
    this.#writer.windowUpdate(0, limits.connectionWindowBytes - INITIAL_WINDOW_BYTES);
  }

  /** RFC 9113 §6.1. */
  #data(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    if (streamId === 0) {
      this.#break(errorCode.protocolError, 'DATA on the connection');
      return;
    }
    const payloadBytes = end - start;
    this.#consume(payloadBytes);
    const endStream = (flags & frameFlag.endStream) !== 0;
    if (payloadBytes < SMALL_DATA_BYTES && !endStream && !this.#spend(IDLE_FRAME_COST)) return;
    const stream = this.#calls.table.get(streamId);
    if (stream === undefined || stream.ended) {
      this.#unexpectedData(streamId);
      return;
    }
    stream.receiveWindowBytes -= payloadBytes;
    if (stream.receiveWindowBytes < 0) {
      this.#calls.reset(stream, errorCode.flowControlError);
      return;
    }
    let from = start;
    let to = end;
    if ((flags & frameFlag.padded) !== 0) {
      const padding = u8(bytes, start);
      from = start + 1;
      to = end - padding;
      if (to < from) {
        this.#break(errorCode.protocolError, 'DATA is all padding and more');
        return;
      }
      // Padding takes room in the window that the message needs.
      stream.receiveWindowBytes += padding + 1;
      if (!endStream) this.#writer.windowUpdate(streamId, padding + 1);
    }
    this.#calls.data(stream, bytes, from, to, endStream);
  }

  /**
   * The connection's receive window (RFC 9113 §6.9.1). What was taken is given back in large pieces, before the peer can
   * have used the rest: it never closes, and no peer can send more than it.
   */
  #consume(payloadBytes: number): void {
    this.#consumedBytes += payloadBytes;
    if (this.#consumedBytes <= this.#context.limits.connectionWindowBytes / 2) return;
    this.#writer.windowUpdate(0, this.#consumedBytes);
    this.#consumedBytes = 0;
  }

  /** DATA for a stream that is not open to it (RFC 9113 §5.1). */
  #unexpectedData(streamId: number): void {
    if (this.#isIdle(streamId)) {
      this.#break(errorCode.protocolError, 'DATA on a stream that was never opened');
      return;
    }
    const stream = this.#calls.table.get(streamId);
    if (stream !== undefined) this.#calls.reset(stream, errorCode.streamClosed);
    else if (this.#calls.table.fate(streamId) !== 'reset' && this.#spend(RESET_COST)) {
      this.#writer.rstStream(streamId, errorCode.streamClosed);
    }
  }

  /** RFC 9113 §6.2. */
  #headers(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    if (streamId === 0 || streamId % 2 === 0) {
      this.#break(errorCode.protocolError, 'HEADERS on a stream that a client cannot open');
      return;
    }
    let from = start;
    let to = end;
    if ((flags & frameFlag.padded) !== 0) {
      from += 1;
      to -= u8(bytes, start);
    }
    if ((flags & frameFlag.priority) !== 0) {
      if (u31(bytes, from) === streamId) {
        this.#break(errorCode.protocolError, 'a stream depends on itself');
        return;
      }
      from += 5;
    }
    if (to < from || from > end) {
      this.#break(errorCode.protocolError, 'HEADERS is all padding and more');
      return;
    }
    const endStream = (flags & frameFlag.endStream) !== 0;
    if ((flags & frameFlag.endHeaders) !== 0) {
      this.#fields(streamId, endStream, bytes, from, to);
      return;
    }
    this.#block = new HeaderBlock(streamId, endStream, this.nowMs, this.#context.limits);
    this.#fragment(this.#block, bytes, from, to);
  }

  /** RFC 9113 §6.10. */
  #continuation(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const block = this.#block;
    if (block === null || block.streamId !== streamId) {
      this.#break(errorCode.protocolError, 'CONTINUATION continues nothing');
      return;
    }
    if (!this.#fragment(block, bytes, start, end) || (flags & frameFlag.endHeaders) === 0) return;
    this.#block = null;
    const whole = block.whole();
    this.#fields(streamId, block.endStream, whole, 0, whole.length);
  }

  #fragment(block: HeaderBlock, bytes: Buffer, start: number, end: number): boolean {
    return block.add(bytes, start, end) || this.#break(errorCode.enhanceYourCalm, 'a header block is too large');
  }

  /** A whole header block: a request's head, or its trailers. Decoded in any case: the table depends on it. */
  #fields(streamId: number, endStream: boolean, bytes: Buffer, start: number, end: number): void {
    const { table } = this.#calls;
    const open = table.get(streamId);
    const late = open === undefined && streamId <= table.lastId;
    const fate = late ? table.fate(streamId) : 'unused';
    if (late && fate !== 'reset') {
      if (fate === 'closed') this.#break(errorCode.streamClosed, 'HEADERS on a closed stream');
      else this.#break(errorCode.protocolError, 'a stream identifier is lower than the one before');
      return;
    }
    this.#head.reset();
    const problem = this.#hpack.decode(bytes, start, end, this.#head);
    if (problem !== null) this.#break(errorCode.compressionError, problem);
    else if (open !== undefined) this.#trailers(open, endStream);
    else if (late) this.#spend(IDLE_FRAME_COST);
    else this.#request(streamId, endStream);
  }

  #request(streamId: number, endStream: boolean): void {
    const { table } = this.#calls;
    table.use(streamId);
    this.#head.finish();
    if (this.#drain === 'final' || table.load >= this.#context.limits.maxConcurrentStreams) {
      this.#refuse(streamId, errorCode.refusedStream);
    } else if (this.#head.problem !== null) {
      this.#refuse(streamId, errorCode.protocolError);
    } else this.#calls.open(streamId, this.#head, endStream);
  }

  /** A request that does not become a stream. */
  #refuse(streamId: number, code: ErrorCode): void {
    this.#calls.table.remember(streamId, true);
    if (this.#spend(IDLE_FRAME_COST)) this.#writer.rstStream(streamId, code);
  }

  #trailers(stream: Stream, endStream: boolean): void {
    this.#head.finishTrailers();
    if (stream.ended) this.#calls.reset(stream, errorCode.streamClosed);
    else if (!endStream || this.#head.problem !== null) this.#calls.reset(stream, errorCode.protocolError);
    else this.#calls.end(stream);
  }

  /** RFC 9113 §6.9. */
  #windowUpdate(streamId: number, bytes: Buffer, start: number, end: number): void {
    if (end - start !== 4) {
      this.#break(errorCode.frameSizeError, 'WINDOW_UPDATE has not four octets');
      return;
    }
    if (!this.#spend(IDLE_FRAME_COST)) return;
    const incrementBytes = u31(bytes, start);
    if (streamId === 0) {
      if (incrementBytes === 0) this.#break(errorCode.protocolError, 'WINDOW_UPDATE of 0');
      else if (!this.#calls.sender.widen(incrementBytes)) {
        this.#break(errorCode.flowControlError, 'the connection window is too large');
      }
      return;
    }
    const stream = this.#calls.table.get(streamId);
    if (stream === undefined) {
      if (this.#isIdle(streamId))
        this.#break(errorCode.protocolError, 'WINDOW_UPDATE on a stream that was never opened');
    } else if (incrementBytes === 0) this.#calls.reset(stream, errorCode.protocolError);
    else if (!this.#calls.sender.widenStream(stream, incrementBytes)) {
      this.#calls.reset(stream, errorCode.flowControlError);
    }
  }

  /** RFC 9113 §6.4. */
  #rstStream(streamId: number, payloadBytes: number): void {
    if (payloadBytes !== 4) {
      this.#break(errorCode.frameSizeError, 'RST_STREAM has not four octets');
    } else if (this.#isIdle(streamId)) {
      this.#break(errorCode.protocolError, 'RST_STREAM on a stream that was never opened');
    } else if (this.#spend(RESET_COST)) {
      const stream = this.#calls.table.get(streamId);
      if (stream !== undefined) this.#calls.drop(stream, false);
    }
  }

  /** RFC 9113 §6.5. Of what a peer may set, only its window concerns us: we keep no table, push nothing, and stay below every frame size. */
  #settings(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const length = end - start;
    const ack = (flags & frameFlag.ack) !== 0;
    if (streamId !== 0) this.#break(errorCode.protocolError, 'SETTINGS on a stream');
    else if (length % 6 !== 0 || (ack && length > 0)) {
      this.#break(errorCode.frameSizeError, 'SETTINGS has a wrong length');
    } else if (this.#spend(IDLE_FRAME_COST + length / 6) && !ack) {
      for (let at = start; at < end && !this.#over; at += 6) this.#setting(u16(bytes, at), u32(bytes, at + 2));
      if (this.#over) return;
      this.#writer.settingsAck(); // before anything that the new values allow (RFC 9113 §6.5.3)
      this.#calls.sender.pump();
    }
  }

  #setting(identifier: number, value: number): void {
    if (identifier === setting.initialWindowSize) {
      if (value > MAX_WINDOW_BYTES || !this.#calls.sender.changeInitialWindow(value, this.#calls.table.all())) {
        this.#break(errorCode.flowControlError, 'SETTINGS_INITIAL_WINDOW_SIZE is too large');
      }
    } else if (identifier === setting.enablePush && value > 1) {
      this.#break(errorCode.protocolError, 'SETTINGS_ENABLE_PUSH is neither 0 nor 1');
    } else if (identifier === setting.maxFrameSize && (value < MAX_FRAME_BYTES || value > 0xffffff)) {
      this.#break(errorCode.protocolError, 'SETTINGS_MAX_FRAME_SIZE is out of its range');
    }
  }

  /** RFC 9113 §6.7. */
  #ping(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    if (streamId !== 0) this.#break(errorCode.protocolError, 'PING on a stream');
    else if (end - start !== 8) this.#break(errorCode.frameSizeError, 'PING has not eight octets');
    else if (!this.#spend(IDLE_FRAME_COST)) return;
    else if ((flags & frameFlag.ack) === 0) this.#writer.ping(bytes, start, true);
    else if (DRAIN_PING.equals(bytes.subarray(start, end))) this.finishDrain();
  }

  /** RFC 9113 §6.3: checked and not followed; RFC 9113 §5.3.1 leaves that to us. */
  #priority(streamId: number, bytes: Buffer, start: number, end: number): void {
    if (streamId === 0) this.#break(errorCode.protocolError, 'PRIORITY on the connection');
    else if (end - start !== 5) this.#break(errorCode.frameSizeError, 'PRIORITY has not five octets');
    else if (u31(bytes, start) === streamId) this.#break(errorCode.protocolError, 'a stream depends on itself');
    else this.#spend(IDLE_FRAME_COST);
  }

  /** RFC 9113 §5.1.1: clients' identifiers are odd and rise; what is above the last was not used. */
  #isIdle(streamId: number): boolean {
    return streamId % 2 === 0 || streamId > this.#calls.table.lastId;
  }

  #spend(tokens: number): boolean {
    return (
      this.#flood.spend(tokens, this.nowMs) ||
      this.#break(errorCode.enhanceYourCalm, 'too many frames that bring no call')
    );
  }

  /** A connection error (RFC 9113 §5.4.1). @returns false: go no further. */
  #break(code: ConnectionProblem['code'], reason: string): false {
    if (this.#over) return false;
    if (this.#introduced) this.#writer.goaway(this.#calls.table.lastId, code, reason);
    this.#context.observer.connectionRefused(reason, this.#peer);
    this.#end();
    return false;
  }

  /** For peers that do not react. */
  #cut(reason: string): void {
    this.#context.observer.connectionRefused(reason, this.#peer);
    this.#over = true;
    this.#wire.destroy();
    this.#calls.dropAll();
  }

  #end(): void {
    this.#over = true;
    this.#writer.flush();
    this.#wire.end();
    this.#calls.dropAll();
  }

  #endWhenIdle(): void {
    if (!this.#over && this.#drain === 'final' && this.#calls.table.size === 0) this.#end();
  }

  /** Sends what was written, and stops reading from a peer that does not read. */
  #flush(): void {
    while (!this.#over && this.#writer.bufferedBytes > 0) {
      this.#writer.flush();
      if (!this.#paused && this.#wire.unsentBytes > this.#context.limits.pauseAboveBytes) {
        this.#paused = true;
        this.#pausedAtMs = this.nowMs;
        this.#wire.pause();
      }
      if (!this.#paused) this.#calls.sender.pump();
    }
    this.#endWhenIdle();
  }
}
