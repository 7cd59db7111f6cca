import { StoreUnavailable } from '../../check/store/credential-source.ts';
import { Secret } from '../../model/secret.ts';
import {
  AnswerTooLong,
  type Api,
  describeSilence,
  exchange,
  type Received,
  type Sent,
} from '../management-api/exchange.ts';

/** A person, or a command, waits for it. */
const TIMEOUT_MS = 20_000;
/** Longer than what these requests are answered with. */
const MAX_ANSWER_BYTES = 256 * 1024;

/** Another try may be answered. */
const TOO_MANY_REQUESTS = 429;

/** What is asked of the management API. */
interface Question extends Pick<Sent, 'method' | 'path' | 'body'> {
  /** Sent as the bearer token; left out, nobody asks. */
  readonly token?: string;
}

/** An answer that was read whole. */
export interface ApiAnswer {
  readonly status: number;
  /** An object of JSON; empty for anything else. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Asks the management API about a person, who need not be known to it yet: so every status is an answer. Rejects with
 * `StoreUnavailable` when it does not answer, or only that it cannot now (5xx, 429).
 */
export async function askApi(api: Api, { token, ...question }: Question): Promise<ApiAnswer> {
  const bearer = token === undefined ? null : Secret.fromText(token);
  const bounds = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES, agent: false } as const;
  const { status, body } = await receive(api, { ...question, ...bounds, token: bearer });
  const answer = { status, body: body ?? {} };
  if (status < 500 && status !== TOO_MANY_REQUESTS) return answer;
  throw new StoreUnavailable(`${api.origin} answered ${String(status)}: ${detailOf(answer)}`);
}

/** What a problem says, for people. */
export function detailOf({ status, body }: ApiAnswer): string {
  const { detail } = body;
  return typeof detail === 'string' ? detail : `no detail was given (status ${String(status)})`;
}

async function receive(api: Api, sent: Sent): Promise<Received> {
  try {
    return await exchange(api, sent);
  } catch (error) {
    if (error instanceof AnswerTooLong) throw new StoreUnavailable(error.message);
    const silence = describeSilence(error, api.origin);
    if (silence === null) throw error;
    throw new StoreUnavailable(silence.what, { cause: error });
  }
}
