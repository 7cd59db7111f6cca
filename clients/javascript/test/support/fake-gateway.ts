import type { BaseFetch, BaseInit } from '../../src/index.ts';

/** A call that reached the gateway. */
export interface Sent {
  readonly url: string;
  readonly init: BaseInit;
  readonly headers: Headers;
}

type Answer = Response | Error | ((sent: Sent) => Response | Promise<Response>);

/** Answers calls in order; one call more than there are answers fails the test. */
export class FakeGateway {
  readonly sent: Sent[] = [];
  /** How long the client waited, in milliseconds. */
  readonly waits: number[] = [];
  readonly #answers: Answer[];

  constructor(...answers: Answer[]) {
    this.#answers = answers;
  }

  readonly fetch: BaseFetch = async (url, init) => {
    const sent = { url, init, headers: new Headers(init.headers) };
    this.sent.push(sent);
    const answer = this.#answers.shift();
    if (answer === undefined) throw new RangeError(`an unexpected call: ${init.method} ${url}`);
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? await answer(sent) : answer;
  };

  readonly wait = (milliseconds: number, signal: AbortSignal | null): Promise<void> => {
    signal?.throwIfAborted();
    this.waits.push(milliseconds);
    return Promise.resolve();
  };
}

/** A refusal as the gateway writes it. */
export function refused(status: number, code: string, headers: Record<string, string> = {}): Response {
  const body = JSON.stringify({ code, message: `It is ${code}.`, requestId: 'f00d' });
  return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });
}

/** An answer of the API. */
export function ok(text = 'done'): Response {
  return new Response(text);
}

/** An answer of the token URL. */
export function tokenAnswer(token: string, lifeSeconds = 3600): Response {
  return Response.json({ access_token: token, token_type: 'bearer', expires_in: lifeSeconds });
}
