import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Fields, type HttpAnswer } from './http-message.ts';
import { Http1Reader } from './http1-reader.ts';

/** An HTTP/1.1 request as bytes on the wire; nothing is added but what is named here. */
export interface Http1Request {
  readonly method?: string;
  /** The target, one character per byte. */
  readonly target?: string;
  /** `Host`; null leaves it out. */
  readonly host?: string | null;
  readonly headers?: Fields;
  /** A body with `Content-Length`. */
  readonly body?: string | Buffer;
  /** A body in exactly these chunks, instead of `body`. */
  readonly chunks?: readonly (string | Buffer)[];
  /** After the last chunk. */
  readonly trailers?: Fields;
}

/** The bytes of a request: strings are taken as one byte per character. */
export function encodeHttp1(request: Http1Request): Buffer {
  const { method = 'GET', target = '/', host = 'api.example.com', headers = [], body, chunks, trailers } = request;
  const lines = [`${method} ${target} HTTP/1.1`];
  if (host !== null) lines.push(`Host: ${host}`);
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  if (chunks !== undefined) lines.push('Transfer-Encoding: chunked');
  else if (body !== undefined) lines.push(`Content-Length: ${String(bytes(body).length)}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (chunks !== undefined) return Buffer.concat([head, encodeChunks(chunks, trailers ?? [])]);
  return body === undefined ? head : Buffer.concat([head, bytes(body)]);
}

function encodeChunks(chunks: readonly (string | Buffer)[], trailers: Fields): Buffer {
  const pieces = chunks.flatMap((chunk) => [
    Buffer.from(`${bytes(chunk).length.toString(16)}\r\n`),
    bytes(chunk),
    Buffer.from('\r\n'),
  ]);
  const end = ['0', ...trailers.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');
  return Buffer.concat([...pieces, Buffer.from(end, 'latin1')]);
}

function bytes(text: string | Buffer): Buffer {
  return typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
}

/** A connection on which one request after the other can be made, in any number of writes. */
export class Http1Connection implements AsyncDisposable {
  readonly #socket: Socket;
  readonly #reader: Http1Reader;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#reader = new Http1Reader(socket);
    // A refused body is answered while it is still being sent, and the rest of it meets a closed connection.
    socket.on('error', () => undefined);
  }

  static async open(port: number): Promise<Http1Connection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Http1Connection(socket);
  }

  write(data: string | Buffer): void {
    this.#socket.write(bytes(data));
  }

  /** Waits for an interim answer, and gives its status. */
  async interim(): Promise<number> {
    const head = await this.#head();
    return head.status;
  }

  /** Waits for the answer to a request with this method, past the interim ones. */
  async answer(method = 'GET'): Promise<HttpAnswer> {
    const interim: number[] = [];
    for (;;) {
      const { status, headers } = await this.#head();
      if (status >= 100 && status < 200 && status !== 101) {
        interim.push(status);
        continue;
      }
      const bodiless = method === 'HEAD' || status === 101 || status === 204 || status === 304;
      const rest = bodiless ? { body: Buffer.alloc(0), trailers: [] } : await this.#reader.body(headers, 'until-close');
      return { status, headers, ...rest, interim };
    }
  }

  async #head(): Promise<{ status: number; headers: Fields }> {
    const head = await this.#reader.head();
    if (head === null) throw new Error('the connection was closed without an answer');
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.startLine)?.[1];
    if (status === undefined) throw new Error(`not a status line: ${head.startLine}`);
    return { status: Number(status), headers: head.headers };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.closed) return;
    const closed = once(this.#socket, 'close');
    this.#socket.destroy();
    await closed;
  }
}

/** Makes one request on a connection of its own. */
export async function http1(port: number, request: Http1Request = {}): Promise<HttpAnswer> {
  await using connection = await Http1Connection.open(port);
  connection.write(encodeHttp1(request));
  return await connection.answer(request.method);
}

/** Sends exactly these bytes on a connection of their own, and reads one answer. */
export async function http1Bytes(port: number, data: string | Buffer): Promise<HttpAnswer> {
  await using connection = await Http1Connection.open(port);
  connection.write(data);
  return await connection.answer();
}
