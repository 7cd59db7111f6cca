import { parseHttpDate } from './http-date.ts';

/** The clock of a client: the machine's, and by how much it is corrected. */
export class ClientClock {
  readonly #now: () => number;
  readonly #mostMs: number;
  #offsetMs = 0;

  /** `now` gives milliseconds since 1970. Differences over `correctionSeconds` are never corrected. */
  constructor(now: () => number, correctionSeconds: number) {
    this.#now = now;
    this.#mostMs = correctionSeconds * 1000;
  }

  /** The time in whole seconds since 1970. */
  seconds(): number {
    return Math.floor((this.#now() + this.#offsetMs) / 1000);
  }

  /** The machine's time in milliseconds, never corrected: for what lies between two moments. */
  machineMs(): number {
    return this.#now();
  }

  /** Whether this clock and the `Date` of an answer are at least so many seconds apart. */
  isOffBy(date: string | null, leastSeconds: number): boolean {
    const serverMs = parseHttpDate(date);
    return serverMs !== null && Math.abs(serverMs / 1000 - this.seconds()) >= leastSeconds;
  }

  /** Goes by the `Date` of an answer from now on. @returns false when there is none, or it is too far off. */
  correct(date: string | null): boolean {
    const serverMs = parseHttpDate(date);
    if (serverMs === null || this.#mostMs === 0) return false;
    const offsetMs = serverMs - Math.floor(this.#now() / 1000) * 1000;
    if (Math.abs(offsetMs) > this.#mostMs) return false;
    this.#offsetMs = offsetMs;
    return true;
  }
}
