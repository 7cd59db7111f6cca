import { type StartTimer, waitAtMost } from './clock.ts';

/** What is gathered in memory and written in batches, off the path of checks. */
export interface BatchWork {
  /** Whether something waits to be written. */
  isWaiting(): boolean;
  /**
   * Writes what waits now; what comes during it may wait for the next time. Never called while it runs. Settles within
   * a deadline of its own. Rejects when something could not be written: that waits again, and the next call writes it.
   * A write whose outcome is unknown is repeated in this way too, so writing the same twice must change nothing.
   */
  write(): Promise<void>;
}

/** What a {@link BatchWriter} needs. */
export interface BatchPorts {
  readonly startTimer: StartTimer;
  readonly observer: WriteObserver;
}

/** What is reported of writing. */
export interface WriteObserver {
  /** A batch could not be written; it is kept and written again. Called once until one is written. */
  writeFailed(error: unknown): void;
  writeWorks(): void;
}

/** How often is written, and for how long disposal waits for the last time. Milliseconds. */
export interface BatchTimes {
  readonly intervalMs: number;
  readonly lastWriteMs: number;
}

/**
 * Says when batches are written: so long after something began to wait, one at a time, again after a failure, and once
 * more at the end. Its owner gathers what is written, and ends it with itself.
 */
export class BatchWriter implements AsyncDisposable {
  readonly #work: BatchWork;
  readonly #ports: BatchPorts;
  readonly #times: BatchTimes;
  #cancelTimer: (() => void) | null = null;
  #writing: Promise<void> | null = null;
  #isFailing = false;
  #isDisposed = false;

  constructor(work: BatchWork, ports: BatchPorts, times: BatchTimes) {
    this.#work = work;
    this.#ports = ports;
    this.#times = times;
  }

  /** Something waits: it is written when the interval is over. Calling it again changes nothing. */
  wake(): void {
    if (this.#isDisposed || this.#writing !== null) return;
    this.#cancelTimer ??= this.#ports.startTimer(this.#times.intervalMs, () => {
      this.#cancelTimer = null;
      this.#writing = this.#write().finally(() => {
        this.#writing = null;
        if (this.#work.isWaiting()) this.wake();
      });
    });
  }

  /** Writes what waits, for as long as its times allow, and ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const written = (this.#writing ?? Promise.resolve()).then(() => this.#write());
    await waitAtMost(this.#times.lastWriteMs, written, this.#ports.startTimer);
  }

  async #write(): Promise<void> {
    if (!this.#work.isWaiting()) return;
    const { observer } = this.#ports;
    try {
      await this.#work.write();
    } catch (error) {
      if (!this.#isFailing) observer.writeFailed(error);
      this.#isFailing = true;
      return;
    }
    if (this.#isFailing) observer.writeWorks();
    this.#isFailing = false;
  }
}
