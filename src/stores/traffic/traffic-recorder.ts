import { type BatchPorts, BatchWriter } from '../../base/batch-writer.ts';
import { hourOf, sumOf, type TrafficCount } from '../../model/traffic-count.ts';
import { CounterRoom, TrafficHour } from './traffic-hour.ts';

/** Adds counts up, for all replicas together. */
export interface TrafficSink {
  /**
   * Adds counts of one hour. Adding the same again under the same number changes nothing: what may have been written is
   * written again until it is confirmed. Numbers rise, and each endpoint and consumer comes once under each. Settles
   * within a deadline of its own; rejects with `StoreUnavailable`. Gives the counts that the store will never take,
   * because a hand made its own unusable.
   */
  add(counts: readonly TrafficCount[], sequence: number): Promise<readonly TrafficCount[]>;
}

/** What writing counts of requests takes, and what it calls. */
export interface TrafficRecorderPorts extends BatchPorts {
  readonly sink: TrafficSink;
}

const FLUSH_INTERVAL_MS = 60_000;
/** Counters that are kept at most, each about 80 bytes: consumers × endpoints, and hours that wait to be written. */
export const MAX_COUNTERS = 400_000;
/** Each write is well within the time that a connection gives an answer, and holds up no check for long. */
const COUNTS_AT_ONCE = 500;
/** How long disposal waits for the last counts. */
const LAST_WRITE_MS = 15_000;

/**
 * Counts requests by consumer, endpoint, code and hour, and writes what was added once a minute, off the path of
 * checks. What was counted is written once, also when the outcome of a write is unknown; a process that is killed loses
 * what its last minute added.
 */
export class TrafficRecorder implements AsyncDisposable {
  readonly #sink: TrafficSink;
  readonly #writer: BatchWriter;
  readonly #room: CounterRoom;
  /** Hours that are over, and one that is being written; oldest first. Nothing is counted there. */
  readonly #closed: ClosedHour[] = [];
  #current: TrafficHour;
  #sequence = 0;
  #dropped = 0;

  constructor({ sink, ...ports }: TrafficRecorderPorts, maxCounters: number = MAX_COUNTERS) {
    this.#sink = sink;
    this.#room = new CounterRoom(maxCounters);
    this.#current = new TrafficHour(0, this.#room);
    const work = { isWaiting: () => this.size > 0, write: () => this.#write() };
    this.#writer = new BatchWriter(work, ports, { intervalMs: FLUSH_INTERVAL_MS, lastWriteMs: LAST_WRITE_MS });
  }

  /** Counters that wait to be written. */
  get size(): number {
    return this.#closed.reduce((sum, { left }) => sum + left, this.#current.size);
  }

  /** Requests that were not counted: too many counters waited, or the store will not take them. */
  get dropped(): number {
    return this.#dropped;
  }

  /** A check was decided. `consumerId` is null for callers who are not known. */
  count(endpointId: string, consumerId: string | null, code: string, nowSeconds: number): void {
    const hour = hourOf(nowSeconds);
    if (hour !== this.#current.hour) this.#begin(hour);
    const { size } = this.#current;
    if (!this.#current.count(endpointId, consumerId, code)) this.#dropped += 1;
    if (size === 0) this.#writer.wake();
  }

  /** Writes what there is, waiting {@link LAST_WRITE_MS} at most, and ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer[Symbol.asyncDispose]();
  }

  #begin(hour: number): void {
    if (this.#current.size > 0) {
      this.#sequence += 1;
      this.#closed.push(new ClosedHour(this.#current, this.#sequence));
    }
    this.#current = new TrafficHour(hour, this.#room);
  }

  /** What is counted during a write is written the next time. */
  async #write(): Promise<void> {
    await this.#writeClosed();
    // Only now: while the store is down, one hour has one set of counters, however often writing it is tried.
    this.#begin(this.#current.hour);
    await this.#writeClosed();
  }

  async #writeClosed(): Promise<void> {
    for (let [oldest] = this.#closed; oldest !== undefined; [oldest] = this.#closed) {
      for (let counts = oldest.next(); counts.length > 0; counts = oldest.next()) {
        const refused = await this.#sink.add(counts, oldest.sequence);
        for (const { codes } of refused) this.#dropped += sumOf(codes);
        oldest.confirm();
      }
      oldest.end();
      this.#closed.shift();
    }
  }
}

/** An hour, or a part of one, while it is written: piece by piece, each until it is confirmed. */
class ClosedHour {
  readonly sequence: number;
  readonly #hour: TrafficHour;
  readonly #counts: Generator<TrafficCount, void, undefined>;
  #unconfirmed: readonly TrafficCount[] = [];
  #left: number;

  constructor(hour: TrafficHour, sequence: number) {
    this.sequence = sequence;
    this.#hour = hour;
    this.#counts = hour.counts();
    this.#left = hour.size;
  }

  /** Counters that are still to be confirmed. */
  get left(): number {
    return this.#left;
  }

  /** The piece to write: the one that was not confirmed, else the next; empty after the last. */
  next(): readonly TrafficCount[] {
    if (this.#unconfirmed.length === 0) this.#unconfirmed = this.#take(COUNTS_AT_ONCE);
    return this.#unconfirmed;
  }

  confirm(): void {
    this.#left -= this.#unconfirmed.length;
    this.#unconfirmed = [];
  }

  end(): void {
    this.#hour.end();
  }

  #take(most: number): readonly TrafficCount[] {
    const taken: TrafficCount[] = [];
    while (taken.length < most) {
      const { value } = this.#counts.next();
      if (value === undefined) break;
      taken.push(value);
    }
    return taken;
  }
}
