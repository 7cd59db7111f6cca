import type { Clock, StartTimer } from '../base/clock.ts';
import { hashAppKey, isAppKey } from '../model/app-key.ts';
import type { Pending } from '../base/pending.ts';
import type { AppKeyFilter } from './cache/app-key-filter.ts';
import { type CacheCounters, createCacheCounters, type Figure, figuresOf } from './cache/cache-figures.ts';
import { CachedCredentials, type CacheEntry } from './cache/cached-credentials.ts';
import { type CredentialReader, type LookUp, LookUps, LookUpsOverloaded } from './cache/look-ups.ts';
import { type GateLimits, LookUpGate, type LookUpLane, MAX_LOOK_UPS } from './cache/look-up-gate.ts';
import { RecentChanges } from './cache/recent-changes.ts';
import { UnknownAppKeys, UnknownBudget } from './cache/unknown-app-keys.ts';
import type { DatabaseObserver } from '../check/store/check-store.ts';
import {
  type CredentialSource,
  type HeldCredential,
  isOutage,
  StoreUnavailable,
} from '../check/store/credential-source.ts';

/** Younger entries are served as they are. A live feed confirms every entry every half second. */
const SOFT_AGE_MS = 2000;
/** Younger entries are served, and refreshed in the background. */
const HARD_AGE_MS = 5000;
/** How long a caller with an older entry waits for a look-up, measured from the look-up's beginning. */
const PATIENCE_MS = 200;
/** For how long no caller waits again, after the store was down or slow. */
const DOUBT_MS = 1000;
/** Younger confirmations of the feed make the filter of App Keys current: no new one is refused for longer. */
const CURRENT_MS = 2000;
/** Look-ups for one caller at most, whose results change on their way; the last answers those who asked before. */
const MAX_ASKS = 3;

/** With its consumer, who has few labels and grants, a credential takes about 1.6 KiB. */
export const BYTES_PER_ENTRY = 3072;

/**
 * As many at once as the connections for look-ups: more would only wait there, in no order. App Keys that the filter
 * has go first. The bound is on parallelism rather than a rate, because it adapts: a slow store gets fewer look-ups.
 */
const GATE_LIMITS: GateLimits = {
  maxRunning: MAX_LOOK_UPS,
  maxUnseenRunning: 6,
  maxBackgroundRunning: 5,
  maxKnownWaiting: 1024,
  maxUnseenWaiting: 256,
  maxWaitMs: 250,
};

/** How a cache behaves. */
export interface CredentialCacheOptions {
  /** Credentials it holds at most, in {@link BYTES_PER_ENTRY} each on average: fewer where they take more. */
  readonly maxEntries: number;
  /** How long an entry serves while the store is down, in seconds since it was known to be right. */
  readonly maxStaleSeconds: number;
  readonly gateLimits?: Partial<GateLimits>;
}

/** What a cache needs. */
export interface CredentialCachePorts {
  /** The store, behind its circuit breaker (`LookUpBreaker`). */
  readonly reader: CredentialReader;
  /**
   * Until when, by the clock below, the change feed is complete: every change committed before has reached the cache.
   * Far in the past while there is none yet. Called for every request, so it must only give a number.
   */
  readonly confirmedMs: () => number;
  /**
   * As of when, by the clock below, what a look-up finds now is certainly right: the present for a store of one server.
   * A member of several may lag, or be cut off; only what the feed has confirmed proves that its answer lacks nothing.
   */
  readonly provenMs: () => number;
  /** All App Keys of the store. The cache notes in it those that changes bring, and those it finds. */
  readonly appKeys: AppKeyFilter;
  /** As `confirmedMs`, for the changes that bring new App Keys. */
  readonly appKeysConfirmedMs: () => number;
  readonly clock: Clock;
  readonly startTimer: StartTimer;
  /** `defect`: a look-up that no caller waited for failed by a defect of this program. */
  readonly observer: Pick<DatabaseObserver, 'defect'>;
}

/**
 * Credentials on the check path (spec §6): a bounded memory in front of a store that holds too many to load. What is in
 * memory is answered at once, without a promise. Rejects with what the reader rejects with; only `StoreUnavailable`
 * reaches callers as an outage.
 *
 * - **Age.** An entry is as old as its read or, while every change since has arrived, `confirmedMs`. The ages above say
 *   when it is served, refreshed, or waited for.
 * - **Proof.** Nothing is served that was last proven right more than `maxStaleSeconds` ago: by `confirmedMs`, or as of
 *   `provenMs` at its read. When no look-up could be proven either, none is made.
 * - **Changes.** A changed credential, consumer or grant drops its entries, which are never served again. A look-up
 *   that a change overtakes is made again. The feed calls the methods below before `confirmedMs` passes the change.
 * - **Floods.** App Keys that are not among all of the store ({@link AppKeyFilter}) cost no look-up while the feed
 *   confirms that none was created since. Otherwise, {@link GATE_LIMITS} keep invented ones from delaying known callers
 *   and the store, and those without a holder are remembered apart, so that they evict no entry.
 * - **Doubt.** A look-up without a place ends with `StoreUnavailable`: a 503, never a 401, as the caller may be known.
 *   From then on {@link canKnow} is false for a while, so that no other status tells that an App Key is known.
 */
export class CredentialCache implements CredentialSource, AsyncDisposable {
  readonly #counters: CacheCounters = createCacheCounters();
  readonly #ports: CredentialCachePorts;
  readonly #maxStaleMs: number;
  readonly #entries: CachedCredentials;
  readonly #unknown: UnknownAppKeys;
  readonly #changes = new RecentChanges();
  readonly #lookUps: LookUps;
  // Made once: in a flood, making an error costs more than all the rest of a refusal.
  readonly #down = new StoreUnavailable('the store does not answer, and the App Key is not held in memory');
  readonly #unproven = new StoreUnavailable('it is unknown for too long whether the store answers with its last state');
  readonly #overloaded = new LookUpsOverloaded('too many App Keys are being looked up');
  #doubtUntilMs = 0;
  #unknowableUntilMs = 0;

  constructor(options: CredentialCacheOptions, ports: CredentialCachePorts) {
    const { clock, startTimer, reader } = ports;
    const counters = this.#counters;
    this.#ports = ports;
    this.#maxStaleMs = Math.max(options.maxStaleSeconds * 1000, HARD_AGE_MS);
    this.#unknown = new UnknownAppKeys(clock);
    const { maxEntries } = options;
    this.#entries = new CachedCredentials({ maxEntries, maxBytes: maxEntries * BYTES_PER_ENTRY }, () => {
      counters.evictions += 1;
    });
    this.#lookUps = new LookUps({
      reader,
      gate: new LookUpGate({ ...GATE_LIMITS, ...options.gateLimits }, { clock, startTimer }),
      budget: new UnknownBudget(clock),
      changes: this.#changes,
      clock,
      startTimer,
      counters,
      patienceMs: PATIENCE_MS,
      onFound: (appKeyHash, held, readAtMs) => {
        this.#keep(appKeyHash, held, readAtMs);
      },
      onStoreFault: () => {
        this.#doubtUntilMs = this.#unknowableUntilMs = clock.nowMs() + DOUBT_MS;
      },
      onRefused: () => {
        this.#unknowableUntilMs = clock.nowMs() + DOUBT_MS;
      },
    });
  }

  get counters(): Readonly<CacheCounters> {
    return this.#counters;
  }

  get figures(): readonly Figure[] {
    const { appKeys } = this.#ports;
    const gauges: readonly (readonly [name: string, help: string, read: () => number])[] = [
      ['credential_cache_entries', 'Credentials held in memory.', () => this.size],
      ['credential_cache_bytes', 'Memory of the credentials held, by estimate.', () => this.#entries.bytes],
      ['credential_cache_unknown_entries', 'App Keys remembered without a holder.', () => this.unknownSize],
      ['credential_cache_look_ups_under_way', 'Look-ups that run or wait for their turn.', () => this.lookUpsUnderWay],
      ['app_key_filter_entries', 'App Keys that may have a holder.', () => appKeys.size],
      [
        'app_key_filter_current',
        'Whether all other App Keys are refused without a look-up: 1 or 0.',
        () => Number(this.isFilterCurrent),
      ],
    ];
    return [
      ...gauges.map(([name, help, read]): Figure => ({ kind: 'gauge', name: `postern_${name}`, help, read })),
      ...figuresOf(this.#counters),
    ];
  }

  /** Entries of App Keys that have a holder. */
  get size(): number {
    return this.#entries.size;
  }

  /** Remembered App Keys without a holder. */
  get unknownSize(): number {
    return this.#unknown.size;
  }

  /** Look-ups that run or wait for their turn. */
  get lookUpsUnderWay(): number {
    return this.#lookUps.size;
  }

  findByAppKey(appKey: string, knownHash?: string): Pending<HeldCredential | null> {
    const appKeyHash = knownHash ?? (isAppKey(appKey) ? hashAppKey(appKey) : null);
    if (appKeyHash === null) return null;
    const entry = this.#entries.get(appKeyHash);
    if (entry !== undefined) {
      const followedMs = this.#entries.followedMs(entry, this.#ports.confirmedMs());
      if (this.#ageMs(Math.max(entry.provenMs, followedMs)) > this.#maxStaleMs) return this.#findInStore(appKeyHash);
      const ageMs = this.#ageMs(Math.max(entry.readAtMs, followedMs));
      if (ageMs > SOFT_AGE_MS) return this.#findAged(entry, ageMs);
      this.#counters.hits += 1;
      return entry.held;
    }
    if (this.#hasNoHolder(appKeyHash)) {
      this.#counters.filtered += 1;
      return null;
    }
    if (this.#unknown.has(appKeyHash)) {
      this.#counters.negativeHits += 1;
      return null;
    }
    return this.#findInStore(appKeyHash);
  }

  canKnow(): boolean {
    if (this.#ports.reader.outlook !== 'reachable') return false;
    return this.#ports.clock.nowMs() >= this.#unknowableUntilMs;
  }

  /** Whether unknown App Keys are refused without a look-up now. */
  get isFilterCurrent(): boolean {
    const { appKeys, appKeysConfirmedMs, clock } = this.#ports;
    return appKeys.isWhole && clock.nowMs() - appKeysConfirmedMs() <= CURRENT_MS;
  }

  /** A credential was created, changed or deleted. `appKeyHash` is null when only its id is known. */
  credentialChanged(id: string, appKeyHash: string | null): void {
    this.#changes.note('credential', id);
    this.#counters.invalidations += this.#entries.invalidateCredential(id);
    if (appKeyHash === null) return;
    this.#changes.note('appKeyHash', appKeyHash);
    this.#counters.invalidations += this.#entries.invalidate(appKeyHash);
    this.#unknown.forget(appKeyHash);
    this.#ports.appKeys.note(appKeyHash);
  }

  consumerChanged(id: string): void {
    this.#changes.note('consumer', id);
    this.#counters.invalidations += this.#entries.invalidateConsumer(id);
  }

  /** A grant of this consumer was created, changed or deleted. */
  grantChanged(consumerId: string): void {
    this.consumerChanged(consumerId);
  }

  /**
   * Changes were lost: any entry may be out of date. None is dropped, but none is confirmed by the feed until it is
   * read again. To be called when the new feed is open, and while `confirmedMs` still gives what the old one had
   * reached.
   */
  everythingChanged(): void {
    this.#changes.noteEverything();
    this.#entries.endEpoch(this.#ports.confirmedMs());
  }

  /** Drops what was read before this moment of the clock, as after a change: it is never served again. */
  dropReadBefore(readBeforeMs: number): void {
    this.#changes.noteEverything();
    this.#counters.invalidations += this.#entries.invalidateReadBefore(readBeforeMs);
  }

  /** Refuses what waits for its turn. Look-ups that run end with their reads. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#lookUps.close();
    return Promise.resolve();
  }

  /** How long ago this moment was. A clock that was set back makes it older, not younger. */
  #ageMs(atMs: number): number {
    return Math.abs(this.#ports.clock.nowMs() - atMs);
  }

  /**
   * Serves an entry that is no longer fresh, or waits for the store. While the store is down it is served at once, and
   * only the one look-up that the circuit breaker wants is made.
   */
  #findAged(entry: CacheEntry, ageMs: number): Pending<HeldCredential | null> {
    const { outlook } = this.#ports.reader;
    if (ageMs <= HARD_AGE_MS) {
      if (outlook !== 'down') this.#refresh(entry.appKeyHash);
      this.#counters.hits += 1;
      return entry.held;
    }
    if (outlook === 'reachable' && !this.#isDoubtful()) return this.#findOrServe(entry);
    if (outlook !== 'down') this.#refresh(entry.appKeyHash);
    this.#counters.stale += 1;
    return entry.held;
  }

  /** Refreshes an entry while its caller goes on; without room for that, the next caller does. */
  #refresh(appKeyHash: string): void {
    this.#lookUps.ask(appKeyHash, 'background')?.found.catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) this.#ports.observer.defect(error);
    });
  }

  /**
   * Waits a little for the store, and serves the entry when there is no answer. `CredentialUnreadable` is an answer:
   * the store has something else by now.
   */
  async #findOrServe(entry: CacheEntry): Promise<HeldCredential | null> {
    const lookUp = this.#lookUps.ask(entry.appKeyHash, 'known');
    if (lookUp === null) return this.#serveStale(entry);
    const finding = this.#answerOf(lookUp, entry.appKeyHash);
    try {
      const held = await Promise.race([finding, lookUp.patience()]);
      if (held !== 'no answer yet') return held;
    } catch (error) {
      if (!isOutage(error) || entry.isGone) throw error;
      return this.#serveStale(entry);
    }
    this.#doubtUntilMs = this.#ports.clock.nowMs() + DOUBT_MS;
    // The caller no longer waits for how it ends.
    finding.catch(() => null);
    return entry.isGone ? await finding : this.#serveStale(entry);
  }

  #serveStale(entry: CacheEntry): HeldCredential {
    this.#counters.stale += 1;
    return entry.held;
  }

  #findInStore(appKeyHash: string): Promise<HeldCredential | null> {
    this.#counters.misses += 1;
    if (this.#ageMs(this.#ports.provenMs()) > this.#maxStaleMs) throw this.#unproven;
    return this.#answerOf(this.#askStore(appKeyHash), appKeyHash);
  }

  #askStore(appKeyHash: string): LookUp {
    if (this.#ports.reader.outlook === 'down') throw this.#down;
    const lane: LookUpLane = this.#ports.appKeys.has(appKeyHash) ? 'known' : 'unseen';
    const lookUp = this.#lookUps.ask(appKeyHash, lane);
    if (lookUp === null) throw this.#overloaded;
    return lookUp;
  }

  /** What a look-up found; looked up once more where it lacks a change that came before this caller. */
  async #answerOf(lookUp: LookUp, appKeyHash: string): Promise<HeldCredential | null> {
    const { sequence } = this.#changes;
    let found = await lookUp.found;
    for (let asks = 1; found.sequence < sequence; asks += 1) {
      if (asks === MAX_ASKS) throw new StoreUnavailable('the credential changes faster than it can be read');
      found = await this.#askStore(appKeyHash).found;
    }
    return found.held;
  }

  #keep(appKeyHash: string, held: HeldCredential | null, readAtMs: number): void {
    if (held === null) {
      this.#entries.invalidate(appKeyHash);
      this.#unknown.note(appKeyHash, readAtMs);
      return;
    }
    this.#unknown.forget(appKeyHash);
    this.#ports.appKeys.note(appKeyHash);
    // No change came during the read: it is right as of all that is proven by now.
    this.#entries.put(appKeyHash, held, { readAtMs, provenMs: Math.min(readAtMs, this.#ports.provenMs()) });
  }

  /**
   * Whether the App Key is not among all of the store, and none was created since. While the store does not answer, the
   * holder is unknown instead, and this look-up may be the one that finds out that the store is back.
   */
  #hasNoHolder(appKeyHash: string): boolean {
    const { appKeys, reader } = this.#ports;
    return !appKeys.has(appKeyHash) && this.isFilterCurrent && reader.outlook === 'reachable';
  }

  #isDoubtful(): boolean {
    // More than the whole span is left only after the clock was set back.
    const leftMs = this.#doubtUntilMs - this.#ports.clock.nowMs();
    return leftMs > 0 && leftMs <= DOUBT_MS;
  }
}
