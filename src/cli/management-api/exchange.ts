import type { Agent as PlainAgent, ClientRequest, IncomingMessage } from 'node:http';
import { request as plainRequest } from 'node:http';
import { type Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { isMapping } from '../../model/document/fields.ts';
import type { Secret } from '../../model/secret.ts';
import { describeTlsFault } from '../../wire/tls/tls-faults.ts';

/** A management API. */
export interface Api {
  /** Scheme, host and port. */
  readonly origin: string;
  /** PEM of the authorities that are trusted instead of the system's; null for those. */
  readonly authorities: Buffer | null;
}

/** A request of a command. */
export interface Sent {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** The bearer token; null where nobody asks. */
  readonly token: Secret | null;
  readonly body?: object | undefined;
  /** For the whole answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Keeps connections; false for one of its own. */
  readonly agent: PlainAgent | TlsAgent | false;
  /** Called once something may have been sent: before, no change was made. */
  readonly onConnected?: () => void;
}

/** An answer that was read whole. */
export interface Received {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** An object of JSON; null for anything else. */
  readonly body: Readonly<Record<string, unknown>> | null;
}

/** An answer is longer than those of a management API. */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';
}

/**
 * Sends a request to the management API, and reads its answer: the one place where commands call it. Follows no
 * redirect. Rejects with {@link AnswerTooLong}, and with what the connection says; no message holds the token.
 */
export async function exchange({ origin, authorities }: Api, sent: Sent): Promise<Received> {
  const { method, path, token, body, timeoutMs, maxBytes, agent, onConnected = () => undefined } = sent;
  const text = body === undefined ? null : Buffer.from(JSON.stringify(body), 'utf8');
  const headers = {
    accept: 'application/json',
    ...(token === null ? {} : { authorization: `Bearer ${token.reveal().toString('utf8')}` }),
    ...(text === null ? {} : { 'content-type': 'application/json', 'content-length': String(text.length) }),
  };
  const signal = AbortSignal.timeout(timeoutMs);
  const options = { method, headers, agent, signal, ...(authorities === null ? {} : { ca: authorities }) } as const;
  const url = new URL(path, origin);
  const isTls = url.protocol === 'https:';
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = isTls ? tlsRequest(url, options, resolve) : plainRequest(url, options, resolve);
    watchConnection(request, isTls, onConnected);
    request.on('error', reject);
    request.end(text ?? undefined);
  });
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new AnswerTooLong(`${origin} answered more than a management API does`);
    chunks.push(chunk);
  }
  const { statusCode: status = 0, headers: received } = answer;
  const isJson = /^application\/(?:problem\+)?json\b/.test(received['content-type'] ?? '');
  return { status, headers: received, body: isJson ? parse(Buffer.concat(chunks)) : null };
}

function watchConnection(sent: ClientRequest, isTls: boolean, onConnected: () => void): void {
  sent.once('socket', (socket) => {
    if (!socket.connecting) onConnected();
    socket.once(isTls ? 'secureConnect' : 'connect', onConnected);
  });
}

function parse(bytes: Buffer): Received['body'] {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isMapping(value) ? value : null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}

/** Why no answer came: `slow`, or `unreachable` with what to do; null for an error that is not of the connection. */
export function describeSilence(
  error: unknown,
  origin: string,
): { readonly reason: 'slow' | 'unreachable'; readonly what: string } | null {
  if (!(error instanceof Error)) return null;
  if (error.name === 'TimeoutError' || error.name === 'AbortError') {
    return { reason: 'slow', what: `${origin} did not answer in time` };
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code === null) return null;
  const tlsFault = describeTlsFault(code);
  const advice =
    tlsFault === null
      ? 'check that "postern manage" runs there, and that this machine reaches it'
      : `${tlsFault}. Check the name in POSTERN_STORE, and POSTERN_STORE_CA`;
  return { reason: 'unreachable', what: `${origin} does not answer (${code}): ${advice}` };
}
