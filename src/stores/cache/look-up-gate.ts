import type { Clock, StartTimer } from '../../base/clock.ts';
import { LookUpsOverloaded } from './look-ups.ts';

interface Timing {
  readonly clock: Clock;
  readonly startTimer: StartTimer;
}

interface Waiter {
  readonly untilMs: number;
  readonly admit: () => void;
  readonly refuse: (reason: LookUpsOverloaded) => void;
}

/** A short line of look-ups that wait for their turn, first come first served, and never for long. */
class WaitingLine {
  readonly #maxWaiting: number;
  readonly #maxWaitMs: number;
  readonly #clock: Clock;
  readonly #startTimer: StartTimer;
  readonly #waiters = new Set<Waiter>();
  #cancelTimer: (() => void) | null = null;

  constructor(maxWaiting: number, maxWaitMs: number, ports: Timing) {
    this.#maxWaiting = maxWaiting;
    this.#maxWaitMs = maxWaitMs;
    this.#clock = ports.clock;
    this.#startTimer = ports.startTimer;
  }

  get length(): number {
    return this.#waiters.size;
  }

  /** Resolves when it is this one's turn; rejects with `LookUpsOverloaded` after too long. Null: the line is full. */
  join(): Promise<void> | null {
    if (this.#waiters.size >= this.#maxWaiting) return null;
    return new Promise((resolve, reject) => {
      this.#waiters.add({ untilMs: this.#clock.nowMs() + this.#maxWaitMs, admit: resolve, refuse: reject });
      this.#cancelTimer ??= this.#startTimer(this.#maxWaitMs, this.#refuseLate);
    });
  }

  /** Lets the first one go on; false for an empty line. */
  admitFirst(): boolean {
    const [first] = this.#waiters;
    if (first === undefined) return false;
    this.#waiters.delete(first);
    if (this.#waiters.size === 0) this.#stopTimer();
    first.admit();
    return true;
  }

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

/**
 * Why a look-up is made: for an App Key that was seen to have a holder; for one never seen; or in the background, only
 * to refresh an entry.
 */
export type LookUpLane = 'known' | 'unseen' | 'background';

/** Look-ups of credentials that a replica makes at the same time, each on a connection of its own. */
export const MAX_LOOK_UPS = 10;

/** How many look-ups run and wait at most. */
export interface GateLimits {
  readonly maxRunning: number;
  /** At the same time for App Keys never seen; less than `maxRunning`, so that they never take all. */
  readonly maxUnseenRunning: number;
  readonly maxBackgroundRunning: number;
  readonly maxKnownWaiting: number;
  readonly maxUnseenWaiting: number;
  readonly maxWaitMs: number;
}

/**
 * Bounds how many look-ups the store has to answer at the same time, in lanes. Known App Keys go first and find a place
 * whatever the others do; those never seen share some of the places and have a line of their own; look-ups in the
 * background take a place only when one is free. Work that finds no place is refused at once, or when it has waited too
 * long.
 */
export class LookUpGate {
  readonly #limits: GateLimits;
  readonly #running: Record<LookUpLane, number> = { known: 0, unseen: 0, background: 0 };
  readonly #lines: Readonly<Record<'known' | 'unseen', WaitingLine>>;

  constructor(limits: GateLimits, ports: Timing) {
    this.#limits = limits;
    this.#lines = {
      known: new WaitingLine(limits.maxKnownWaiting, limits.maxWaitMs, ports),
      unseen: new WaitingLine(limits.maxUnseenWaiting, limits.maxWaitMs, ports),
    };
  }

  get running(): number {
    return this.#running.known + this.#running.unseen + this.#running.background;
  }

  get waiting(): number {
    return this.#lines.known.length + this.#lines.unseen.length;
  }

  /** Does the work at once or in turn; null without room for it. Rejects with `LookUpsOverloaded` after a long wait. */
  run<T>(lane: LookUpLane, work: () => Promise<T>): Promise<T> | null {
    if (this.#hasPlace(lane)) {
      this.#running[lane] += 1;
      return this.#work(lane, work);
    }
    const turn = lane === 'background' ? null : this.#lines[lane].join();
    return turn?.then(async () => await this.#work(lane, work)) ?? null;
  }

  /** Refuses all that wait. What runs comes to its own end. */
  close(): void {
    this.#lines.known.close();
    this.#lines.unseen.close();
  }

  /** A waiting look-up goes before a new one of its lane: a place is free only when no waiting one can take it. */
  #hasPlace(lane: LookUpLane): boolean {
    if (this.running >= this.#limits.maxRunning) return false;
    switch (lane) {
      case 'known':
        return true;
      case 'unseen':
        return this.#running.unseen < this.#limits.maxUnseenRunning;
      case 'background':
        return this.#running.background < this.#limits.maxBackgroundRunning;
    }
  }

  async #work<T>(lane: LookUpLane, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.#running[lane] -= 1;
      this.#admitNext();
    }
  }

  /** Counts the next one in before it goes on, so that no other takes its place. */
  #admitNext(): void {
    for (const lane of ['known', 'unseen'] as const) {
      if (this.#hasPlace(lane) && this.#lines[lane].admitFirst()) {
        this.#running[lane] += 1;
        return;
      }
    }
  }
}
