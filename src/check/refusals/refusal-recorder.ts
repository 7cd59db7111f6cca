import type { Clock, StartTimer } from '../../base/clock.ts';
import {
  createIdMaker,
  describeRefusal,
  readFacts,
  type RefusedRequest,
  type RequestFacts,
  type UnmatchedKind,
} from './describe-refusal.ts';
import { type LeftOutBy, type RefusalAllowances, refusalAllowances, RefusalBudget } from './refusal-budget.ts';
import { isRecord, type RefusalEntry } from './refusal-record.ts';

/**
 * Takes a refusal that may be kept. Called on the path of checks: neither waits nor throws. Of a caller who is
 * not known nothing is kept, after the same work, unless no endpoint took the request.
 */
export type RecordRefusal = (refused: RefusedRequest) => void;

/**
 * Why a refusal is not kept: its consumer's share, that of all, or that of requests which no endpoint took is used up,
 * or it had no room while it waited.
 */
export type LeftOutReason = LeftOutBy | 'unmatched' | 'room';

/** What recording refusals takes, and what it calls. */
export interface RefusalRecorderPorts {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly startTimer: StartTimer;
  /** Takes what is kept, at once. */
  readonly keep: (entry: RefusalEntry) => void;
  readonly keepsSource: boolean;
  readonly allowances?: RefusalAllowances | undefined;
}

/** How often what was left out is noted, where no kept refusal says so. */
const NOTE_INTERVAL_MS = 10_000;
/** So many wait at most until their answers are on their way; they hold what was signed. */
const MAX_TAKEN = 256;

/**
 * Makes records of refused requests, as far as the budget goes, and counts what it leaves out: each record says how
 * many of its consumer were left out before it, and a note says so when none follows.
 */
export class RefusalRecorder implements Disposable {
  readonly #ports: RefusalRecorderPorts;
  readonly #budget: RefusalBudget;
  readonly #nextId = createIdMaker();
  /** By consumer, null for requests that no endpoint took; those without any are absent. */
  readonly #leftOut = new Map<string | null, number>();
  readonly #leftOutEver: Record<LeftOutReason, number> = { consumer: 0, replica: 0, unmatched: 0, room: 0 };
  readonly #maxConsumers: number;
  /** Until the answer is on its way. */
  #taken: Taken[] = [];
  #cancelDescribing: (() => void) | null = null;
  #cancelTimer: (() => void) | null = null;
  #isDisposed = false;

  constructor(ports: RefusalRecorderPorts) {
    const { clock, allowances = refusalAllowances } = ports;
    this.#ports = ports;
    this.#maxConsumers = allowances.maxConsumers;
    this.#budget = new RefusalBudget(clock.nowMs(), allowances);
  }

  /** Refusals that were left out since the start, by reason. */
  get leftOut(): Readonly<Record<LeftOutReason, number>> {
    return this.#leftOutEver;
  }

  /**
   * Does the same for every caller. What depends on whose refusal it is comes when the answer is on its way: its time
   * must not show that an App Key is known (spec §3).
   */
  readonly record: RecordRefusal = ({ request, findSource, ...refused }) => {
    const { clock, startTimer, keepsSource } = this.#ports;
    const facts = readFacts({ request, findSource }, keepsSource);
    if (this.#taken.push({ refused, facts, atMs: clock.nowMs() }) >= MAX_TAKEN) this.#describeTaken();
    this.#cancelDescribing ??= startTimer(0, () => {
      this.#cancelDescribing = null;
      this.#describeTaken();
    });
  };

  /** Counts an entry that {@link RefusalRecorderPorts.keep} took and could not keep. */
  dropped(entry: RefusalEntry): void {
    const own = isRecord(entry) ? 1 : 0;
    this.#leftOutEver.room += own;
    if (own + entry.leftOut > 0) this.#addLeftOut(entry.consumerId, own + entry.leftOut);
  }

  /** Notes what was left out last, as far as the budget goes. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#cancelDescribing?.();
    this.#describeTaken();
    this.#cancelTimer?.();
    this.#noteAll();
  }

  #describeTaken(): void {
    const { keep } = this.#ports;
    const taken = this.#taken;
    this.#taken = [];
    for (const { refused, facts, atMs } of taken) {
      const { unmatched, ...described } = refused;
      const { about } = described;
      if (about === null && unmatched === null) continue;
      const consumerId = about?.consumer.id ?? null;
      const reason = this.#reasonAgainst(consumerId, unmatched ?? 'stray', atMs);
      if (reason === null) {
        const leftOut = this.#takeLeftOut(consumerId);
        keep({ id: this.#nextId(atMs), atMs, ...describeRefusal(described, facts), leftOut });
      } else {
        this.#leftOutEver[reason] += 1;
        this.#addLeftOut(consumerId, 1);
      }
    }
  }

  /** Takes room for a refusal, or for a note of those that were left out; gives why there is none, or null. */
  #reasonAgainst(consumerId: string | null, kind: UnmatchedKind, atMs: number): Exclude<LeftOutReason, 'room'> | null {
    if (consumerId !== null) return this.#budget.take(consumerId, atMs);
    return this.#budget.takeUnmatched(kind, atMs) ? null : 'unmatched';
  }

  /** Too many consumers at once are counted in all only. */
  #addLeftOut(consumerId: string | null, count: number): void {
    const former = this.#leftOut.get(consumerId);
    if (former === undefined && this.#leftOut.size >= this.#maxConsumers) return;
    this.#leftOut.set(consumerId, (former ?? 0) + count);
    this.#noteLater();
  }

  #takeLeftOut(consumerId: string | null): number {
    const count = this.#leftOut.get(consumerId) ?? 0;
    this.#leftOut.delete(consumerId);
    return count;
  }

  #noteLater(): void {
    if (this.#isDisposed) return;
    this.#cancelTimer ??= this.#ports.startTimer(NOTE_INTERVAL_MS, () => {
      this.#cancelTimer = null;
      this.#noteAll();
    });
  }

  /** A note takes the room of a refusal, so that notes are bounded as refusals are. */
  #noteAll(): void {
    const atMs = this.#ports.clock.nowMs();
    for (const consumerId of [...this.#leftOut.keys()]) {
      if (this.#reasonAgainst(consumerId, 'near', atMs) !== null) continue;
      this.#ports.keep({ id: this.#nextId(atMs), atMs, consumerId, leftOut: this.#takeLeftOut(consumerId) });
    }
    if (this.#leftOut.size > 0) this.#noteLater();
  }
}

interface Taken {
  readonly refused: Omit<RefusedRequest, 'request' | 'findSource'>;
  readonly facts: RequestFacts;
  readonly atMs: number;
}
