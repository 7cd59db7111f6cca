/** Who holds a place: a credential, and the consumer that it belongs to. */
export interface Holder {
  readonly consumerId: string;
  readonly credentialId: string;
}

/**
 * How many places of one memory each consumer and each credential holds. Of `free` places a consumer may hold twice as
 * many, so that all of its credentials together get two thirds, and others find room; a credential may hold as many as
 * its consumer may still take, so that one alone gets half, and leaves some for the others of its consumer.
 */
export class FairShares {
  readonly #ofConsumer = new Map<string, number>();
  readonly #ofCredential = new Map<string, number>();

  /** Whether the holder may take one of the places that are free. */
  hasRoom(holder: Holder, free: number): boolean {
    const left = 2 * free - (this.#ofConsumer.get(holder.consumerId) ?? 0);
    return (this.#ofCredential.get(holderName(holder)) ?? 0) < left;
  }

  /** Notes that the holder took some places, or gave some back (below 0). */
  add(holder: Holder, count: number): void {
    addTo(this.#ofConsumer, holder.consumerId, count);
    addTo(this.#ofCredential, holderName(holder), count);
  }
}

/**
 * What tells holders apart: no id holds a slash, and a credential that was deleted and made again may belong to another
 * consumer.
 */
export function holderName({ consumerId, credentialId }: Holder): string {
  return `${consumerId}/${credentialId}`;
}

function addTo(counts: Map<string, number>, name: string, count: number): void {
  const sum = (counts.get(name) ?? 0) + count;
  if (sum <= 0) counts.delete(name);
  else counts.set(name, sum);
}
