/** The part of their life after which keys are fetched again: between these, so that replicas do not ask together. */
const REFRESH_AFTER = { least: 0.75, most: 0.9 };
/** How long a failed fetch waits for the next: doubled with each, up to the longest. */
const RETRY_MS = { first: 5000, longest: 60_000 };
/** Replicas that failed together ask apart. */
const RETRY_SPREAD = 0.2;

/** After how many milliseconds keys of such a life are fetched again, before it ends. `random` is from 0 to 1. */
export function refreshAfterMs(lifeSeconds: number, random: number): number {
  const part = REFRESH_AFTER.least + (REFRESH_AFTER.most - REFRESH_AFTER.least) * random;
  return Math.round(lifeSeconds * 1000 * part);
}

/** After how many milliseconds a fetch is tried again that failed so many times in a row, 1 or more. */
export function retryAfterMs(failures: number, random: number): number {
  const delayMs = Math.min(RETRY_MS.first * 2 ** Math.min(failures - 1, 10), RETRY_MS.longest);
  return Math.round(delayMs * (1 - RETRY_SPREAD + 2 * RETRY_SPREAD * random));
}
