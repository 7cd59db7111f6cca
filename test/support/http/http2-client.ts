import { type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import { type Fields, fieldsOf, type HttpAnswer } from './http-message.ts';

/** An HTTP/2 request, over a plain connection with prior knowledge. Header names are lower case. */
export interface Http2Request {
  readonly method?: string;
  /** The target, one character per byte. */
  readonly target?: string;
  readonly authority?: string;
  /** Node.js refuses a repeat of a field that has one value, such as `authorization`. */
  readonly headers?: Fields;
  /** The body, each element in DATA frames of its own; none, no body. */
  readonly frames?: readonly (string | Buffer)[];
  /** Whether `content-length` is sent; it is by default when there are frames. */
  readonly contentLength?: boolean;
  /** Where the stream ends: on the last DATA frame, or on an empty one after it. With trailers it ends there. */
  readonly end?: 'with-data' | 'empty-frame';
  readonly trailers?: Fields;
}

/** Makes one request on a connection of its own. */
export async function http2(port: number, request: Http2Request = {}): Promise<HttpAnswer> {
  const session = connect(`http://127.0.0.1:${String(port)}`);
  // The session's failure shows at its stream, too.
  session.on('error', () => undefined);
  const closed = new Promise((resolve) => session.once('close', resolve));
  try {
    const { frames = [], trailers } = request;
    const stream = session.request(headersOf(request), {
      endStream: frames.length === 0 && trailers === undefined,
      waitForTrailers: trailers !== undefined,
    });
    const answer = readAnswer(stream);
    if (trailers !== undefined) {
      stream.once('wantTrailers', () => {
        stream.sendTrailers(grouped(trailers));
      });
    }
    if (frames.length > 0 || trailers !== undefined) {
      writeFrames(
        stream,
        frames.map((frame) => Buffer.from(frame as string, 'latin1')),
        request.end ?? 'with-data',
      );
    }
    return await answer;
  } finally {
    session.destroy();
    await closed;
  }
}

function headersOf(request: Http2Request): OutgoingHttpHeaders {
  const { method = 'GET', target = '/', authority = 'api.example.com', headers = [], frames = [] } = request;
  const length = frames.reduce((sum, frame) => sum + Buffer.byteLength(frame as string, 'latin1'), 0);
  return {
    ':method': method,
    ':path': target,
    ':authority': authority,
    ':scheme': 'http',
    ...grouped(headers),
    ...(frames.length > 0 && request.contentLength !== false ? { 'content-length': length } : {}),
  };
}

function grouped(fields: Fields): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = {};
  for (const [name, value] of fields) {
    const before = result[name];
    result[name] = before === undefined ? value : [before, value].flat();
  }
  return result;
}

/** A frame is written when the one before is on its way; together they would become one. */
function writeFrames(stream: ClientHttp2Stream, frames: readonly Buffer[], end: 'with-data' | 'empty-frame'): void {
  const [frame, ...rest] = frames;
  if (frame === undefined) stream.end();
  else if (rest.length === 0 && end === 'with-data') stream.end(frame);
  else {
    stream.write(frame, (error) => {
      if (error == null) writeFrames(stream, rest, end);
    });
  }
}

async function readAnswer(stream: ClientHttp2Stream): Promise<HttpAnswer> {
  const interim: number[] = [];
  let status = 0;
  let headers: Fields = [];
  let trailers: Fields = [];
  const pieces: Buffer[] = [];
  stream.on('headers', (interimHeaders) => interim.push(Number(interimHeaders[':status'])));
  // Node.js gives the fields in order and with repeats as a third argument that its types leave out.
  stream.on('response', (...[, , raw]: unknown[]) => {
    const all = fieldsOf(raw as readonly string[]);
    status = Number(all.find(([name]) => name === ':status')?.[1]);
    headers = all.filter(([name]) => !name.startsWith(':'));
  });
  stream.on('trailers', (...[, , raw]: unknown[]) => {
    trailers = fieldsOf(raw as readonly string[]);
  });
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  // A refused body is answered while it is still being sent; the reset that follows is not a failure.
  const failures: Error[] = [];
  stream.on('error', (error: Error) => failures.push(error));
  await new Promise((resolve) => stream.once('close', resolve));
  if (status === 0) throw failures[0] ?? new Error('the stream was closed without an answer');
  return { status, headers, body: Buffer.concat(pieces), trailers, interim };
}
