import type { Clock, StartTimer } from '../../../base/clock.ts';
import type { DatabaseObserver } from '../../../check/store/check-store.ts';
import { StoreUnavailable } from '../../../check/store/credential-source.ts';
import { MongodbUnavailable, translateFault } from '../faults.ts';

/** What can be down: the changes, the look-ups of credentials, the list of revoked tokens. */
export type StorePart = 'changes' | 'look-ups' | 'revoked-tokens';

/** Reasons that pass without an operator: one outage may show several of them. */
const passing: ReadonlySet<string> = new Set(['unreachable', 'slow', 'no-primary']);

function isPassing(fault: Error): boolean {
  return fault instanceof MongodbUnavailable && passing.has(fault.reason);
}

/** Whether the store answers, as far as its parts have shown. Reports each outage once, however many parts it has. */
export class Availability {
  readonly #clock: Clock;
  readonly #observer: Pick<DatabaseObserver, 'down' | 'up' | 'defect'>;
  readonly #down = new Map<StorePart, Error>();
  #sinceMs = 0;
  #reported: string | null = null;

  constructor(clock: Clock, observer: Pick<DatabaseObserver, 'down' | 'up' | 'defect'>) {
    this.#clock = clock;
    this.#observer = observer;
  }

  get isUp(): boolean {
    return this.#down.size === 0;
  }

  /** Why it is down, in words; null while it is up. What does not pass without an operator comes first. */
  describe(): string | null {
    const faults = [...this.#down.values()];
    const [lasting] = faults.filter((fault) => !isPassing(fault));
    if (lasting !== undefined) return lasting.message;
    return faults.length === 0 ? null : 'MongoDB does not answer';
  }

  /** A part is down, with the driver's error. Gives it in words for people. */
  lose(part: StorePart, error: unknown): Error {
    const translated = translateFault(error);
    const fault = translated instanceof Error ? translated : new Error('an unknown fault');
    const reason = fault instanceof MongodbUnavailable ? fault.reason : 'defect';
    if (reason === 'defect') this.#observer.defect(translated);
    if (this.isUp) this.#sinceMs = this.#clock.nowMs();
    this.#down.set(part, fault);
    const outage = passing.has(reason) ? 'passing' : reason;
    // While changes fail, failures of other parts are no news.
    if (this.#reported !== outage && (this.#reported === null || part === 'changes')) {
      this.#reported = outage;
      this.#observer.down(reason, fault.message);
    }
    return fault;
  }

  regain(part: StorePart): void {
    if (!this.#down.delete(part) || !this.isUp) return;
    this.#reported = null;
    this.#observer.up(Math.max(0, Math.round((this.#clock.nowMs() - this.#sinceMs) / 1000)));
  }
}

const INTERVAL_MS = 1000;
/** One failure may be an election or a lost packet; an outage fails again. */
const FAILURES_TO_COUNT = 2;

/** What a probe needs. */
export interface LookUpProbePorts {
  /** Whether anything suggests that the store does not answer. Without any doubt there is no probe. */
  readonly isInDoubt: () => boolean;
  /** Looks up an App Key that no consumer has. Rejects with `StoreUnavailable` when the store has no answer. */
  readonly ask: () => Promise<unknown>;
  readonly startTimer: StartTimer;
  readonly observer: Pick<DatabaseObserver, 'defect'>;
}

/**
 * Finds out whether credentials can be looked up, without waiting for callers to fail: while the store is in doubt,
 * with one look-up a second. Losing the change streams alone is no outage, since a secondary may still answer look-ups.
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
    return this.#failures >= FAILURES_TO_COUNT;
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
      if (!(error instanceof StoreUnavailable)) this.#ports.observer.defect(error);
      return false;
    }
  }
}
