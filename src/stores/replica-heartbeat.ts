import { type StartTimer, waitAtMost } from '../base/clock.ts';
import type { StoreRevision } from '../model/store-revision.ts';
import type { WriteObserver } from '../base/batch-writer.ts';

/** What a replica says of itself to operators. Nothing of it is secret. */
export interface ReplicaReport {
  /** Which commits of the store it decides by; null until it knows. */
  readonly revision: StoreRevision | null;
  /** How changes come: `following`, `polling`, or `waiting` while they do not. */
  readonly mode: 'following' | 'polling' | 'waiting';
  /** Why it takes no checks, in words; null when it does. */
  readonly unreadiness: string | null;
}

/** Where replicas say that they are there. */
export interface ReplicaRegister {
  /** Replaces what this replica said before. Settles within a deadline of its own; rejects with `StoreUnavailable`. */
  report(report: ReplicaReport): Promise<void>;
  /** This replica ends. As {@link report}. */
  leave(): Promise<void>;
}

/** What a heartbeat needs. */
export interface ReplicaHeartbeatPorts {
  readonly register: ReplicaRegister;
  readonly describe: () => ReplicaReport;
  readonly startTimer: StartTimer;
  readonly observer: WriteObserver;
}

/** A replica that was not heard of for three of these is suspect. */
export const HEARTBEAT_MS = 5000;
/** So many milliseconds at least are between two reports, however often the revision changes: four a second at most. */
const LEAST_GAP_MS = 250;
/** How long disposal waits for the farewell. */
const LAST_WRITE_MS = 1500;

/** Reports a replica every five seconds, and soon after its revision changed. Nothing waits for it. */
export class ReplicaHeartbeat implements AsyncDisposable {
  readonly #ports: ReplicaHeartbeatPorts;
  #cancelTimer: (() => void) | null = null;
  #reporting: Promise<void> | null = null;
  /** Whether a report was made in the last {@link LEAST_GAP_MS}. */
  #isEarly = false;
  #isWanted = false;
  #isFailing = false;
  #isDisposed = false;

  constructor(ports: ReplicaHeartbeatPorts) {
    this.#ports = ports;
    this.soon();
  }

  /** What it reports has changed. */
  soon(): void {
    this.#isWanted = true;
    if (this.#reporting === null && !this.#isEarly && !this.#isDisposed) this.#begin();
  }

  /** Says farewell, waiting a moment at most, and ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#cancelTimer?.();
    // An entry that stays goes by itself, later.
    const left = (this.#reporting ?? Promise.resolve()).then(() => this.#ports.register.leave()).catch(() => undefined);
    await waitAtMost(LAST_WRITE_MS, left, this.#ports.startTimer);
  }

  #begin(): void {
    this.#isWanted = false;
    this.#isEarly = true;
    this.#reporting = this.#report().finally(() => {
      this.#reporting = null;
      this.#wait(LEAST_GAP_MS, () => {
        this.#isEarly = false;
        if (this.#isWanted) this.#begin();
        else
          this.#wait(HEARTBEAT_MS - LEAST_GAP_MS, () => {
            this.#begin();
          });
      });
    });
  }

  #wait(delayMs: number, next: () => void): void {
    this.#cancelTimer?.();
    if (!this.#isDisposed) this.#cancelTimer = this.#ports.startTimer(delayMs, next);
  }

  async #report(): Promise<void> {
    const { register, describe, observer } = this.#ports;
    try {
      await register.report(describe());
    } catch (error) {
      if (!this.#isFailing) observer.writeFailed(error);
      this.#isFailing = true;
      return;
    }
    if (this.#isFailing) observer.writeWorks();
    this.#isFailing = false;
  }
}
