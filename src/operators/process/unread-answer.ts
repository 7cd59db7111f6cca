import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { UnreadRequest } from '../api/ports.ts';

/** Answers, and tells the log, what was not read as a request. */
export type Refuse = (unread: UnreadRequest) => Promise<Response>;

/** Writes the answer to a request that was not read. The connection ends: what follows may not be read either. */
export async function answerUnread(response: ServerResponse, refused: Promise<Response>): Promise<void> {
  const { status, headers, body } = await written(refused);
  if (response.destroyed) return;
  response.writeHead(status, headers);
  response.end(body);
}

/** The same for bytes that the server could not read as a request, as its event `clientError` tells them. */
export async function answerSocket(fault: NodeJS.ErrnoException, socket: Socket, refuse: Refuse): Promise<void> {
  const unread = unreadOf(fault.code);
  if (unread === null || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = await written(refuse(unread));
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  // Once the other side is gone there is nobody to tell.
  if (!socket.destroyed) socket.end([`HTTP/1.1 ${String(status)} Refused`, ...fields, '', body].join('\r\n'));
}

/** Null for a connection that failed. */
function unreadOf(code: string | undefined): UnreadRequest | null {
  const method = '';
  if (code === 'HPE_HEADER_OVERFLOW') return { method, status: 431, reason: 'the headers are too large' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { method, status: 408, reason: 'the request took too long' };
  const isOfHttp = code?.startsWith('HPE_') === true || code?.startsWith('ERR_HTTP_') === true;
  return isOfHttp ? { method, status: 400, reason: 'the bytes are no request' } : null;
}

async function written(
  refused: Promise<Response>,
): Promise<{ readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }> {
  const response = await refused;
  const body = await response.text();
  const own = { connection: 'close', 'content-length': String(Buffer.byteLength(body)) };
  return { status: response.status, headers: { ...Object.fromEntries(response.headers), ...own }, body };
}
