import { once } from 'node:events';
import { type ClientHttp2Stream, connect } from 'node:http2';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as startRequest } from 'node:https';
import type { ClientRequest } from '../../check/signing/client-request.ts';
import { SERVER_NAME } from './demo-certificates.ts';
import type { Certified } from './make-certificate.ts';

/** How a request of the demo is sent to Envoy's listener with mutual TLS. */
export interface TlsWay {
  readonly protocol: 'HTTP/1.1' | 'HTTP/2';
  /** The authority whose servers are trusted, as PEM. */
  readonly authority: string;
  /** What the caller shows; null for nothing. */
  readonly certificate: Pick<Certified, 'cert' | 'key'> | null;
}

/** What came back, as bytes are read. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request over a connection of its own. Rejects when no whole answer comes, and when `signal` is aborted. */
export async function sendOverTls(message: ClientRequest, way: TlsWay, signal: AbortSignal): Promise<PlainAnswer> {
  return await (way.protocol === 'HTTP/2' ? overHttp2(message, way, signal) : overHttp1(message, way, signal));
}

interface TlsSettings {
  readonly ca: string;
  readonly servername: string;
  readonly cert?: string;
  readonly key?: string;
}

function tlsOf({ authority, certificate }: TlsWay): TlsSettings {
  const server = { ca: authority, servername: SERVER_NAME };
  return certificate === null ? server : { ...server, cert: certificate.cert, key: certificate.key };
}

async function overHttp1(message: ClientRequest, way: TlsWay, signal: AbortSignal): Promise<PlainAnswer> {
  const { method, path, authority, headers, body } = message;
  const [host, port] = authority.split(':');
  const target = { host, port, method, path, headers: ['Host', authority, ...headers.flat()] };
  const request = startRequest({ ...target, ...tlsOf(way), agent: false, signal });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await readText(response) };
}

async function overHttp2(message: ClientRequest, way: TlsWay, signal: AbortSignal): Promise<PlainAnswer> {
  const { method, path, authority, headers, body } = message;
  const session = connect(`https://${authority}`, tlsOf(way));
  try {
    await once(session, 'connect', { signal });
    const fields = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
    const pseudo = { ':method': method, ':path': path, ':authority': authority };
    const endStream = body.length === 0;
    const stream = session.request({ ...pseudo, ...Object.fromEntries(fields) }, { endStream, signal });
    session.on('error', (error: Error) => stream.destroy(error));
    if (!endStream) stream.end(body);
    const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders & { readonly ':status'?: number }];
    return { status: answer[':status'] ?? 0, headers: answer, body: await readText(stream) };
  } finally {
    session.destroy();
  }
}

/** The whole body as UTF-8 text. */
export async function readText(answer: IncomingMessage | ClientHttp2Stream): Promise<string> {
  let text = '';
  for await (const piece of answer.setEncoding('utf8')) text += String(piece);
  return text;
}
