import { Agent, request as httpRequest } from 'node:http';
import { Agent as TlsAgent, request as httpsRequest } from 'node:https';
import { connect } from 'node:http2';
import { type PlainRequest } from '../http/http-client.ts';

/** Makes requests on connections that stay open. */
export interface LoadClient extends AsyncDisposable {
  /**
   * Status and, when the answer is a refusal, its code: `200`, `503 STORE_UNAVAILABLE`. Rejects when there is no
   * answer.
   */
  call(request: PlainRequest): Promise<string>;
}

const HOST = 'api.example.com';

/** Whom a caller trusts, and what it shows of itself. */
export interface CallerTls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** As many HTTP/1.1 connections as are needed at once; over mutual TLS where `tls` is given. */
export function openHttp1Client(port: number, tls: CallerTls | null = null): LoadClient {
  const agent =
    tls === null ? new Agent({ keepAlive: true }) : new TlsAgent({ keepAlive: true, servername: 'localhost', ...tls });
  const begin = tls === null ? httpRequest : httpsRequest;
  return {
    call: ({ method = 'GET', target = '/', host = HOST, headers = [], body }) =>
      new Promise((resolve, reject) => {
        const request = begin({ agent, host: '127.0.0.1', port, method, path: target }, (answer) => {
          const pieces: Buffer[] = [];
          answer.on('data', (piece: Buffer) => pieces.push(piece));
          answer.once('error', reject);
          answer.once('end', () => {
            resolve(outcomeOf(answer.statusCode, Buffer.concat(pieces)));
          });
        });
        request.once('error', reject);
        request.setHeader('host', host);
        for (const [name, value] of headers) request.setHeader(name, value);
        request.end(body);
      }),
    [Symbol.asyncDispose]: () => {
      agent.destroy();
      return Promise.resolve();
    },
  };
}

/** One HTTP/2 connection. */
export function openHttp2Client(port: number): LoadClient {
  const session = connect(`http://127.0.0.1:${String(port)}`);
  session.on('error', () => undefined); // shows at the streams, too
  return {
    call: ({ method = 'GET', target = '/', host = HOST, headers = [], body }) =>
      new Promise((resolve, reject) => {
        const stream = session.request({
          ':method': method,
          ':path': target,
          ':authority': host,
          ...Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
          ...(body === undefined ? {} : { 'content-length': body.length }),
        });
        let status: number | undefined;
        const pieces: Buffer[] = [];
        stream.on('response', (fields) => (status = fields[':status']));
        stream.on('data', (piece: Buffer) => pieces.push(piece));
        stream.once('error', reject);
        stream.once('close', () => {
          if (status === undefined) reject(new Error('the stream was closed without an answer'));
          else resolve(outcomeOf(status, Buffer.concat(pieces)));
        });
        stream.end(body);
      }),
    [Symbol.asyncDispose]: () => {
      session.destroy();
      return Promise.resolve();
    },
  };
}

const SUCCESS = 200;

function outcomeOf(status: number | undefined, body: Buffer): string {
  if (status === SUCCESS) return String(status);
  const code = /"(?:code|error)":\s*"(\w+)"/.exec(body.toString('latin1'))?.[1];
  return code === undefined ? String(status) : `${String(status)} ${code}`;
}
