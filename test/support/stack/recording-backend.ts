import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { fieldsOf, fieldValue, type Fields, type RecordedRequest } from '../http/http-message.ts';
import { Http1Reader } from '../http/http1-reader.ts';

/** What a back end answers. The body's length is sent as `content-length`. */
export interface BackendAnswer {
  readonly status?: number;
  readonly headers?: Fields;
  readonly body?: string;
}

/** A back end behind Envoy that keeps every request exactly as it came. */
export interface RecordingBackend extends AsyncDisposable {
  readonly port: number;
  readonly protocol: RecordedRequest['protocol'];
  /** Every request so far, in the order in which they were complete. */
  readonly requests: readonly RecordedRequest[];
  /** What the next requests are answered; 200 with `ok` at first. */
  answer: (request: RecordedRequest) => BackendAnswer | Promise<BackendAnswer>;
  /** Forgets the requests, and answers as at first. */
  reset(): void;
  /** From now on it does not keep the test process from ending. */
  unref(): void;
}

const ok: BackendAnswer = { status: 200, headers: [['content-type', 'text/plain']], body: 'ok\n' };

/** Starts a back end on a port that the system chooses. */
export async function startBackend(protocol: RecordedRequest['protocol'] = 'HTTP/1.1'): Promise<RecordingBackend> {
  const backend = new Backend(protocol);
  await backend.listen();
  return backend;
}

class Backend implements RecordingBackend {
  readonly requests: RecordedRequest[] = [];
  readonly protocol: RecordedRequest['protocol'];
  answer: RecordingBackend['answer'] = () => ok;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isUnref = false;

  constructor(protocol: RecordedRequest['protocol']) {
    this.protocol = protocol;
    if (protocol === 'HTTP/2') {
      const server = createServer();
      // Node.js gives the fields in order and with repeats as a fourth argument that its types leave out.
      server.on('stream', (...[stream, , , raw]: unknown[]) => {
        void this.#serveStream(stream as ServerHttp2Stream, fieldsOf(raw as readonly string[]));
      });
      this.#server = server;
    } else {
      this.#server = createTcpServer({ noDelay: true }, (socket) => void this.#serveConnection(socket));
    }
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      if (this.#isUnref) socket.unref();
      socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  reset(): void {
    this.requests.length = 0;
    this.answer = () => ok;
  }

  unref(): void {
    this.#isUnref = true;
    for (const handle of [this.#server, ...this.#sockets]) handle.unref();
  }

  async #serveConnection(socket: Socket): Promise<void> {
    const reader = new Http1Reader(socket);
    try {
      for (let head = await reader.head(); head !== null; head = await reader.head()) {
        const [method = '', ...rest] = head.startLine.split(' ');
        const request: RecordedRequest = {
          protocol: 'HTTP/1.1',
          method,
          target: rest.slice(0, -1).join(' '),
          authority: fieldValue(head.headers, 'host') ?? '',
          headers: head.headers,
          ...(await reader.body(head.headers, 'none')),
        };
        this.requests.push(request);
        socket.write(encodeAnswer(await this.answer(request), method));
      }
    } catch (error) {
      // Envoy may close a connection in the middle of a request; that is for the test to judge.
      socket.destroy(error instanceof Error ? error : undefined);
    }
  }

  async #serveStream(stream: ServerHttp2Stream, headers: Fields): Promise<void> {
    const pieces: Buffer[] = [];
    let trailers: Fields = [];
    stream.on('trailers', (...[, , rawTrailers]: unknown[]) => {
      trailers = fieldsOf(rawTrailers as readonly string[]);
    });
    try {
      for await (const piece of stream) pieces.push(piece as Buffer);
    } catch {
      return; // Envoy gave the request up before it was whole
    }
    const request: RecordedRequest = {
      protocol: 'HTTP/2',
      method: fieldValue(headers, ':method') ?? '',
      target: fieldValue(headers, ':path') ?? '',
      authority: fieldValue(headers, ':authority') ?? '',
      headers: headers.filter(([name]) => !name.startsWith(':')),
      body: Buffer.concat(pieces),
      trailers,
    };
    this.requests.push(request);
    const { status = 200, headers: fields = [], body = '' } = await this.answer(request);
    if (stream.destroyed) return;
    stream.respond({ ':status': status, 'content-length': Buffer.byteLength(body), ...Object.fromEntries(fields) });
    stream.end(body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

function encodeAnswer({ status = 200, headers = [], body = '' }: BackendAnswer, method: string): string {
  const fields = [...headers, ['content-length', String(Buffer.byteLength(body))] as const];
  const head = [`HTTP/1.1 ${String(status)} Answer`, ...fields.map(([name, value]) => `${name}: ${value}`), '', ''];
  return head.join('\r\n') + (method === 'HEAD' ? '' : body);
}
