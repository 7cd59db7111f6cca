import type { Clock, StartTimer } from '../clock.ts';
import { LinkedList } from '../linked-list.ts';
import type { ClientCall } from './client-call.ts';

/**
 * The deadlines of all calls, on one timer. It stands at the earliest deadline that there was when it was set, and
 * looks at all calls when it is due: with calls that end in time, that is once in the length of a deadline.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #startTimer: StartTimer;
  readonly #expire: (call: ClientCall) => void;
  readonly #calls = new LinkedList<ClientCall>();
  #dueAtMs = Infinity;
  #cancelTimer: (() => void) | null = null;

  constructor(clock: Clock, startTimer: StartTimer, expire: (call: ClientCall) => void) {
    this.#clock = clock;
    this.#startTimer = startTimer;
    this.#expire = expire;
  }

  /** How many calls have not ended. */
  get size(): number {
    return this.#calls.size;
  }

  all(): readonly ClientCall[] {
    return this.#calls.values();
  }

  add(call: ClientCall): void {
    call.deadline = this.#calls.append(call);
    if (call.deadlineAtMs < this.#dueAtMs) this.#set(call.deadlineAtMs);
  }

  delete(call: ClientCall): void {
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
    const delayMs = Math.max(1, dueAtMs - this.#clock.nowMs());
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
