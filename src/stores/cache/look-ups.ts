import type { Clock, StartTimer } from '../../base/clock.ts';
import type { Outlook } from '../../base/resilience/breaker.ts';
import { type HeldCredential, isOutage, StoreUnavailable } from '../../check/store/credential-source.ts';
import type { CacheCounters } from './cache-figures.ts';
import type { LookUpGate, LookUpLane } from './look-up-gate.ts';
import type { RecentChanges } from './recent-changes.ts';
import type { UnknownBudget } from './unknown-app-keys.ts';

/** Reads credentials from the store itself. */
export interface CredentialReader {
  /** What to expect of a read. */
  readonly outlook: Outlook;
  /**
   * The holder of the App Key with this hash (`hashAppKey`), with consumer and grants; null when there is none. The
   * result is no older than any change that the cache got before the call. Settles within a deadline of its own;
   * rejects with `StoreUnavailable` when the store has no answer, and with `CredentialUnreadable` when its answer is of
   * no use.
   */
  read(appKeyHash: string): Promise<HeldCredential | null>;
}

/** More look-ups are wanted than the store gets. Nothing is the matter with the store itself. */
export class LookUpsOverloaded extends StoreUnavailable {}

/** Reads of one look-up at most, whose result keeps changing. */
const MAX_READS = 3;
/** No read is repeated later than this after the first. */
const REPEAT_WITHIN_MS = 300;

/** What a look-up found. */
export interface Found {
  readonly held: HeldCredential | null;
  /**
   * The latest change that it takes into account, by the number of {@link RecentChanges}: it is an answer for every
   * caller who asked no later than that. A change of it during the read is one that it may lack.
   */
  readonly sequence: number;
}

/** What look-ups need. */
export interface LookUpPorts {
  readonly reader: CredentialReader;
  readonly gate: LookUpGate;
  readonly budget: UnknownBudget;
  readonly changes: RecentChanges;
  readonly clock: Clock;
  readonly startTimer: StartTimer;
  readonly counters: CacheCounters;
  /** How long {@link LookUp.patience} lasts, from the beginning of the look-up. */
  readonly patienceMs: number;
  /** Called with the result and when its read began, in the turn in which it is certain that no change touched it. */
  readonly onFound: (appKeyHash: string, held: HeldCredential | null, readAtMs: number) => void;
  readonly onStoreFault: () => void;
  /** A look-up was not made, because there were too many. */
  readonly onRefused: () => void;
}

/** Looks up App Keys in the store: each once at a time, and again when it was changed while it was read. */
export class LookUps {
  readonly #ports: LookUpPorts;
  readonly #underWay = new Map<string, LookUp>();

  constructor(ports: LookUpPorts) {
    this.#ports = ports;
  }

  /** Look-ups that run or wait for their turn. */
  get size(): number {
    return this.#underWay.size;
  }

  /** The look-up of this App Key that is under way, or a new one; null when there is no room for another. */
  ask(appKeyHash: string, lane: LookUpLane): LookUp | null {
    return this.#underWay.get(appKeyHash) ?? this.#begin(appKeyHash, lane);
  }

  /** Ends all waiting. Reads that run come to their own end. */
  close(): void {
    this.#ports.gate.close();
    for (const lookUp of this.#underWay.values()) lookUp.end();
  }

  #begin(appKeyHash: string, lane: LookUpLane): LookUp | null {
    const { gate, budget, onStoreFault } = this.#ports;
    const isPaid = lane === 'unseen';
    if (isPaid && !budget.take()) {
      this.#refuse();
      return null;
    }
    const reading = gate.run(lane, async () => await this.#read(appKeyHash));
    if (reading === null) {
      if (isPaid) budget.giveBack();
      // A refresh in the background is left to the next caller.
      if (lane !== 'background') this.#refuse();
      return null;
    }
    const lookUp = new LookUp(reading, this.#ports);
    this.#underWay.set(appKeyHash, lookUp);
    const end = (): void => {
      lookUp.end();
      if (this.#underWay.get(appKeyHash) === lookUp) this.#underWay.delete(appKeyHash);
    };
    reading.then(
      ({ held }) => {
        end();
        if (isPaid && held !== null) budget.giveBack();
      },
      (error: unknown) => {
        end();
        if (isPaid) budget.giveBack();
        if (error instanceof LookUpsOverloaded) this.#refuse();
        else if (isOutage(error)) onStoreFault();
      },
    );
    return lookUp;
  }

  #refuse(): void {
    this.#ports.counters.refusedLookUps += 1;
    this.#ports.onRefused();
  }

  async #read(appKeyHash: string): Promise<Found> {
    try {
      return await this.#readUntouched(appKeyHash);
    } finally {
      // In the turn that decides the result: it is no answer for later callers.
      this.#underWay.delete(appKeyHash);
    }
  }

  async #readUntouched(appKeyHash: string): Promise<Found> {
    const { reader, changes, clock, counters, onFound } = this.#ports;
    const startMs = clock.nowMs();
    for (let reads = 1; ; reads += 1) {
      const { sequence } = changes;
      const readAtMs = clock.nowMs();
      counters.reads += 1;
      if (reads > 1) counters.repeatedReads += 1;
      const held = await reader.read(appKeyHash);
      if (!changes.touched(sequence, appKeyHash, held)) {
        onFound(appKeyHash, held, readAtMs);
        return { held, sequence: changes.sequence };
      }
      if (reads === MAX_READS || clock.nowMs() - startMs > REPEAT_WITHIN_MS) return { held, sequence };
    }
  }
}

/** A look-up under way. All callers with the same App Key wait for the same one. */
export class LookUp {
  readonly found: Promise<Found>;
  readonly #ports: Pick<LookUpPorts, 'clock' | 'startTimer' | 'patienceMs'>;
  readonly #untilMs: number;
  #patience: Promise<'no answer yet'> | null = null;
  #cancelTimer: (() => void) | null = null;

  constructor(found: Promise<Found>, ports: Pick<LookUpPorts, 'clock' | 'startTimer' | 'patienceMs'>) {
    this.found = found;
    this.#ports = ports;
    this.#untilMs = ports.clock.nowMs() + ports.patienceMs;
  }

  /** Resolves once the look-up has taken as long as a caller who could be served otherwise should wait. */
  patience(): Promise<'no answer yet'> {
    this.#patience ??= new Promise((resolve) => {
      const { clock, startTimer, patienceMs } = this.#ports;
      const leftMs = Math.min(this.#untilMs - clock.nowMs(), patienceMs);
      this.#cancelTimer = startTimer(Math.max(0, leftMs), () => {
        resolve('no answer yet');
      });
    });
    return this.#patience;
  }

  /** The look-up is over: patience is no longer of interest. */
  end(): void {
    this.#cancelTimer?.();
  }
}
