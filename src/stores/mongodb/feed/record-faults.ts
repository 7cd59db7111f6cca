import type { Clock } from '../../../base/clock.ts';
import { describeFault, describeId, type DocumentFault } from '../mapping/document-fault.ts';

/** Faults reported in a minute at most: an edit may have changed a million documents at once. */
const MAX_REPORTED = 20;
const SPAN_MS = 60_000;
/** Faults that are remembered, so as not to be reported again. */
const MAX_REMEMBERED = 10_000;

/** The documents that cannot be read, as far as they were read. */
export class RecordFaults {
  readonly #clock: Clock;
  readonly #report: (fault: DocumentFault) => void;
  /** Descriptions by collection and id. */
  readonly #known = new Map<string, string>();
  #reported = 0;
  #spanStartMs: number;

  /** @param report called with a fault once, until it is fixed or becomes another. */
  constructor(clock: Clock, report: (fault: DocumentFault) => void) {
    this.#clock = clock;
    this.#report = report;
    this.#spanStartMs = clock.nowMs();
  }

  count(collection: string): number {
    let count = 0;
    for (const key of this.#known.keys()) if (key.startsWith(`${collection} `)) count += 1;
    return count;
  }

  /** Notes a fault, and reports it when it is new. */
  note(fault: DocumentFault): void {
    const key = keyOf(fault);
    const description = describeFault(fault);
    if (this.#known.get(key) === description) return;
    if (this.#known.size < MAX_REMEMBERED || this.#known.has(key)) this.#known.set(key, description);
    if (this.#mayReport()) this.#report(fault);
  }

  /** Notes that a document is right, or gone. */
  forget(collection: string, id: unknown): void {
    if (this.#known.size > 0) this.#known.delete(`${collection} ${describeId(id)}`);
  }

  /** Notes all faults of a collection that was read as a whole. */
  replace(collection: string, faults: readonly DocumentFault[]): void {
    const present = new Set(faults.map(({ id }) => `${collection} ${id}`));
    for (const key of this.#known.keys()) {
      if (key.startsWith(`${collection} `) && !present.has(key)) this.#known.delete(key);
    }
    for (const fault of faults) this.note(fault);
  }

  /** Notes the faults of some documents of a collection in place of their former ones. */
  exchange(former: readonly DocumentFault[], faults: readonly DocumentFault[]): void {
    const present = new Set(faults.map(keyOf));
    for (const fault of former) if (!present.has(keyOf(fault))) this.#known.delete(keyOf(fault));
    for (const fault of faults) this.note(fault);
  }

  #mayReport(): boolean {
    const nowMs = this.#clock.nowMs();
    if (Math.abs(nowMs - this.#spanStartMs) > SPAN_MS) {
      this.#spanStartMs = nowMs;
      this.#reported = 0;
    }
    this.#reported += 1;
    return this.#reported <= MAX_REPORTED;
  }
}

function keyOf({ collection, id }: DocumentFault): string {
  return `${collection} ${id}`;
}
