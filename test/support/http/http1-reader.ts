import { type Socket } from 'node:net';
import { type Fields } from './http-message.ts';

/** One HTTP/1.1 message, taken apart no further than needed to find its end (RFC 9112). */
export interface Http1Message {
  readonly startLine: string;
  readonly headers: Fields;
  readonly body: Buffer;
  readonly trailers: Fields;
}

/** What ends a body that has neither `Content-Length` nor chunks: a request has none, an answer lasts until the end. */
export type BodyDefault = 'none' | 'until-close';

/**
 * Reads HTTP/1.1 messages from a socket, one after the other. Lines are taken as one character per byte.
 */
export class Http1Reader {
  readonly #pieces: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#pieces = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** The start line and the header fields of the next message, or null at the end of the stream. */
  async head(): Promise<Omit<Http1Message, 'body' | 'trailers'> | null> {
    const startLine = await this.#line();
    return startLine === null ? null : { startLine, headers: await this.#fields() };
  }

  /** The body and the trailers that follow a head. */
  async body(headers: Fields, otherwise: BodyDefault): Promise<Pick<Http1Message, 'body' | 'trailers'>> {
    const value = (name: string): string | undefined => headers.find(([found]) => found.toLowerCase() === name)?.[1];
    if (value('transfer-encoding') !== undefined) return this.#chunks();
    const length = value('content-length');
    if (length !== undefined) return { body: await this.#exactly(Number(length)), trailers: [] };
    return { body: otherwise === 'none' ? Buffer.alloc(0) : await this.#rest(), trailers: [] };
  }

  async #chunks(): Promise<Pick<Http1Message, 'body' | 'trailers'>> {
    const chunks: Buffer[] = [];
    for (;;) {
      const size = Number.parseInt((await this.#line()) ?? '', 16);
      if (Number.isNaN(size)) throw new Error('the stream ended, or went wrong, between two chunks');
      if (size === 0) return { body: Buffer.concat(chunks), trailers: await this.#fields() };
      chunks.push(await this.#exactly(size));
      await this.#line();
    }
  }

  async #fields(): Promise<Fields> {
    const fields: [string, string][] = [];
    for (let line = await this.#line(); line !== null && line !== ''; line = await this.#line()) {
      const colon = line.indexOf(':');
      fields.push([line.slice(0, colon), line.slice(colon + 1).trim()]);
    }
    return fields;
  }

  async #line(): Promise<string | null> {
    for (;;) {
      const end = this.#buffer.indexOf('\r\n');
      if (end >= 0) {
        const line = this.#buffer.toString('latin1', 0, end);
        this.#buffer = this.#buffer.subarray(end + 2);
        return line;
      }
      if (!(await this.#more())) {
        if (this.#buffer.length === 0) return null;
        throw new Error(`the stream ended in the middle of a line: ${this.#buffer.toString('latin1')}`);
      }
    }
  }

  async #exactly(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [this.#buffer];
    let have = this.#buffer.length;
    while (have < length) {
      const next = await this.#pieces.next();
      if (next.done === true) throw new Error(`the stream ended after ${String(have)} of ${String(length)} bytes`);
      pieces.push(next.value);
      have += next.value.length;
    }
    const all = Buffer.concat(pieces);
    this.#buffer = all.subarray(length);
    return all.subarray(0, length);
  }

  async #rest(): Promise<Buffer> {
    while (await this.#more());
    const rest = this.#buffer;
    this.#buffer = Buffer.alloc(0);
    return rest;
  }

  async #more(): Promise<boolean> {
    const next = await this.#pieces.next();
    if (next.done === true) return false;
    this.#buffer = Buffer.concat([this.#buffer, next.value]);
    return true;
  }
}
