import { hash } from 'node:crypto';
import type { Clock } from './clock.ts';

const MINUTE_MS = 60_000;

/** What one source may do in one minute (spec §3.4). */
export const throttleLimits = { requests: 600, failuresPerClient: 20 } as const;

/** Of sources, and of pairs of client and source; all together about 40 MiB at most. */
export const MAX_RECORDS = 100_000;

/**
 * Slows the guessing of secrets down and lets no caller lock a partner out (spec §3.4): counts requests by source,
 * and failed client authentications by source and client, in fixed minutes of UTC. In the memory of this process.
 *
 * Every count is of one source, whatever others do: memory is bounded by forgetting counts, never by sharing them
 * (docs/oauth2.md, "How guessing is slowed down").
 */
export class Throttle {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #requests: RecentCounts;
  readonly #failures: RecentCounts;
  #minute = 0;

  /** `maxRecords`: how many counts of each kind are kept. */
  constructor(clock: Pick<Clock, 'nowMs'>, { maxRecords = MAX_RECORDS } = {}) {
    this.#clock = clock;
    this.#requests = new RecentCounts(throttleLimits.requests, maxRecords);
    this.#failures = new RecentCounts(throttleLimits.failuresPerClient, maxRecords);
  }

  /** Counts a request. Gives the seconds to wait when it is one too many, else null. */
  takeRequest(source: string): number | null {
    const secondsLeft = this.#enterMinute();
    if (this.#requests.isUsedUp(source)) return secondsLeft;
    this.#requests.count(source);
    return null;
  }

  /** The seconds until a client may try to authenticate from this source again; null when it may now. */
  findWait(source: string, clientId: string): number | null {
    const secondsLeft = this.#enterMinute();
    // Nearly always: no digest is made to find nothing.
    if (!this.#failures.hasUsedUp) return null;
    return this.#failures.isUsedUp(pairOf(source, clientId)) ? secondsLeft : null;
  }

  countFailure(source: string, clientId: string): void {
    this.#enterMinute();
    this.#failures.count(pairOf(source, clientId));
  }

  /** Gives the seconds until the minute ends. */
  #enterMinute(): number {
    const nowMs = this.#clock.nowMs();
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#requests.clear();
      this.#failures.clear();
    }
    return Math.ceil((MINUTE_MS - (nowMs % MINUTE_MS)) / 1000);
  }
}

/** A digest: a text that was cut out of a body would keep the whole body in memory. No source holds a blank. */
function pairOf(source: string, clientId: string): string {
  return hash('sha256', `${source} ${clientId}`, 'base64url');
}

/**
 * Counts up to a limit by key, for so many keys. A key too many takes the place of the one that was not counted for the
 * longest time, of those below the limit while there are any: what is used up stays so, unless everything is.
 */
class RecentCounts {
  readonly #limit: number;
  readonly #maxKeys: number;
  /** The least recent first. */
  readonly #below = new Map<string, number>();
  readonly #usedUp = new Set<string>();

  constructor(limit: number, maxKeys: number) {
    this.#limit = limit;
    this.#maxKeys = maxKeys;
  }

  get hasUsedUp(): boolean {
    return this.#usedUp.size > 0;
  }

  isUsedUp(key: string): boolean {
    return this.#usedUp.has(key);
  }

  count(key: string): void {
    if (this.#usedUp.has(key)) return;
    const counted = (this.#below.get(key) ?? 0) + 1;
    this.#below.delete(key);
    if (this.#below.size + this.#usedUp.size >= this.#maxKeys)
      forgetFirst(this.#below.size > 0 ? this.#below : this.#usedUp);
    if (counted >= this.#limit) this.#usedUp.add(key);
    else this.#below.set(key, counted);
  }

  clear(): void {
    this.#below.clear();
    this.#usedUp.clear();
  }
}

function forgetFirst(keys: Map<string, number> | Set<string>): void {
  for (const key of keys.keys()) {
    keys.delete(key);
    return;
  }
}
