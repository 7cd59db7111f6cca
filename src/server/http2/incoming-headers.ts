import type { Calls } from './calls.ts';
import { type Conduct, IDLE_FRAME_COST } from './conduct.ts';
import { type ErrorCode, errorCode, frameFlag } from './frame.ts';
import type { FrameWriter } from './frame-writer.ts';
import { HpackDecoder } from './hpack/decoder.ts';
import { u31, u8 } from './octets.ts';
import { RequestHead } from './request-head.ts';
import type { ServerContext } from './server-context.ts';
import type { Stream } from './stream.ts';
import type { Http2Limits } from './limits.ts';

/** A header block whose frames are still coming (RFC 9113 §4.3): nothing else may come in between. */
export class HeaderBlock {
  readonly streamId: number;
  readonly endStream: boolean;
  readonly startedAtMs: number;
  readonly #limits: Http2Limits;
  readonly #parts: Buffer[] = [];
  #bytes = 0;

  constructor(streamId: number, endStream: boolean, nowMs: number, limits: Http2Limits) {
    this.streamId = streamId;
    this.endStream = endStream;
    this.startedAtMs = nowMs;
    this.#limits = limits;
  }

  /** Takes a fragment (copied: it is small, what it lies in may not be). @returns false when the block breaks a limit. */
  add(bytes: Buffer, start: number, end: number): boolean {
    this.#parts.push(Buffer.from(bytes.subarray(start, end)));
    this.#bytes += end - start;
    return this.#bytes <= this.#limits.maxHeaderBlockBytes && this.#parts.length <= this.#limits.maxHeaderBlockFrames;
  }

  whole(): Buffer {
    return Buffer.concat(this.#parts, this.#bytes);
  }
}

/** SETTINGS_HEADER_TABLE_SIZE, which we leave as it is (RFC 9113 §6.5.2). */
export const HEADER_TABLE_BYTES = 4096;

/** HEADERS and CONTINUATION of a connection: they become the heads of calls, or trailers. */
export class IncomingHeaders {
  readonly #context: ServerContext;
  readonly #writer: FrameWriter;
  readonly #calls: Calls;
  readonly #conduct: Conduct;
  readonly #hpack: HpackDecoder;
  readonly #head = new RequestHead();
  #block: HeaderBlock | null = null;

  constructor(context: ServerContext, writer: FrameWriter, calls: Calls, conduct: Conduct) {
    this.#context = context;
    this.#writer = writer;
    this.#calls = calls;
    this.#conduct = conduct;
    this.#hpack = new HpackDecoder({
      staticTable: context.staticTable,
      classify: context.classify,
      tableLimitBytes: HEADER_TABLE_BYTES,
    });
  }

  /** When the header block began whose end has not come, or null. */
  get unfinishedSinceMs(): number | null {
    return this.#block?.startedAtMs ?? null;
  }

  /** RFC 9113 §6.2. */
  headers(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    if (streamId === 0 || streamId % 2 === 0) {
      this.#conduct.breach(errorCode.protocolError, 'HEADERS on a stream that a client cannot open');
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
        this.#conduct.breach(errorCode.protocolError, 'a stream depends on itself');
        return;
      }
      from += 5;
    }
    if (to < from || from > end) {
      this.#conduct.breach(errorCode.protocolError, 'HEADERS is all padding and more');
      return;
    }
    const endStream = (flags & frameFlag.endStream) !== 0;
    if ((flags & frameFlag.endHeaders) !== 0) {
      this.#fields(streamId, endStream, bytes, from, to);
      return;
    }
    this.#block = new HeaderBlock(streamId, endStream, this.#conduct.nowMs, this.#context.limits);
    this.#fragment(this.#block, bytes, from, to);
  }

  /** RFC 9113 §6.10. */
  continuation(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const block = this.#block;
    if (block === null || block.streamId !== streamId) {
      this.#conduct.breach(errorCode.protocolError, 'CONTINUATION continues nothing');
      return;
    }
    if (!this.#fragment(block, bytes, start, end) || (flags & frameFlag.endHeaders) === 0) return;
    this.#block = null;
    const whole = block.whole();
    this.#fields(streamId, block.endStream, whole, 0, whole.length);
  }

  #fragment(block: HeaderBlock, bytes: Buffer, start: number, end: number): boolean {
    return (
      block.add(bytes, start, end) || this.#conduct.breach(errorCode.enhanceYourCalm, 'a header block is too large')
    );
  }

  /** A whole header block: a request's head, or its trailers. Decoded in any case: the table depends on it. */
  #fields(streamId: number, endStream: boolean, bytes: Buffer, start: number, end: number): void {
    const { table } = this.#calls;
    const open = table.get(streamId);
    const late = open === undefined && streamId <= table.lastId;
    const fate = late ? table.fate(streamId) : 'unused';
    if (late && fate !== 'reset') {
      if (fate === 'closed') this.#conduct.breach(errorCode.streamClosed, 'HEADERS on a closed stream');
      else this.#conduct.breach(errorCode.protocolError, 'a stream identifier is lower than the one before');
      return;
    }
    this.#head.reset();
    const problem = this.#hpack.decode(bytes, start, end, this.#head);
    if (problem !== null) this.#conduct.breach(errorCode.compressionError, problem);
    else if (open !== undefined) this.#trailers(open, endStream);
    else if (late) this.#conduct.spend(IDLE_FRAME_COST);
    else this.#request(streamId, endStream);
  }

  #request(streamId: number, endStream: boolean): void {
    const { table } = this.#calls;
    table.use(streamId);
    this.#head.finish();
    if (this.#conduct.closing || table.load >= this.#context.limits.maxConcurrentStreams) {
      this.#refuse(streamId, errorCode.refusedStream);
    } else if (this.#head.problem !== null) {
      this.#refuse(streamId, errorCode.protocolError);
    } else if (!this.#context.openCalls.admits()) {
      // Others hold what there is: this peer is not charged, and may try elsewhere (RFC 9113 §8.7).
      table.remember(streamId, true);
      this.#writer.rstStream(streamId, errorCode.refusedStream);
    } else this.#calls.open(streamId, this.#head, endStream);
  }

  /** A request that does not become a stream. */
  #refuse(streamId: number, code: ErrorCode): void {
    this.#calls.table.remember(streamId, true);
    if (this.#conduct.spend(IDLE_FRAME_COST)) this.#writer.rstStream(streamId, code);
  }

  #trailers(stream: Stream, endStream: boolean): void {
    this.#head.finishTrailers();
    if (stream.ended) this.#calls.reset(stream, errorCode.streamClosed);
    else if (!endStream || this.#head.problem !== null) this.#calls.reset(stream, errorCode.protocolError);
    else this.#calls.end(stream);
  }
}
