import type { Asked } from './accept-signature.ts';
import type { ClientClock } from './client-clock.ts';
import { NO_BYTES, type Bytes } from './bytes.ts';
import { withHeaders } from './headers.ts';
import { initOf, type Outgoing } from './outgoing.ts';
import { readRefusal, type Refusal } from './refusal.ts';
import { waitAfterFailure, waitAfterRefusal } from './retry-rules.ts';
import { withoutSecrets, type Secret } from './secret.ts';
import type { BaseFetch, CommonSettings } from './settings.ts';
import type { Signer } from './signer.ts';
import type { WireRequest } from './wire-request.ts';

/** What calls need. */
export interface Caller {
  readonly signer: Signer;
  readonly clock: ClientClock;
  readonly fetch: BaseFetch;
  readonly retries: number;
  readonly wait: NonNullable<CommonSettings['wait']>;
  /** At least 0 and below 1. */
  readonly chance: () => number;
  /** What must stand in no error. */
  readonly secrets: readonly string[];
}

/** What happened in earlier attempts of a call. */
interface Attempts {
  counted: number;
  isClockCorrected: boolean;
  isTokenRenewed: boolean;
  /** What a 401 asked for; null before that. */
  asked: Asked | null;
}

const REFUSED_STATUSES = [401, 429, 503];

/** Sends a call, signing each attempt, until an answer is to be given to the caller. */
export async function call(outgoing: Outgoing, caller: Caller): Promise<Response> {
  const attempts: Attempts = { counted: 0, isClockCorrected: false, isTokenRenewed: false, asked: null };
  for (;;) {
    outgoing.signal?.throwIfAborted();
    const token = (await orAborted(caller.signer.tokens?.get() ?? null, outgoing.signal)) ?? null;
    const answer = await attempt(outgoing, token, attempts.asked, caller);
    if ('response' in answer && answer.response.redirected) {
      throw new TypeError('the fetch of the settings follows redirects, and takes the credential along; it must not');
    }
    const waitMs =
      'error' in answer
        ? waitAfterError(outgoing, attempts, caller)
        : await waitAfterAnswer(answer.response, outgoing, token, attempts, caller);
    if (waitMs === null) {
      if ('error' in answer) throw answer.error;
      return answer.response;
    }
    // What is left of a refusal is in memory; reading it gives the connection back.
    if ('response' in answer) await answer.response.arrayBuffer();
    if (waitMs > 0) {
      attempts.counted += 1;
      await caller.wait(waitMs, outgoing.signal);
    }
  }
}

async function attempt(
  outgoing: Outgoing,
  token: Secret | null,
  asked: Asked | null,
  { signer, fetch, secrets }: Caller,
): Promise<{ readonly response: Response } | { readonly error: unknown }> {
  const signature = await signer.sign(wireOf(outgoing, signer), token, asked);
  const url = outgoing.origin + (signature.target ?? outgoing.target);
  const init = initOf(outgoing, withHeaders(outgoing.headers, signature.headers), signature.body ?? outgoing.body);
  try {
    return { response: withoutKey(await fetch(url, init), outgoing, secrets) };
  } catch (error) {
    return { error: withoutSecrets(error, token === null ? secrets : [...secrets, token.reveal()]) };
  }
}

/** What is signed of a call: its body only where that was read. */
function wireOf(outgoing: Outgoing, { maxBodyBytes }: Signer): WireRequest {
  return { ...outgoing, body: maxBodyBytes === null ? NO_BYTES : (outgoing.body as Bytes) };
}

/** An answer whose `url` is that of the call, where an App Key stood in the one that was sent: answers are printed. */
function withoutKey(response: Response, { origin, target }: Outgoing, secrets: readonly string[]): Response {
  if (secrets.some((secret) => response.url.includes(secret))) {
    Reflect.defineProperty(response, 'url', { value: origin + target, configurable: true });
  }
  return response;
}

/** How long to wait after an attempt without an answer; null when it was the last. */
function waitAfterError({ method, isRepeatable }: Outgoing, { counted }: Attempts, caller: Caller): number | null {
  if (!isRepeatable || counted >= caller.retries) return null;
  return waitAfterFailure(method, counted, caller.chance());
}

/** How long to wait after an answer, 0 for attempts that do not count; null when it is the caller's. */
async function waitAfterAnswer(
  response: Response,
  outgoing: Outgoing,
  token: Secret | null,
  attempts: Attempts,
  caller: Caller,
): Promise<number | null> {
  const { method, isRepeatable } = outgoing;
  if (!REFUSED_STATUSES.includes(response.status)) return null;
  const refusal = await readRefusal(response, () => caller.clock.seconds() * 1000);
  if (refusal === null) return null;
  const isDropped = dropToken(refusal, token, caller);
  if (!isRepeatable) return null;
  if (isDropped && !attempts.isTokenRenewed) {
    attempts.isTokenRenewed = true;
    return 0;
  }
  if (isExpired(refusal) && !attempts.isClockCorrected && caller.clock.correct(response.headers.get('date'))) {
    attempts.isClockCorrected = true;
    return 0;
  }
  if (attempts.asked === null && isAskedForMore(refusal)) {
    const text = response.headers.get('accept-signature');
    attempts.asked = text === null ? null : (caller.signer.readAsked?.(text, wireOf(outgoing, caller.signer)) ?? null);
    if (attempts.asked !== null) return 0;
  }
  if (attempts.counted >= caller.retries) return null;
  return waitAfterRefusal(method, refusal, attempts.counted, caller.chance());
}

function dropToken({ status, code }: Refusal, token: Secret | null, { signer }: Caller): boolean {
  if (token === null || status !== 401 || code !== 'TOKEN_INVALID') return false;
  signer.tokens?.drop(token);
  return true;
}

function isAskedForMore({ status, code }: Refusal): boolean {
  return status === 401 && ['CREDENTIALS_MISSING', 'CREDENTIALS_MALFORMED', 'AUTHENTICATION_FAILED'].includes(code);
}

function isExpired({ status, code }: Refusal): boolean {
  return status === 401 && code === 'REQUEST_EXPIRED';
}

/** The value of a promise that others wait for too, unless the signal of this call is aborted first. */
async function orAborted<T>(promise: Promise<T> | null, signal: AbortSignal | null): Promise<T | null> {
  if (promise === null || signal === null) return await promise;
  const { promise: aborted, reject } = withReject();
  const abort = (): void => {
    reject(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function withReject(): { readonly promise: Promise<never>; readonly reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<never>((_, given) => {
    reject = given;
  });
  return { promise, reject };
}
