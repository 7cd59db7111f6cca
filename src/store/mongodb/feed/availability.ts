import type { Clock } from '../../../clock.ts';

/** What can be away: the changes, the look-ups of credentials, the list of revoked tokens. */
export type StorePart = 'changes' | 'look-ups' | 'revoked-tokens';

/** Whom an availability tells, once for each outage however many parts it has. */
export interface AvailabilityObserver {
  /** The store is away, or is away for another reason than was told. */
  away(fault: Error): void;
  /** All of it is back, after so many seconds. */
  back(awaySeconds: number): void;
}

/** Whether the store answers, as far as changes and look-ups have shown. */
export class Availability {
  readonly #clock: Clock;
  readonly #observer: AvailabilityObserver;
  readonly #away = new Map<StorePart, string>();
  #sinceMs = 0;
  #toldReason: string | null = null;

  constructor(clock: Clock, observer: AvailabilityObserver) {
    this.#clock = clock;
    this.#observer = observer;
  }

  get isUp(): boolean {
    return this.#away.size === 0;
  }

  /** A part is away. `reason` is the same for the same outage. */
  lose(part: StorePart, reason: string, fault: Error): void {
    if (this.#away.size === 0) this.#sinceMs = this.#clock.nowMs();
    this.#away.set(part, reason);
    if (this.#toldReason === reason) return;
    // What else fails while changes do is no news.
    if (this.#toldReason !== null && part !== 'changes') return;
    this.#toldReason = reason;
    this.#observer.away(fault);
  }

  /** A part is back. */
  regain(part: StorePart): void {
    if (!this.#away.delete(part) || this.#away.size > 0) return;
    this.#toldReason = null;
    this.#observer.back(Math.max(0, Math.round((this.#clock.nowMs() - this.#sinceMs) / 1000)));
  }
}
