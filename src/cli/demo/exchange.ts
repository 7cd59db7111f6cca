import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as startRequest } from 'node:http';
import { parseJson } from '../../model/document/json.ts';
import type { Clock } from '../../base/clock.ts';
import type { ClientRequest } from '../../check/signing/client-request.ts';
import { type PlainAnswer, readText, sendOverTls, type TlsWay } from './send-over-tls.ts';

const ANSWER_DEADLINE_MS = 10_000;

interface Echo {
  readonly path: string;
  /** The headers that say who calls, and those of credentials, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer to one request of the demo. The body is UTF-8 text. */
export interface Exchange {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** From the first byte sent to the last one received. */
  readonly latencyMs: number;
  /** What the back end received; null when the answer is not from there. */
  readonly echo: Echo | null;
  /** The access token in the answer; null when there is none. */
  readonly token: string | null;
  /** The code of a refusal, or the error of an OAuth2 address; null for other answers. */
  readonly refusalCode: string | null;
}

/**
 * Sends requests as they are, byte for byte, one after the other over one connection; with TLS each has one of its own.
 */
export class DemoClient implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #clock: Pick<Clock, 'elapsedMs'>;

  constructor(clock: Pick<Clock, 'elapsedMs'>) {
    this.#clock = clock;
  }

  /** Rejects when no whole answer comes, and with the reason of `signal`. */
  async send(message: ClientRequest, signal: AbortSignal, tls?: TlsWay): Promise<Exchange> {
    const startMs = this.#clock.elapsedMs();
    const until = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_DEADLINE_MS)]);
    try {
      const { status, headers, body } = await (tls === undefined
        ? this.#sendPlain(message, until)
        : sendOverTls(message, tls, until));
      const latencyMs = this.#clock.elapsedMs() - startMs;
      return { status, headers, body, latencyMs, ...readAnswer(body) };
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  async #sendPlain(message: ClientRequest, signal: AbortSignal): Promise<PlainAnswer> {
    const [host, port] = message.authority.split(':');
    const request = startRequest({
      agent: this.#agent,
      host,
      port,
      method: message.method,
      path: message.path,
      headers: [
        ...['Host', message.authority],
        ...message.headers.flat(),
        ...(message.body.length > 0 ? ['Content-Length', String(message.body.length)] : []),
      ],
      signal,
    });
    request.end(message.body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, headers: response.headers, body: await readText(response) };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** What the back end answers: a request line, headers and the body (deploy/overlays/demo/echo). */
const ECHO = /^[A-Z]+ (\S+)\n((?:[\w-]+: .*\n)*)([^]*)$/;

/** Answers are what the back end, a refusal or an OAuth2 address says; the latter two are JSON. */
function readAnswer(text: string): Pick<Exchange, 'echo' | 'token' | 'refusalCode'> {
  const nothing = { echo: null, token: null, refusalCode: null };
  const [, path, fields = '', body = ''] = ECHO.exec(text) ?? [];
  if (path !== undefined) {
    const headers = [...fields.matchAll(/^(.*?): (.*)$/gm)].map(([, name = '', value = '']) => [name, value] as const);
    return { ...nothing, echo: { path, headers: Object.fromEntries(headers), body } };
  }
  const answer = parseJson(text);
  if (typeof answer !== 'object' || answer === null) return nothing;
  if ('access_token' in answer) return { ...nothing, token: String(answer.access_token) };
  if ('code' in answer) return { ...nothing, refusalCode: String(answer.code) };
  return 'error' in answer ? { ...nothing, refusalCode: String(answer.error) } : nothing;
}
