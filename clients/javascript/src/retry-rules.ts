import type { Refusal } from './refusal.ts';

const MOST_SECONDS = 60;
const SHARE_BY_CHANCE = 0.2;
/** A timer may end a little early; two attempts in one second would have one signature. */
const MARGIN_MS = 10;
/** What the gateway answers when it could not decide; such a request never reached the API. */
const UNDECIDED = ['STORE_UNAVAILABLE', 'LIMITER_UNAVAILABLE', 'UNAVAILABLE'];
const REPEATABLE = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];

/**
 * How long to wait before a refused call is made again, in milliseconds; null when it is not. `failures` says how often
 * it was made again before; `chance` is at least 0 and below 1.
 */
export function waitAfterRefusal(
  method: string,
  { status, code, retryAfter, acceptedBefore }: Refusal,
  failures: number,
  chance: number,
): number | null {
  if (status === 429 && code === 'RATE_LIMITED') {
    return retryAfter !== null && retryAfter <= MOST_SECONDS ? atLeastASecond(retryAfter) : null;
  }
  if (status === 503 && UNDECIDED.includes(code)) {
    if (retryAfter !== null && retryAfter > MOST_SECONDS) return null;
    return atLeastASecond((retryAfter ?? doubled(failures)) * (1 + SHARE_BY_CHANCE * chance));
  }
  return acceptedBefore && REPEATABLE.includes(method) ? atLeastASecond(1) : null;
}

/** The same after a call that had no answer: null for methods that may not be repeated. */
export function waitAfterFailure(method: string, failures: number, chance: number): number | null {
  return REPEATABLE.includes(method) ? atLeastASecond(doubled(failures) * (1 + SHARE_BY_CHANCE * chance)) : null;
}

function doubled(failures: number): number {
  return Math.min(MOST_SECONDS, 2 ** failures);
}

function atLeastASecond(seconds: number): number {
  return Math.max(1, seconds) * 1000 + MARGIN_MS;
}

/** Waits on the machine's timers. Rejects with the reason of the signal when that is aborted. */
export async function waitFor(milliseconds: number, signal: AbortSignal | null): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      // The reason is whatever the caller chose.
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
