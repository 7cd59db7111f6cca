import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';

const FRESH_MS = 60_000;
const USABLE_MS = 600_000;

/** An answer, and when it was asked for. */
export interface Dated<T> {
  readonly value: T;
  readonly atMs: number;
}

/**
 * The last answer to a question that costs much. A fresh one serves everybody; an older one serves, too, while the next
 * is on its way. The question is asked once at a time, and only when somebody wants the answer.
 */
export class KeptAnswer<T> {
  readonly #ask: () => Promise<T>;
  readonly #clock: Pick<Clock, 'nowMs'>;
  #last: Dated<T> | null = null;
  #asked: Promise<Dated<T>> | null = null;

  constructor(ask: () => Promise<T>, clock: Pick<Clock, 'nowMs'>) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** At most ten minutes old. Rejects where the question fails and no such answer is there. */
  async read(): Promise<Dated<T>> {
    const age = this.#last === null ? Infinity : Math.abs(this.#clock.nowMs() - this.#last.atMs);
    if (this.#last !== null && age < FRESH_MS) return this.#last;
    this.#asked ??= this.#askAgain();
    if (this.#last === null || age >= USABLE_MS) return await this.#asked;
    // Who asks after that gets the next answer, or learns why there is none.
    this.#asked.catch(() => undefined);
    return this.#last;
  }

  /** {@link read}, or null where no answer comes in this time, in milliseconds: the question is asked on. */
  async readWithin(milliseconds: number): Promise<Dated<T> | null> {
    const reading = this.read();
    const over = new AbortController();
    try {
      return await Promise.race([reading, delay(milliseconds, null, { signal: over.signal })]);
    } finally {
      over.abort();
      // Who asks next learns of it.
      reading.catch(() => undefined);
    }
  }

  async #askAgain(): Promise<Dated<T>> {
    const atMs = this.#clock.nowMs();
    try {
      this.#last = { value: await this.#ask(), atMs };
      return this.#last;
    } finally {
      this.#asked = null;
    }
  }
}
