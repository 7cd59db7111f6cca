import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionOptions,
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import { createConnection } from 'node:net';
import type { ListenAddress } from '../../../src/base/net/listen-address.ts';

/** How a request ended: what came of head, body and trailers, and the code of a reset. */
export interface RawAnswer {
  readonly status: number | undefined;
  readonly contentType: string | undefined;
  readonly body: Buffer;
  /** `grpc-status` of the trailers, or of the head when there was nothing else. */
  readonly grpcStatus: number | undefined;
  readonly grpcMessage: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly resetCode: number;
}

/** A plain HTTP/2 client: it does what a test asks, deadlines and message framing are the test's. */
export class RawClient implements AsyncDisposable {
  readonly session: ClientHttp2Session;

  private constructor(session: ClientHttp2Session) {
    this.session = session;
    session.on('error', () => undefined); // shows at the streams, too
  }

  static async connect(
    address: ListenAddress,
    options: ClientSessionOptions | SecureClientSessionOptions = {},
  ): Promise<RawClient> {
    const scheme = 'ca' in options ? 'https' : 'http';
    const authority = address.kind === 'tcp' ? `${scheme}://127.0.0.1:${String(address.port)}` : 'http://localhost';
    const session = connect(authority, {
      maxSessionMemory: 256, // MiB; what waits to be sent counts
      ...options,
      ...(address.kind === 'unix' ? { createConnection: () => createConnection(address.path) } : {}),
    });
    const client = new RawClient(session);
    await new Promise<void>((resolve, reject) => {
      session.once('remoteSettings', () => {
        resolve();
      });
      session.once('error', reject);
      session.once('close', () => {
        reject(new Error('the connection was closed'));
      });
    });
    return client;
  }

  /** Opens a gRPC request whose body is still to be written. */
  open(path: string, headers: OutgoingHttpHeaders = {}): ClientHttp2Stream {
    const stream = this.session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
    stream.on('error', () => undefined); // shows as the reset code
    return stream;
  }

  /** Sends a request whose body is these bytes. */
  async send(path: string, body: Buffer, headers: OutgoingHttpHeaders = {}): Promise<RawAnswer> {
    const stream = this.open(path, headers);
    stream.end(body);
    return await readAnswer(stream);
  }

  /** Sends one message. */
  async call(path: string, message: Buffer, headers: OutgoingHttpHeaders = {}): Promise<RawAnswer> {
    return await this.send(path, framed(message), headers);
  }

  async ping(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.session.ping((error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.session.destroyed) return;
    const closed = once(this.session, 'close');
    this.session.destroy();
    await closed;
  }
}

/** A message as it travels (gRPC over HTTP/2, "Length-Prefixed-Message"). */
export function framed(message: Buffer, compressed = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = compressed;
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** The messages of an answer's body. */
export function messagesOf(body: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1);
    messages.push(body.subarray(at + 5, end));
    at = end;
  }
  return messages;
}

/** Reads an answer to its end, however that comes. */
export async function readAnswer(stream: ClientHttp2Stream): Promise<RawAnswer> {
  let head: IncomingHttpHeaders = {};
  let trailers: IncomingHttpHeaders = {};
  const parts: Buffer[] = [];
  stream.on('response', (headers: IncomingHttpHeaders) => {
    head = headers;
  });
  stream.on('trailers', (headers: IncomingHttpHeaders) => {
    trailers = headers;
  });
  stream.on('data', (part: Buffer) => parts.push(part));
  await new Promise<void>((resolve) => stream.once('close', resolve));
  const fields = { ...head, ...trailers };
  return {
    status: head[':status'] === undefined ? undefined : Number(head[':status']),
    contentType: head['content-type'],
    body: Buffer.concat(parts),
    grpcStatus: fields['grpc-status'] === undefined ? undefined : Number(fields['grpc-status']),
    grpcMessage: decoded(fields['grpc-message']),
    acceptEncoding: fields['grpc-accept-encoding'] as string | undefined,
    resetCode: stream.rstCode,
  };
}

function decoded(message: unknown): string | undefined {
  return typeof message === 'string' ? decodeURIComponent(message) : undefined;
}
