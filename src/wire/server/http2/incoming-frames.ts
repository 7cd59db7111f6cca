import type { Calls } from './calls.ts';
import { type Conduct, headerFrames } from './conduct.ts';
import { CRUMB_BYTES, IDLE_FRAME_COST, RESET_COST } from '../../http2/flood-guard.ts';
import { errorCode, frameFlag, frameType, INITIAL_WINDOW_BYTES, setting } from '../../http2/frame.ts';
import { findFrameFault, findSettingFault, windowTooLarge } from '../../http2/frame-rules.ts';
import type { FrameSink } from '../../http2/frame-reader.ts';
import type { FrameWriter } from '../../http2/frame-writer.ts';
import { HeaderFrames } from '../../http2/header-frames.ts';
import { IncomingHeaders } from './incoming-headers.ts';
import { FIRST_WINDOW_BYTES } from './first-window.ts';
import { u16, u31, u32, u8 } from '../../http2/octets.ts';
import { MAX_HEADER_LIST_BYTES } from './request-head.ts';
import type { ServerContext } from './server-context.ts';

/** The opaque data of the ping that shows when a peer has seen our GOAWAY (RFC 9113 §6.8). */
export const DRAIN_PING = Buffer.from('draining', 'latin1');

/** The frames of a connection, each checked as RFC 9113 §6 asks and passed to whom it concerns. */
export class IncomingFrames implements FrameSink {
  readonly #headers: HeaderFrames;
  readonly #context: ServerContext;
  readonly #writer: FrameWriter;
  readonly #calls: Calls;
  readonly #conduct: Conduct;
  #introduced = false;
  #consumedBytes = 0;

  constructor(context: ServerContext, writer: FrameWriter, calls: Calls, conduct: Conduct) {
    this.#context = context;
    this.#writer = writer;
    this.#calls = calls;
    this.#conduct = conduct;
    const sink = new IncomingHeaders(context, writer, calls, conduct);
    this.#headers = new HeaderFrames(context.limits, conduct, sink);
  }

  /** Whether both sides have sent their prefaces. */
  get introduced(): boolean {
    return this.#introduced;
  }

  /** When the header block began whose end has not come, or null. */
  get unfinishedSinceMs(): number | null {
    return this.#headers.unfinishedSinceMs;
  }

  /** For the reader: one whole frame (RFC 9113 §4.1). */
  frame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): boolean {
    if (!this.#introduced) {
      if (type !== frameType.settings || (flags & frameFlag.ack) !== 0) {
        return this.#conduct.breach(errorCode.protocolError, 'the first frame is not SETTINGS');
      }
      this.#introduce();
    }
    if (this.#headers.unfinishedSinceMs !== null && type !== frameType.continuation) {
      return this.#conduct.breach(errorCode.protocolError, 'a header block is interrupted');
    }
    switch (type) {
      case frameType.data:
        this.#data(flags, streamId, bytes, start, end);
        break;
      case frameType.headers:
        if (streamId % 2 === 0) {
          this.#conduct.breach(errorCode.protocolError, 'HEADERS on a stream that a client cannot open');
        } else this.#headers.headers(flags, streamId, bytes, start, end);
        return this.#conduct.frameDone(headerFrames(end - start));
      case frameType.continuation:
        this.#headers.continuation(flags, streamId, bytes, start, end);
        return this.#conduct.frameDone(headerFrames(end - start));
      default: {
        const fault = findFrameFault(type, flags, streamId, end - start);
        if (fault !== null) this.#conduct.breach(fault.code, fault.reason);
        else this.#control(type, flags, streamId, bytes, start, end);
      }
    }
    return this.#conduct.frameDone(1);
  }

  /** Frames that carry nothing of a message. */
  #control(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    switch (type) {
      case frameType.windowUpdate:
        this.#windowUpdate(streamId, u31(bytes, start));
        break;
      case frameType.rstStream:
        this.#rstStream(streamId);
        break;
      case frameType.settings:
        this.#settings(flags, bytes, start, end);
        break;
      case frameType.ping:
        this.#ping(flags, bytes, start, end);
        break;
      case frameType.priority: // RFC 9113 §6.3: checked and not followed; RFC 9113 §5.3.1 leaves that to us
        if (u31(bytes, start) === streamId) {
          this.#conduct.breach(errorCode.protocolError, 'a stream depends on itself');
        } else this.#conduct.spend(IDLE_FRAME_COST);
        break;
      case frameType.pushPromise:
        this.#conduct.breach(errorCode.protocolError, 'a client pushes');
        break;
      default: // GOAWAY, which asks nothing of us; RFC 9113 §5.5: unknown types are ignored
        this.#conduct.spend(IDLE_FRAME_COST);
    }
  }

  /** Our preface (RFC 9113 §3.4): not before the client's, so that what speaks no HTTP/2 is sent none. */
  #introduce(): void {
    this.#introduced = true;
    const { limits } = this.#context;
    this.#writer.settings([
      [setting.maxConcurrentStreams, limits.maxConcurrentStreams],
      [setting.initialWindowSize, FIRST_WINDOW_BYTES],
      [setting.maxHeaderListSize, MAX_HEADER_LIST_BYTES],
    ]);
    this.#writer.windowUpdate(0, limits.connectionWindowBytes - INITIAL_WINDOW_BYTES);
  }

  /** RFC 9113 §6.1. */
  #data(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    if (streamId === 0) {
      this.#conduct.breach(errorCode.protocolError, 'DATA on the connection');
      return;
    }
    const payloadBytes = end - start;
    this.#consume(payloadBytes);
    const endStream = (flags & frameFlag.endStream) !== 0;
    const isSmall = payloadBytes < CRUMB_BYTES;
    if (isSmall && !endStream && !this.#conduct.spend(IDLE_FRAME_COST)) return;
    const stream = this.#calls.table.get(streamId);
    if (stream === undefined || stream.ended) {
      this.#unexpectedData(streamId, isSmall && endStream);
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
        this.#conduct.breach(errorCode.protocolError, 'DATA is all padding and more');
        return;
      }
      // Padding takes room in the window that the message needs.
      stream.receiveWindowBytes += padding + 1;
      if (!endStream) this.#writer.windowUpdate(streamId, padding + 1);
    }
    this.#calls.data(stream, bytes, from, to, endStream);
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

  /** DATA for a stream that is not open to it (RFC 9113 §5.1). */
  #unexpectedData(streamId: number, isUnpaid: boolean): void {
    if (this.#isIdle(streamId)) {
      this.#conduct.breach(errorCode.protocolError, 'DATA on a stream that was never opened');
      return;
    }
    const stream = this.#calls.table.get(streamId);
    if (stream !== undefined) this.#calls.reset(stream, errorCode.streamClosed);
    else if (this.#calls.table.fate(streamId) === 'reset') {
      if (isUnpaid) this.#conduct.spend(IDLE_FRAME_COST);
    } else if (this.#conduct.spend(RESET_COST)) this.#writer.rstStream(streamId, errorCode.streamClosed);
  }

  /** RFC 9113 §6.9. */
  #windowUpdate(streamId: number, incrementBytes: number): void {
    if (!this.#conduct.spend(IDLE_FRAME_COST)) return;
    if (streamId === 0) {
      if (incrementBytes === 0) this.#conduct.breach(errorCode.protocolError, 'WINDOW_UPDATE of 0');
      else if (!this.#calls.sender.widen(incrementBytes)) {
        this.#conduct.breach(errorCode.flowControlError, 'the connection window is too large');
      }
      return;
    }
    const stream = this.#calls.table.get(streamId);
    if (stream === undefined) {
      if (this.#isIdle(streamId))
        this.#conduct.breach(errorCode.protocolError, 'WINDOW_UPDATE on a stream that was never opened');
    } else if (incrementBytes === 0) this.#calls.reset(stream, errorCode.protocolError);
    else if (!this.#calls.sender.widenStream(stream, incrementBytes)) {
      this.#calls.reset(stream, errorCode.flowControlError);
    }
  }

  /** RFC 9113 §6.4. */
  #rstStream(streamId: number): void {
    if (this.#isIdle(streamId)) {
      this.#conduct.breach(errorCode.protocolError, 'RST_STREAM on a stream that was never opened');
    } else if (this.#conduct.spend(RESET_COST)) {
      const stream = this.#calls.table.get(streamId);
      if (stream !== undefined) this.#calls.drop(stream, false);
    }
  }

  /**
   * RFC 9113 §6.5. Of what a peer may set, only its window concerns us: we keep no table, push nothing, and stay below
   * every frame size.
   */
  #settings(flags: number, bytes: Buffer, start: number, end: number): void {
    if (!this.#conduct.spend(IDLE_FRAME_COST + (end - start) / 6) || (flags & frameFlag.ack) !== 0) return;
    for (let at = start; at < end && !this.#conduct.over; at += 6) this.#setting(u16(bytes, at), u32(bytes, at + 2));
    if (this.#conduct.over) return;
    this.#writer.settingsAck(); // before anything that the new values allow (RFC 9113 §6.5.3)
    this.#calls.sender.settingsChanged();
  }

  #setting(identifier: number, value: number): void {
    const fault = findSettingFault(identifier, value);
    if (fault !== null) this.#conduct.breach(fault.code, fault.reason);
    else if (
      identifier === setting.initialWindowSize &&
      !this.#calls.sender.changeInitialWindow(value, this.#calls.table.all())
    ) {
      this.#conduct.breach(windowTooLarge.code, windowTooLarge.reason);
    }
  }

  /** RFC 9113 §6.7. */
  #ping(flags: number, bytes: Buffer, start: number, end: number): void {
    if (!this.#conduct.spend(IDLE_FRAME_COST)) return;
    if ((flags & frameFlag.ack) === 0) this.#writer.ping(bytes, start, true);
    else if (DRAIN_PING.equals(bytes.subarray(start, end))) this.#conduct.sawDrain();
  }

  /** RFC 9113 §5.1.1: clients' identifiers are odd and rise; what is above the last was not used. */
  #isIdle(streamId: number): boolean {
    return streamId % 2 === 0 || streamId > this.#calls.table.lastId;
  }
}
