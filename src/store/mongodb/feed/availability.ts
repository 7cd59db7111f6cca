import type { Clock, StartTimer } from '../../../clock.ts';
import { StoreUnavailable } from '../../credential-source.ts';

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

/** How often a store in doubt is asked. */
const INTERVAL_MS = 1000;
/** One failure may be an election or a lost packet; an outage fails again. */
const FAILURES_TO_TELL = 2;

/** What a probe needs. */
export interface LookUpProbePorts {
  /** Whether anything suggests that the store does not answer. While it does not, nothing is asked. */
  readonly isInDoubt: () => boolean;
  /** Looks up an App Key that no consumer has. Rejects with `StoreUnavailable` when the store has no answer. */
  readonly ask: () => Promise<unknown>;
  readonly startTimer: StartTimer;
  readonly defect: (error: unknown) => void;
}

/**
 * Finds out whether credentials can be looked up, without waiting for callers to fail: while the store is in doubt it is
 * asked once a second. Losing the change streams alone is no outage, since a secondary may still answer look-ups.
 */
export class LookUpProbe implements Disposable {
  readonly #ports: LookUpProbePorts;
  #failures = 0;
  #cancelTimer: () => void;
  #isDisposed = false;

  constructor(ports: LookUpProbePorts) {
    this.#ports = ports;
    this.#cancelTimer = this.#nextTick();
  }

  /** Whether the last look-ups failed, two at least: callers who are not in memory cannot be decided. */
  get fails(): boolean {
    return this.#failures >= FAILURES_TO_TELL;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#cancelTimer();
  }

  #nextTick(): () => void {
    return this.#ports.startTimer(INTERVAL_MS, () => {
      void this.#tick();
    });
  }

  async #tick(): Promise<void> {
    this.#failures = this.#ports.isInDoubt() && !(await this.#isAnswered()) ? this.#failures + 1 : 0;
    if (!this.#isDisposed) this.#cancelTimer = this.#nextTick();
  }

  async #isAnswered(): Promise<boolean> {
    try {
      await this.#ports.ask();
      return true;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.#ports.defect(error);
      return false;
    }
  }
}
