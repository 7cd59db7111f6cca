import { BoundedEntries, type EntryRoom } from './bounded-entries.ts';
import {
  isOfSelectedKind,
  isOlder,
  isRecord,
  isSelected,
  type RefusalEntry,
  type RefusalRecord,
  type RefusalSelection,
} from './refusal-record.ts';

/** What one process remembers, where no database does. */
const memoryRoom: EntryRoom = { maxEntries: 5000, maxBytes: 8 * 1024 * 1024 };

/** Of requests that no endpoint took: strangers make them, and take no room of the others. */
const unmatchedRoom: EntryRoom = { maxEntries: 500, maxBytes: 1024 * 1024 };

/** The last refusals, in the memory of this process. */
export class RefusalMemory {
  readonly #ofCallers: BoundedEntries;
  readonly #unmatched: BoundedEntries;
  #written = 0;

  constructor(room: EntryRoom = memoryRoom, roomOfUnmatched: EntryRoom = unmatchedRoom) {
    // What made room was there to be seen until then; its time is over.
    const onDropped = (): void => undefined;
    this.#ofCallers = new BoundedEntries(room, onDropped);
    this.#unmatched = new BoundedEntries(roomOfUnmatched, onDropped);
  }

  /** Refusals that were kept since the start. */
  get written(): number {
    return this.#written;
  }

  add(entry: RefusalEntry): void {
    (entry.consumerId === null ? this.#unmatched : this.#ofCallers).add(entry);
    if (isRecord(entry)) this.#written += 1;
  }

  /** The selected refusals, newest first, and how many of the consumer, or of all, were left out in that time. */
  select(selection: RefusalSelection): SelectedRefusals {
    const entries = [...this.#ofCallers.newestFirst(), ...this.#unmatched.newestFirst()];
    const { consumerId, sinceMs, limit } = selection;
    const isCounted = (entry: RefusalEntry): boolean =>
      isOfSelectedKind(entry, selection) &&
      (consumerId === undefined || entry.consumerId === consumerId) &&
      (sinceMs === undefined || entry.atMs >= sinceMs);
    return {
      records: entries
        .filter(isRecord)
        .filter((record) => isSelected(record, selection))
        .sort((one, other) => (isOlder(one, other) ? 1 : -1))
        .slice(0, limit),
      leftOut: entries.filter(isCounted).reduce((sum, { leftOut }) => sum + leftOut, 0),
    };
  }
}

/** What a replica remembers of the refusals that were asked for. */
export interface SelectedRefusals {
  readonly records: readonly RefusalRecord[];
  readonly leftOut: number;
}
