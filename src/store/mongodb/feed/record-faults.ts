import type { Clock } from '../../../clock.ts';
import { describeFault, describeId, type DocumentFault } from '../mapping/document-fault.ts';

/** Told of a fault once, until it is another one or was mended. */
export type FaultReporter = (fault: DocumentFault) => void;

/** Faults that are told in a minute at most: somebody may have edited a million documents at once. */
const MAX_TOLD = 20;
const SPAN_MS = 60_000;
/** Faults that are remembered, so as not to be told again. */
const MAX_REMEMBERED = 10_000;

/** The documents that say nothing, as far as they were met. */
export class RecordFaults {
  readonly #clock: Clock;
  readonly #report: FaultReporter;
  /** Descriptions by collection and id. */
  readonly #known = new Map<string, string>();
  #told = 0;
  #spanStartMs: number;

  constructor(clock: Clock, report: FaultReporter) {
    this.#clock = clock;
    this.#report = report;
    this.#spanStartMs = clock.nowMs();
  }

  /** How many documents of a collection are faulty. */
  count(collection: string): number {
    let count = 0;
    for (const key of this.#known.keys()) if (key.startsWith(`${collection} `)) count += 1;
    return count;
  }

  /** Notes a fault, and tells it when it is new. */
  note(fault: DocumentFault): void {
    const key = `${fault.collection} ${fault.id}`;
    const description = describeFault(fault);
    if (this.#known.get(key) === description) return;
    if (this.#known.size < MAX_REMEMBERED || this.#known.has(key)) this.#known.set(key, description);
    if (this.#mayTell()) this.#report(fault);
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

  #mayTell(): boolean {
    const nowMs = this.#clock.nowMs();
    if (Math.abs(nowMs - this.#spanStartMs) > SPAN_MS) {
      this.#spanStartMs = nowMs;
      this.#told = 0;
    }
    this.#told += 1;
    return this.#told <= MAX_TOLD;
  }
}
