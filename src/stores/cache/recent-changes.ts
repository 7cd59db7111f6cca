import type { HeldCredential } from '../../check/store/credential-source.ts';

/** Changes that are remembered: at 5 000 a second, as a large `apply` makes them, those of the last 0.4 s. */
const CAPACITY = 2048;

/** What a change can be about, as far as reads of credentials are concerned. */
type ChangedKind = 'credential' | 'consumer' | 'appKeyHash';

/**
 * The latest changes, numbered: they show whether a result was changed while it was read. Results of reads that began
 * before all remembered changes count as touched.
 */
export class RecentChanges {
  readonly #ring: { readonly kind: ChangedKind; readonly id: string }[] = [];
  #sequence = 0;
  /** Reads that began before this number count as touched. */
  #oldestKnown = 0;

  /** The number of the latest change; a read notes it when it begins. */
  get sequence(): number {
    return this.#sequence;
  }

  note(kind: ChangedKind, id: string): void {
    this.#ring[this.#sequence % CAPACITY] = { kind, id };
    this.#sequence += 1;
    this.#oldestKnown = Math.max(this.#oldestKnown, this.#sequence - CAPACITY);
  }

  noteEverything(): void {
    this.#sequence += 1;
    this.#oldestKnown = this.#sequence;
  }

  /** Whether a result may have changed after the change numbered `since`. `held` is null when nothing was found. */
  touched(since: number, appKeyHash: string, held: HeldCredential | null): boolean {
    if (since < this.#oldestKnown) return true;
    for (let at = since; at < this.#sequence; at += 1) {
      const change = this.#ring[at % CAPACITY];
      if (change === undefined || change.id === idOf(change.kind, appKeyHash, held)) return true;
    }
    return false;
  }
}

function idOf(kind: ChangedKind, appKeyHash: string, held: HeldCredential | null): string | null {
  switch (kind) {
    case 'credential':
      return held?.credential.id ?? null;
    case 'consumer':
      return held?.consumer.id ?? null;
    case 'appKeyHash':
      return appKeyHash;
  }
}
