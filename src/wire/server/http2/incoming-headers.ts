import type { Calls } from './calls.ts';
import type { Conduct } from './conduct.ts';
import { IDLE_FRAME_COST } from '../../http2/flood-guard.ts';
import { type ErrorCode, errorCode } from '../../http2/frame.ts';
import type { FrameWriter } from '../../http2/frame-writer.ts';
import { HEADER_TABLE_BYTES, type HeaderBlockSink } from '../../http2/header-frames.ts';
import { HpackDecoder } from '../../http2/hpack/decoder.ts';
import { RequestHead } from './request-head.ts';
import type { ServerContext } from './server-context.ts';
import type { Stream } from './stream.ts';

/** The header blocks of a connection: they become the heads of calls, or trailers. */
export class IncomingHeaders implements HeaderBlockSink {
  readonly #context: ServerContext;
  readonly #writer: FrameWriter;
  readonly #calls: Calls;
  readonly #conduct: Conduct;
  readonly #hpack: HpackDecoder;
  readonly #head = new RequestHead();

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

  /** A request's head, or its trailers. Decoded in any case: the table depends on it. */
  headerBlock(streamId: number, endStream: boolean, bytes: Buffer, start: number, end: number): void {
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
