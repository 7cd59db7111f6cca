import { type Clock, type StartTimer } from '../../../src/base/clock.ts';
import { NOON } from './fixed-clock.ts';

interface Timer {
  readonly atMs: number;
  readonly action: () => void;
}

/** Clock and timers that go on only when a test says so. */
export class ManualTime implements Clock {
  readonly #timers = new Set<Timer>();
  #nowMs = NOON * 1000;

  /** Timers that are neither due nor cancelled. */
  get timers(): number {
    return this.#timers.size;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  elapsedMs(): number {
    return this.#nowMs;
  }

  nowSeconds(): number {
    return Math.floor(this.#nowMs / 1000);
  }

  readonly startTimer: StartTimer = (delayMs, action) => {
    const timer = { atMs: this.#nowMs + delayMs, action };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  };

  /** Sets the clock without a timer becoming due, as when the machine's clock is corrected. */
  set(nowMs: number): void {
    this.#nowMs = nowMs;
  }

  /**
   * Goes on by so many milliseconds; timers that become due on the way act in their order, and promises settle after
   * each.
   */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settle();
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.action();
      await settle();
    }
    this.#nowMs = endMs;
    await settle();
  }
}

/** Lets everything happen that waits for nothing but promises. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
