import type { MongoClient } from 'mongodb';
import type { Clock, StartTimer } from '../../../base/clock.ts';
import type { DatabaseObserver } from '../../../check/store/check-store.ts';
import { type HeldCredential, StoreUnavailable } from '../../../check/store/credential-source.ts';
import { hashAppKey } from '../../../model/app-key.ts';
import type { Sealer } from '../../../model/keyring/sealed.ts';
import { AppKeyFilter } from '../../cache/app-key-filter.ts';
import { MAX_LOOK_UPS } from '../../cache/look-up-gate.ts';
import { CredentialCache } from '../../credential-cache.ts';
import { LookUpBreaker } from '../../look-up-breaker.ts';
import { MongodbUnavailable } from '../faults.ts';
import { type Availability, LookUpProbe } from './availability.ts';
import type { CausalFloor } from './change-stream.ts';
import { createCredentialReader } from './credential-reader.ts';
import type { FeedProgress } from './feed-progress.ts';
import type { RecordFaults } from './record-faults.ts';

/** What looking up credentials takes. */
export interface CredentialLookUpsPorts {
  /** For `checks`. */
  readonly client: MongoClient;
  readonly clock: Clock;
  readonly startTimer: StartTimer;
  readonly observer: Pick<DatabaseObserver, 'defect'>;
  readonly keyRing: Sealer & { reload(): Promise<boolean> };
  readonly floor: CausalFloor;
  readonly progress: FeedProgress;
  readonly faults: RecordFaults;
  readonly availability: Availability;
  /** Credentials held in memory at most. */
  readonly maxEntries: number;
  readonly maxStaleSeconds: number;
}

/** No App Key is empty. */
const HASH_WITHOUT_HOLDER = hashAppKey('');
/** On each connection before any caller: the first are several times slower than later ones. */
const WARMING_READS = 10;
const NOT_WHOLE = 'MongoDB is being read again after changes were missed';
const LOOK_UPS_FAIL = 'MongoDB does not answer look-ups of credentials in time';

/**
 * The credentials of a database as checks ask for them: a cache, in front of a circuit breaker, in front of the reader.
 * While the feed has lost history, collections may have been dropped: an absent document may be a lost one, so no
 * look-up is answered until everything was read again.
 */
export class CredentialLookUps implements AsyncDisposable {
  readonly cache: CredentialCache;
  /** All App Keys of the store, as far as they were read. */
  readonly appKeys = new AppKeyFilter();
  readonly #observer: Pick<DatabaseObserver, 'defect'>;
  readonly #breaker: LookUpBreaker;
  readonly #probe: LookUpProbe;
  #isWhole = false;

  constructor(ports: CredentialLookUpsPorts) {
    const { client, clock, startTimer, observer, keyRing, floor, progress, faults, availability } = ports;
    this.#observer = observer;
    const readCredential = createCredentialReader({ client, floor, keyRing, faults });
    const read = async (appKeyHash: string): Promise<HeldCredential | null> => {
      if (!this.#isWhole) throw new MongodbUnavailable('schema', NOT_WHOLE);
      return await readCredential(appKeyHash);
    };
    const breaker = new LookUpBreaker(
      { read },
      {
        down: () => {
          availability.lose('look-ups', new MongodbUnavailable('slow', LOOK_UPS_FAIL));
        },
        up: () => {
          availability.regain('look-ups');
        },
      },
    );
    this.#breaker = breaker;
    this.#probe = new LookUpProbe({
      isInDoubt: () => !availability.isUp,
      ask: () => breaker.read(HASH_WITHOUT_HOLDER),
      startTimer,
      observer,
    });
    this.cache = new CredentialCache(
      { maxEntries: ports.maxEntries, maxStaleSeconds: ports.maxStaleSeconds },
      {
        reader: breaker,
        appKeys: this.appKeys,
        provenMs: () =>
          progress.mode === 'polling' ? clock.nowMs() : (progress.confirmedMs ?? Number.NEGATIVE_INFINITY),
        confirmedMs: () => progress.completeMs ?? Number.NEGATIVE_INFINITY,
        appKeysConfirmedMs: () => progress.credentialsCompleteMs ?? Number.NEGATIVE_INFINITY,
        clock,
        startTimer,
        observer,
      },
    );
  }

  /** Whether callers who are not in memory can be decided. */
  get areAnswered(): boolean {
    return !this.#probe.fails;
  }

  /** Everything was read again: the cache reads its entries again, and absent documents are absent. */
  everythingChanged(): void {
    this.#isWhole = true;
    this.cache.everythingChanged();
  }

  /** Changes were lost. */
  historyLost(): void {
    this.#isWhole = false;
    this.appKeys.lose();
  }

  /**
   * Looks up until as many connections are open as callers can wait for at once. A process that has just started opens
   * a connection in tens of milliseconds, and on a busy machine its first ten would outlast a look-up's deadline.
   */
  async warmUp(): Promise<void> {
    const readOne = async (): Promise<void> => {
      for (let read = 0; read < WARMING_READS; read += 1) await this.#breaker.read(HASH_WITHOUT_HOLDER);
    };
    const results = await Promise.allSettled(Array.from({ length: MAX_LOOK_UPS }, readOne));
    for (const result of results) {
      if (result.status === 'rejected' && !(result.reason instanceof StoreUnavailable)) {
        this.#observer.defect(result.reason);
      }
    }
  }

  /** Refuses what waits. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#probe[Symbol.dispose]();
    await this.cache[Symbol.asyncDispose]();
    this.#breaker[Symbol.dispose]();
  }
}
