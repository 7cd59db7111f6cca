import { base64, type Bytes, textOf, utf8 } from './bytes.ts';
import type { ClientClock } from './client-clock.ts';
import { percentEncode } from './encode-parameters.ts';
import type { Header } from './headers.ts';
import { PosternTokenError } from './problem.ts';
import { readBytes } from './read-bytes.ts';
import { parseObject } from './refusal.ts';
import { Secret } from './secret.ts';
import type { BaseFetch } from './settings.ts';

const MAX_ANSWER_BYTES = 65_536;
/** A token is renewed when so many seconds of its life are left, or this share of it, whichever is shorter. */
const RENEWED_SECONDS = 60;
const RENEWED_SHARE = 0.1;
/** RFC 6750 §2.1. */
const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** What proves to the token URL who asks. */
export interface TokenQuestion {
  readonly headers: readonly Header[];
  readonly body: string;
}

/** Asks with App Key and App Secret by HTTP Basic (RFC 6749 §2.3.1). */
export function basicQuestion(appKey: string, appSecret: string): TokenQuestion {
  const basic = base64(utf8(`${percentEncode(appKey)}:${percentEncode(appSecret)}`));
  return { headers: [['Authorization', `Basic ${basic}`]], body: 'grant_type=client_credentials' };
}

/** How tokens are asked for. */
export interface TokenClient {
  readonly tokenUrl: string;
  /** Called for each question. */
  readonly question: () => TokenQuestion | Promise<TokenQuestion>;
  /** Corrected when an assertion is refused and it may be why; null where questions have no time in them. */
  readonly clock: ClientClock | null;
}

/** An assertion is good for a minute, so a clock that is less wrong than this was not why it was refused. */
const WRONG_CLOCK_SECONDS = 30;

/** Gets access tokens by client credentials (RFC 6749 §4.4) and keeps the last one in memory. */
export class AccessTokens {
  readonly #client: TokenClient;
  readonly #fetch: BaseFetch;
  readonly #nowMs: () => number;
  #kept: { readonly token: Secret; readonly untilMs: number } | null = null;
  #asked: Promise<Secret> | null = null;

  constructor(client: TokenClient, fetch: BaseFetch, nowMs: () => number) {
    this.#client = client;
    this.#fetch = fetch;
    this.#nowMs = nowMs;
  }

  /** The token that is kept, or a new one; calls at the same time wait for one answer. May throw {@link PosternTokenError}. */
  async get(): Promise<Secret> {
    if (this.#kept !== null && this.#nowMs() <= this.#kept.untilMs) return this.#kept.token;
    this.#asked ??= this.#ask().finally(() => (this.#asked = null));
    return await this.#asked;
  }

  /** Forgets this token, when it is the one that is kept. */
  drop(token: Secret): void {
    if (this.#kept?.token === token) this.#kept = null;
  }

  async #ask(): Promise<Secret> {
    const first = await this.#question();
    const { askedMs, response, answer } = this.#isOfWrongClock(first) ? await this.#question() : first;
    const { access_token: token, token_type: type, expires_in: lifeSeconds } = answer ?? {};
    const isToken = typeof token === 'string' && BEARER_TOKEN.test(token);
    if (response.status !== 200 || !isToken || typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
      const { error } = answer ?? {};
      throw new PosternTokenError(response.status, isKnownError(error) ? error : null);
    }
    const secret = new Secret(token);
    const life = typeof lifeSeconds === 'number' && lifeSeconds >= 0 ? lifeSeconds : Infinity;
    this.#kept = { token: secret, untilMs: askedMs + (life - Math.min(RENEWED_SECONDS, life * RENEWED_SHARE)) * 1000 };
    return secret;
  }

  async #question(): Promise<Answered> {
    const askedMs = this.#nowMs();
    const { response, bytes } = await this.#post(await this.#client.question());
    return { askedMs, response, answer: bytes === null ? null : parseObject(textOf(bytes)) };
  }

  #isOfWrongClock({ response, answer }: Answered): boolean {
    const { clock } = this.#client;
    const date = response.headers.get('date');
    return (
      answer?.['error'] === 'invalid_client' &&
      clock?.isOffBy(date, WRONG_CLOCK_SECONDS) === true &&
      clock.correct(date)
    );
  }

  async #post({ headers, body }: TokenQuestion): Promise<{ response: Response; bytes: Bytes | null }> {
    try {
      const response = await this.#fetch(this.#client.tokenUrl, {
        method: 'POST',
        headers: [
          ...headers.map(([name, value]): [string, string] => [name, value]),
          ['Content-Type', 'application/x-www-form-urlencoded'],
          ['Accept', 'application/json'],
        ],
        body,
        // What proves who asks goes to this address and to no other.
        redirect: 'manual',
        cache: 'no-store',
      });
      return { response, bytes: response.body === null ? null : await readBytes(response.body, MAX_ANSWER_BYTES) };
    } catch (error) {
      throw noAnswer(error);
    }
  }
}

interface Answered {
  readonly askedMs: number;
  readonly response: Response;
  readonly answer: Readonly<Partial<Record<string, unknown>>> | null;
}

/** Those of RFC 6749. Another text may repeat the App Secret, in any encoding. */
const KNOWN_ERRORS = [
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'unauthorized_client', 'unsupported_grant_type'],
  ...['invalid_scope', 'server_error', 'temporarily_unavailable'],
];

function isKnownError(error: unknown): error is string {
  return typeof error === 'string' && KNOWN_ERRORS.includes(error);
}

/** An error with the code of the one that is given, and nothing else: some hold what the other end wrote. */
function noAnswer(error: unknown): TypeError {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  const known = [cause?.code, code].find((each) => typeof each === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(each));
  return new TypeError(`the token URL gave no answer${typeof known === 'string' ? ` (${known})` : ''}`);
}
