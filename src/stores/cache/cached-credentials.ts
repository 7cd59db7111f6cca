import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { HeldCredential } from '../../check/store/credential-source.ts';
import { bytesOfConsumer, bytesOfCredential } from './held-bytes.ts';

/** What the cache holds of one App Key. */
export interface CacheEntry {
  readonly appKeyHash: string;
  readonly held: HeldCredential;
  /** About what memory its consumer takes, where this entry stands for it among those that share it; 0 for others. */
  consumerBytes: number;
  /** When its reading began. */
  readonly readAtMs: number;
  /** As of when it is certainly right, not later than its reading: the member that was read may have lagged. */
  readonly provenMs: number;
  /** How often changes had been lost before: only since then is no change missing. */
  readonly epoch: number;
  /** No longer held, so that no change finds it: a look-up that still refers to it must not serve it either. */
  isGone: boolean;
  before: CacheEntry | null;
  after: CacheEntry | null;
}

/** How much the cache may hold. */
export interface CacheBounds {
  readonly maxEntries: number;
  /** By estimate. */
  readonly maxBytes: number;
}

/** Losses of changes that are remembered; entries read before all of them count as confirmed never. */
const MAX_EPOCHS = 100;

/**
 * Entries by the hash of their App Key, the least recently used evicted first, and found by what changes name:
 * credential and consumer. A credential has one entry at most. Credentials of one consumer share it, with its labels
 * and own grants, as far as they are equal.
 *
 * Bounded in number and in memory, of which it keeps an account by estimate ({@link bytesOfConsumer}): a consumer has
 * as many labels and grants as operators give it. The newest entry stays, whatever it takes.
 */
export class CachedCredentials {
  readonly #byHash: LRUCache<string, CacheEntry>;
  readonly #byCredential = new Map<string, CacheEntry>();
  /** The first of a list that the entries themselves link: most consumers have one, and sets cost more memory. */
  readonly #byConsumer = new Map<string, CacheEntry>();
  readonly #maxBytes: number;
  #bytes = 0;

  #epoch = 0;
  /** Until when the feed had confirmed the entries of an epoch that is over. */
  readonly #confirmedUntilMs = new Map<number, number>();

  /** @param onEvicted called for each entry that made room for another. */
  constructor({ maxEntries, maxBytes }: CacheBounds, onEvicted: () => void) {
    this.#maxBytes = maxBytes;
    this.#byHash = new LRUCache({
      max: maxEntries,
      dispose: (entry, _hash, reason) => {
        this.#unlink(entry);
        entry.isGone = true;
        if (reason === 'evict') onEvicted();
      },
    });
  }

  get size(): number {
    return this.#byHash.size;
  }

  /** About how much memory the entries take. */
  get bytes(): number {
    return this.#bytes;
  }

  get(appKeyHash: string): CacheEntry | undefined {
    return this.#byHash.get(appKeyHash);
  }

  /** Takes the place of what was held of this App Key, and of this credential. */
  put(
    appKeyHash: string,
    held: HeldCredential,
    { readAtMs, provenMs }: Pick<CacheEntry, 'readAtMs' | 'provenMs'>,
  ): void {
    const other = this.#byCredential.get(held.credential.id);
    if (other !== undefined) this.#byHash.delete(other.appKeyHash);
    this.#byHash.delete(appKeyHash);
    const entry: CacheEntry = {
      appKeyHash,
      held: sharing(held, this.#byConsumer.get(held.consumer.id)?.held),
      consumerBytes: 0,
      readAtMs,
      provenMs,
      epoch: this.#epoch,
      isGone: false,
      before: null,
      after: null,
    };
    this.#byHash.set(appKeyHash, entry);
    this.#link(entry);
    while (this.#bytes > this.#maxBytes && this.#byHash.size > 1) this.#byHash.pop();
  }

  /** Drops the entry of an App Key; gives how many there were. */
  invalidate(appKeyHash: string): number {
    return this.#drop(this.#byHash.peek(appKeyHash));
  }

  invalidateCredential(id: string): number {
    return this.#drop(this.#byCredential.get(id));
  }

  invalidateConsumer(id: string): number {
    let dropped = 0;
    for (let entry = this.#byConsumer.get(id); entry !== undefined; entry = this.#byConsumer.get(id)) {
      dropped += this.#drop(entry);
    }
    return dropped;
  }

  /** Until when no change of an entry is missing, if the feed has been complete until `confirmedMs`. */
  followedMs({ epoch }: CacheEntry, confirmedMs: number): number {
    return epoch === this.#epoch ? confirmedMs : (this.#confirmedUntilMs.get(epoch) ?? Number.NEGATIVE_INFINITY);
  }

  /** Changes were lost: earlier reads are confirmed until `confirmedMs`, and no further until they are repeated. */
  endEpoch(confirmedMs: number): void {
    this.#confirmedUntilMs.set(this.#epoch, confirmedMs);
    this.#confirmedUntilMs.delete(this.#epoch - MAX_EPOCHS);
    this.#epoch += 1;
  }

  /** Drops entries whose reading began before this moment of the clock; gives how many there were. */
  invalidateReadBefore(readBeforeMs: number): number {
    const old = [...this.#byHash.values()].filter(({ readAtMs }) => readAtMs < readBeforeMs);
    return old.reduce((dropped, entry) => dropped + this.#drop(entry), 0);
  }

  #drop(entry: CacheEntry | undefined): number {
    return entry !== undefined && this.#byHash.delete(entry.appKeyHash) ? 1 : 0;
  }

  #link(entry: CacheEntry): void {
    const { credential, consumer, grants } = entry.held;
    this.#byCredential.set(credential.id, entry);
    entry.after = this.#byConsumer.get(consumer.id) ?? null;
    if (entry.after !== null) entry.after.before = entry;
    this.#byConsumer.set(consumer.id, entry);
    // What it took its consumer from may have made room for it.
    if (entry.after?.held.consumer !== consumer) entry.consumerBytes = bytesOfConsumer(consumer, grants);
    this.#bytes += bytesOfCredential(credential) + entry.consumerBytes;
  }

  #unlink(entry: CacheEntry): void {
    const { credential, consumer } = entry.held;
    this.#byCredential.delete(credential.id);
    this.#bytes -= bytesOfCredential(credential);
    if (entry.consumerBytes > 0) this.#handOn(entry);
    const { before, after } = entry;
    if (after !== null) after.before = before;
    if (before !== null) before.after = after;
    else if (after !== null) this.#byConsumer.set(consumer.id, after);
    else this.#byConsumer.delete(consumer.id);
    entry.before = null;
    entry.after = null;
  }

  /** Another entry stands for the consumer, if one shares it. */
  #handOn(entry: CacheEntry): void {
    const { consumer } = entry.held;
    let heir = this.#byConsumer.get(consumer.id) ?? null;
    while (heir !== null && (heir === entry || heir.held.consumer !== consumer)) heir = heir.after;
    if (heir === null) this.#bytes -= entry.consumerBytes;
    else heir.consumerBytes = entry.consumerBytes;
    entry.consumerBytes = 0;
  }
}

/** The same with the consumer and the own grants of another credential, where they are equal: they are held once. */
function sharing(held: HeldCredential, other: HeldCredential | undefined): HeldCredential {
  if (other === undefined || !isDeepStrictEqual(other.consumer, held.consumer)) return held;
  if (!isDeepStrictEqual(other.grants, held.grants)) return held;
  return { credential: held.credential, consumer: other.consumer, grants: other.grants };
}
