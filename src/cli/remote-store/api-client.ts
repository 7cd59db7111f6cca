import { Agent as PlainAgent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { replaceInvisible } from '../../model/document/source-text.ts';
import type { Secret } from '../../model/secret.ts';
import { type ApiProblem, ApiUnavailable, faultOf } from './api-fault.ts';
import { type Api, describeSilence, exchange, type Sent } from '../management-api/exchange.ts';

/** An answer of the management API: an object of JSON. */
export type ApiAnswer = Readonly<Record<string, unknown>>;

/** How the management API is called. */
export interface ApiClientPorts extends Api {
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

  constructor(ports: ApiClientPorts) {
    this.#ports = ports;
    const kept = { keepAlive: true, maxSockets: SOCKETS };
    this.#agent = ports.origin.startsWith('https:') ? new TlsAgent(kept) : new PlainAgent(kept);
  }

  /** Scheme, host and port. */
  get origin(): string {
    return this.#ports.origin;
  }

  /** Asks, and gives the answer. A question that changes nothing is asked again where the API asks for patience. */
  async ask(method: Sent['method'], path: string, question: ApiQuestion = {}): Promise<ApiAnswer> {
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

  async #send(method: Sent['method'], path: string, question: ApiQuestion): Promise<Answered> {
    const { origin, token, timeoutMs } = this.#ports;
    const { body, isChange = false, moreMs = 0 } = question;
    const bearer = await token();
    const sending = { isConnected: false };
    try {
      const received = await exchange(this.#ports, {
        method,
        path,
        token: bearer,
        body,
        timeoutMs: timeoutMs + moreMs,
        maxBytes: MAX_ANSWER_BYTES,
        // What was kept may have ended: then nobody knows what became of a change.
        agent: isChange ? false : this.#agent,
        onConnected: () => {
          sending.isConnected = true;
        },
      });
      const { status, headers, body: answer } = received;
      if (answer === null && status < 300) throw faultOf(problemIn(status, {}), origin);
      const retryAfter = Number(headers['retry-after'] ?? Number.NaN);
      return { status, retryAfter: Number.isInteger(retryAfter) ? retryAfter : Infinity, body: answer ?? {} };
    } catch (error) {
      const silence = describeSilence(error, origin);
      if (silence === null || error instanceof ApiUnavailable) throw error;
      if (isChange && sending.isConnected) {
        const what = `${origin} did not confirm the change: it may be in force. Look at what is stored before you repeat it`;
        throw new ApiUnavailable('uncertain', what);
      }
      const advice = silence.reason === 'slow' ? '; try again, or give --timeout' : '';
      throw new ApiUnavailable(silence.reason, `${silence.what}${advice}`);
    }
  }
}

interface Answered {
  readonly status: number;
  /** Seconds; more than is ever waited where the answer does not say. */
  readonly retryAfter: number;
  readonly body: ApiAnswer;
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
