import { followedCollections, type FollowedCollection } from './follow-collection.ts';

/**
 * How changes come: by change streams, or, from a stand-alone server, endpoints and grants for groups by looking and
 * the rest not at all.
 */
export type FeedMode = 'following' | 'polling';

/**
 * How far the feed of changes has come, by the clock of this process. The feed writes it; the cache of credentials
 * reads it for every request, so that reading costs nothing.
 */
export class FeedProgress {
  readonly #confirmedMsOf = new Map<FollowedCollection, number>();
  /** The oldest of them. */
  #confirmedMs: number | null = null;
  #mode: FeedMode | null = null;
  #lastMode: FeedMode | null = null;

  /**
   * Up to which moment of the clock endpoints and grants for groups are those of the store; null before the first time.
   */
  get confirmedMs(): number | null {
    return this.#confirmedMs;
  }

  /** Up to which moment of the clock every change has arrived; null where changes are not followed. */
  get completeMs(): number | null {
    return this.#mode === 'polling' ? null : this.#confirmedMs;
  }

  /** Up to which moment of the clock every change of credentials has arrived; null while changes are not followed. */
  get credentialsCompleteMs(): number | null {
    return this.#mode === 'following' ? (this.#confirmedMsOf.get('credentials') ?? null) : null;
  }

  /** How changes come now; null while they do not. */
  get mode(): FeedMode | null {
    return this.#mode;
  }

  /** How changes come, or came before they stopped; null before the first time. */
  get lastMode(): FeedMode | null {
    return this.#lastMode;
  }

  /** Changes come in. */
  run(mode: FeedMode): void {
    this.#mode = mode;
    this.#lastMode = mode;
  }

  /** From this moment on changes may be missed. */
  stop(): void {
    this.#mode = null;
  }

  /** A collection is known to be as it was at this moment, or at a later one that was known before. */
  confirm(name: FollowedCollection, confirmedMs: number): void {
    this.restart(name, Math.max(confirmedMs, this.#confirmedMsOf.get(name) ?? 0));
  }

  /** A collection was read again: nothing later than this moment counts any more. */
  restart(name: FollowedCollection, confirmedMs: number): void {
    this.#confirmedMsOf.set(name, confirmedMs);
    if (this.#confirmedMsOf.size === followedCollections.length) {
      this.#confirmedMs = Math.min(...this.#confirmedMsOf.values());
    }
  }
}
