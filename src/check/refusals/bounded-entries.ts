import { isRecord, type RefusalEntry } from './refusal-record.ts';

/** What entries may take in memory. */
export interface EntryRoom {
  readonly maxEntries: number;
  /** Roughly: what the texts and objects take. */
  readonly maxBytes: number;
}

/** What an entry without its texts takes. */
const ENTRY_BYTES = 400;

/** What a text takes beside its characters. */
const TEXT_BYTES = 24;

/** Entries in the order in which they came, within bounds: the oldest make room for new ones. */
export class BoundedEntries {
  readonly #room: EntryRoom;
  readonly #onDropped: (entry: RefusalEntry) => void;
  readonly #entries = new Map<string, RefusalEntry>();
  #bytes = 0;

  /** @param onDropped takes what made room */
  constructor(room: EntryRoom, onDropped: (entry: RefusalEntry) => void) {
    this.#room = room;
    this.#onDropped = onDropped;
  }

  get size(): number {
    return this.#entries.size;
  }

  add(entry: RefusalEntry): void {
    this.#entries.set(entry.id, entry);
    this.#bytes += sizeOf(entry);
    const { maxEntries, maxBytes } = this.#room;
    while (this.#entries.size > maxEntries || this.#bytes > maxBytes) {
      const [oldest] = this.#entries.values();
      if (oldest === undefined) return;
      this.remove(oldest);
      this.#onDropped(oldest);
    }
  }

  remove(entry: RefusalEntry): void {
    if (this.#entries.delete(entry.id)) this.#bytes -= sizeOf(entry);
  }

  /** The first so many, which stay. */
  first(count: number): readonly RefusalEntry[] {
    const taken: RefusalEntry[] = [];
    for (const entry of this.#entries.values()) {
      if (taken.length === count) break;
      taken.push(entry);
    }
    return taken;
  }

  /** All of them, the newest first. */
  newestFirst(): readonly RefusalEntry[] {
    return [...this.#entries.values()].reverse();
  }
}

function sizeOf(entry: RefusalEntry): number {
  if (!isRecord(entry)) return ENTRY_BYTES;
  const owners = (entry.ownedBy ?? []).reduce((sum, { length }) => sum + length + TEXT_BYTES, 0);
  return ENTRY_BYTES + entry.path.length + entry.detail.length + 2 * (entry.stringToSign?.length ?? 0) + owners;
}
