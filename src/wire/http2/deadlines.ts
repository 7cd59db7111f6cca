import type { Clock, StartTimer } from '../../base/clock.ts';
import { LinkedList, type Place } from '../../base/linked-list.ts';

/** A call that must end in time. */
export interface TimedCall<T> {
  /** On the scale of `Clock.nowMs`. */
  readonly deadlineAtMs: number;
  /** Where it is in {@link Deadlines}. */
  deadline: Place<T> | null;
}

/** setTimeout takes no more. */
const MAX_TIMER_MS = 0x7fffffff;

/**
 * The deadlines of calls, on one timer. It stands at the earliest deadline that there was when it was set, and
 * looks at all calls when it is due: with calls that end in time, that is once in the length of a deadline.
 */
export class Deadlines<T extends TimedCall<T>> {
  readonly #clock: Clock;
  readonly #startTimer: StartTimer;
  readonly #expire: (call: T) => void;
  readonly #calls = new LinkedList<T>();
  #dueAtMs = Infinity;
  #cancelTimer: (() => void) | null = null;

  constructor(clock: Clock, startTimer: StartTimer, expire: (call: T) => void) {
    this.#clock = clock;
    this.#startTimer = startTimer;
    this.#expire = expire;
  }

  /** How many calls have not ended. */
  get size(): number {
    return this.#calls.size;
  }

  all(): readonly T[] {
    return this.#calls.values();
  }

  add(call: T): void {
    call.deadline = this.#calls.append(call);
    if (call.deadlineAtMs < this.#dueAtMs) this.#set(call.deadlineAtMs);
  }

  delete(call: T): void {
    if (call.deadline !== null) this.#calls.remove(call.deadline);
    call.deadline = null;
  }

  /** Ends the timer; calls are not ended. */
  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#dueAtMs = Infinity;
  }

  #set(dueAtMs: number): void {
    this.#cancelTimer?.();
    this.#dueAtMs = dueAtMs;
    const delayMs = Math.min(MAX_TIMER_MS, Math.max(1, dueAtMs - this.#clock.nowMs()));
    this.#cancelTimer = this.#startTimer(delayMs, () => {
      this.#look();
    });
  }

  #look(): void {
    this.stop();
    const nowMs = this.#clock.nowMs();
    let nextMs = Infinity;
    for (const call of this.#calls.values()) {
      if (call.deadlineAtMs <= nowMs) this.#expire(call);
      else nextMs = Math.min(nextMs, call.deadlineAtMs);
    }
    if (nextMs < this.#dueAtMs) this.#set(nextMs);
  }
}
