import { type BatchPorts, BatchWriter } from '../../base/batch-writer.ts';
import { BoundedEntries, type EntryRoom } from './bounded-entries.ts';
import { isRecord, type RefusalEntry } from './refusal-record.ts';

/** Keeps refusals for all replicas together. */
export interface RefusalSink {
  /**
   * Stores entries; those that are stored already, by their ids, stay as they are. Settles within a deadline of its
   * own; rejects with `StoreUnavailable`, after which the whole batch is written again.
   */
  write(batch: readonly RefusalEntry[]): Promise<void>;
}

/** What writing kept refusals takes, and what it calls. */
export interface RefusalWriterPorts extends BatchPorts {
  readonly sink: RefusalSink;
  /** Takes an entry that had no room until it could be written. */
  readonly onDropped: (entry: RefusalEntry) => void;
}

/** People follow refusals while a partner tries again. */
const WRITE_INTERVAL_MS = 1000;
const MAX_BATCH = 500;
/** What waits for a database that does not answer. */
const waitingRoom: EntryRoom = { maxEntries: 5000, maxBytes: 8 * 1024 * 1024 };
/** How long disposal waits for the last batches. */
const LAST_WRITE_MS = 2000;

/** Hands refusals to a sink in batches, off the path of checks. */
export class RefusalWriter implements AsyncDisposable {
  readonly #ports: RefusalWriterPorts;
  readonly #waiting: BoundedEntries;
  readonly #writer: BatchWriter;
  #written = 0;
  /** What is being written, and what of it made room in the meantime. */
  #batch: ReadonlySet<RefusalEntry> = new Set();
  #dropped: RefusalEntry[] = [];

  constructor(ports: RefusalWriterPorts, room: EntryRoom = waitingRoom) {
    this.#ports = ports;
    this.#waiting = new BoundedEntries(room, (entry) => {
      if (this.#batch.has(entry)) this.#dropped.push(entry);
      else ports.onDropped(entry);
    });
    const work = { isWaiting: () => this.#waiting.size > 0, write: () => this.#writeAll() };
    this.#writer = new BatchWriter(work, ports, { intervalMs: WRITE_INTERVAL_MS, lastWriteMs: LAST_WRITE_MS });
  }

  /** Entries that are still to be written. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Refusals that were written since the start. */
  get written(): number {
    return this.#written;
  }

  add(entry: RefusalEntry): void {
    this.#waiting.add(entry);
    this.#writer.wake();
  }

  /** Writes what there is, waiting two seconds at most, and ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer[Symbol.asyncDispose]();
  }

  /** What comes while it is written belongs to the next time. */
  async #writeAll(): Promise<void> {
    for (let left = this.#waiting.size; left > 0; left -= MAX_BATCH) {
      const batch = this.#waiting.first(Math.min(left, MAX_BATCH));
      if (batch.length === 0) return;
      await this.#write(batch);
    }
  }

  async #write(batch: readonly RefusalEntry[]): Promise<void> {
    const { sink, onDropped } = this.#ports;
    this.#batch = new Set(batch);
    this.#dropped = [];
    try {
      await sink.write(batch);
    } catch (error) {
      for (const entry of this.#dropped) onDropped(entry);
      throw error;
    } finally {
      this.#batch = new Set();
    }
    for (const entry of batch) this.#waiting.remove(entry);
    this.#written += batch.filter(isRecord).length;
  }
}
