import { Agent as PlainAgent, type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { replaceInvisible } from '../../model/document/source-text.ts';
import { isMapping } from '../../model/document/fields.ts';
import type { Secret } from '../../model/secret.ts';
import { describeTlsFault } from '../../wire/tls/tls-faults.ts';
import { type ApiProblem, ApiUnavailable, faultOf } from './api-fault.ts';

/** An answer of the management API: an object of JSON. */
export type ApiAnswer = Readonly<Record<string, unknown>>;

/** How the management API is called. */
export interface ApiClientPorts {
  /** Scheme, host and port. */
  readonly origin: string;
  /** PEM of the authorities that are trusted instead of the system's; null for those. */
  readonly authorities: Buffer | null;
  /** A fresh token, asked for once for each request. */
  readonly token: () => Promise<Secret>;
  /** How long each answer is waited for, in milliseconds. */
  readonly timeoutMs: number;
}

/** What is asked for besides method and path. */
export interface ApiQuestion {
  readonly body?: object;
  /** Whether it changes something: then it is sent once, over a connection of its own. */
  readonly isChange?: boolean;
  /** Milliseconds beyond the usual ones, for large changes. */
  readonly moreMs?: number;
}

/** A page has about 4 MiB at most, and one item whatever it has. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** Longer is not waited when the API asks to come back later. */
const MAX_PAUSE_SECONDS = 30;
const MAX_PAUSES = 3;
const SOCKETS = 4;

/**
 * Calls the management API over TLS (to this machine also without), with the token of a person. Follows no redirect,
 * and bounds the time and the length of answers. Rejects with what {@link faultOf} makes of problems, and with
 * {@link ApiUnavailable} where there is no answer.
 */
export class ApiClient implements AsyncDisposable {
  readonly #ports: ApiClientPorts;
  readonly #agent: PlainAgent | TlsAgent;
  readonly #isTls: boolean;

  constructor(ports: ApiClientPorts) {
    this.#ports = ports;
    this.#isTls = ports.origin.startsWith('https:');
    const kept = { keepAlive: true, maxSockets: SOCKETS };
    this.#agent = this.#isTls ? new TlsAgent(kept) : new PlainAgent(kept);
  }

  /** Scheme, host and port. */
  get origin(): string {
    return this.#ports.origin;
  }

  /** Asks, and gives the answer. A question that changes nothing is asked again where the API asks for patience. */
  async ask(method: 'GET' | 'POST' | 'DELETE', path: string, question: ApiQuestion = {}): Promise<ApiAnswer> {
    for (let pauses = 0; ; pauses += 1) {
      const { status, retryAfter, body } = await this.#send(method, path, question);
      if (status >= 200 && status < 300) return body;
      // Nothing was done of what was refused so.
      if (status === 429 && retryAfter <= MAX_PAUSE_SECONDS && pauses < MAX_PAUSES) {
        await delay(retryAfter * 1000);
        continue;
      }
      throw faultOf(problemIn(status, body), this.origin);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    await Promise.resolve();
  }

  async #send(method: string, path: string, question: ApiQuestion): Promise<Answered> {
    const { origin, authorities, token, timeoutMs } = this.#ports;
    const { body, isChange = false, moreMs = 0 } = question;
    const text = body === undefined ? null : Buffer.from(JSON.stringify(body), 'utf8');
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${(await token()).reveal().toString('utf8')}`,
      ...(text === null ? {} : { 'content-type': 'application/json', 'content-length': String(text.length) }),
    };
    const options = {
      method,
      headers,
      // What was kept may have ended: then nobody knows what became of a change.
      agent: isChange ? false : this.#agent,
      signal: AbortSignal.timeout(timeoutMs + moreMs),
      ...(authorities === null ? {} : { ca: authorities }),
    } as const;
    const sending = { isConnected: false };
    try {
      const url = new URL(path, origin);
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = this.#isTls ? tlsRequest(url, options, resolve) : plainRequest(url, options, resolve);
        noteConnection(sent, this.#isTls, sending);
        sent.on('error', reject);
        sent.end(text ?? undefined);
      });
      return await readAnswer(answer, origin);
    } catch (error) {
      throw this.#describe(error, isChange && sending.isConnected);
    }
  }

  #describe(error: unknown, isUncertain: boolean): unknown {
    if (error instanceof ApiUnavailable || !(error instanceof Error)) return error;
    const isSlow = error.name === 'TimeoutError' || error.name === 'AbortError';
    const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
    if (!isSlow && code === null) return error;
    const { origin } = this.#ports;
    if (isUncertain) {
      const what = `${origin} did not confirm the change: it may be in force. Look at what is stored before you repeat it`;
      return new ApiUnavailable('uncertain', what);
    }
    if (isSlow) return new ApiUnavailable('slow', `${origin} did not answer in time; try again, or give --timeout`);
    const tlsFault = describeTlsFault(code ?? '');
    const advice =
      tlsFault === null
        ? 'check that "postern manage" runs there, and that this machine reaches it'
        : `${tlsFault}. Check the name in POSTERN_STORE, and POSTERN_STORE_CA`;
    return new ApiUnavailable('unreachable', `${origin} does not answer (${code ?? ''}): ${advice}`);
  }
}

interface Answered {
  readonly status: number;
  /** Seconds; more than is ever waited where the answer does not say. */
  readonly retryAfter: number;
  readonly body: ApiAnswer;
}

/** Notes that something may have been sent: before, no change was made. */
function noteConnection(sent: ClientRequest, isTls: boolean, sending: { isConnected: boolean }): void {
  sent.once('socket', (socket) => {
    if (!socket.connecting) sending.isConnected = true;
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      sending.isConnected = true;
    });
  });
}

async function readAnswer(answer: IncomingMessage, origin: string): Promise<Answered> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new Error(`${origin} answered more than a management API does`);
    chunks.push(chunk);
  }
  const { statusCode: status = 0, headers } = answer;
  const retryAfter = Number(headers['retry-after'] ?? Number.NaN);
  const type = headers['content-type'] ?? '';
  const body = /^application\/(?:problem\+)?json\b/.test(type) ? parse(Buffer.concat(chunks)) : null;
  if (body === null && status < 300) throw faultOf(problemIn(status, {}), origin);
  return { status, retryAfter: Number.isInteger(retryAfter) ? retryAfter : Infinity, body: body ?? {} };
}

function parse(bytes: Buffer): ApiAnswer | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isMapping(value) ? value : null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}

const MAX_DETAIL = 4000;

function problemIn(status: number, { code, detail, requestId }: ApiAnswer): ApiProblem {
  return {
    status,
    code: typeof code === 'string' && typeof detail === 'string' ? replaceInvisible(code.slice(0, 64)) : null,
    detail: typeof detail === 'string' ? detail.slice(0, MAX_DETAIL) : '',
    requestId: typeof requestId === 'string' ? replaceInvisible(requestId.slice(0, 64)) : null,
  };
}
