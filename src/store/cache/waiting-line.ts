import type { Clock, StartTimer } from '../../clock.ts';
import { LookUpsOverloaded } from './look-ups-overloaded.ts';

interface Waiter {
  readonly untilMs: number;
  readonly admit: () => void;
  readonly refuse: (reason: LookUpsOverloaded) => void;
}

/** A line of look-ups that wait for their turn, first come first served; short, and nobody waits in it for long. */
export class WaitingLine {
  readonly #maxWaiting: number;
  readonly #maxWaitMs: number;
  readonly #clock: Clock;
  readonly #startTimer: StartTimer;
  readonly #waiters = new Set<Waiter>();
  #cancelTimer: (() => void) | null = null;

  constructor(
    maxWaiting: number,
    maxWaitMs: number,
    ports: { readonly clock: Clock; readonly startTimer: StartTimer },
  ) {
    this.#maxWaiting = maxWaiting;
    this.#maxWaitMs = maxWaitMs;
    this.#clock = ports.clock;
    this.#startTimer = ports.startTimer;
  }

  get length(): number {
    return this.#waiters.size;
  }

  /** Resolves when it is this one's turn; rejects with {@link LookUpsOverloaded} after too long. Null: the line is full. */
  join(): Promise<void> | null {
    if (this.#waiters.size >= this.#maxWaiting) return null;
    return new Promise((resolve, reject) => {
      this.#waiters.add({ untilMs: this.#clock.nowMs() + this.#maxWaitMs, admit: resolve, refuse: reject });
      this.#cancelTimer ??= this.#startTimer(this.#maxWaitMs, this.#refuseLate);
    });
  }

  /** Lets the first one go on; false when nobody waits. */
  admitFirst(): boolean {
    const [first] = this.#waiters;
    if (first === undefined) return false;
    this.#waiters.delete(first);
    if (this.#waiters.size === 0) this.#stopTimer();
    first.admit();
    return true;
  }

  /** Refuses everybody. */
  close(): void {
    this.#stopTimer();
    for (const waiter of this.#waiters) waiter.refuse(new LookUpsOverloaded('look-ups have ended'));
    this.#waiters.clear();
  }

  readonly #refuseLate = (): void => {
    this.#cancelTimer = null;
    const nowMs = this.#clock.nowMs();
    for (const waiter of this.#waiters) {
      // More than the longest wait is left only after the clock was set back.
      const leftMs = Math.min(waiter.untilMs - nowMs, this.#maxWaitMs);
      if (leftMs > 0) {
        this.#cancelTimer = this.#startTimer(leftMs, this.#refuseLate);
        return;
      }
      this.#waiters.delete(waiter);
      waiter.refuse(new LookUpsOverloaded('too many App Keys are being looked up; this one waited in vain'));
    }
  };

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }
}
