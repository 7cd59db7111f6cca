import type { Collection, MongoClient } from 'mongodb';
import type { Clock } from '../../base/clock.ts';
import { MAX_CLOCK_SKEW_SECONDS } from '../../model/endpoint.ts';
import { FairShares, type Holder } from '../../check/replay/fair-shares.ts';
import {
  rememberedSeconds,
  type ReplayGuard,
  replayKeyOf,
  type Reservation,
  type UsedSignature,
} from '../../check/replay/replay-guard.ts';
import { timeWindow } from '../../check/signing/signed-time.ts';
import { Breaker } from '../../base/resilience/breaker.ts';
import type { DatabaseObserver } from '../../check/store/check-store.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import { collectionOf, type ReplayDocument } from './documents.ts';
import { isDuplicate } from './duplicates.ts';
import { translateFault } from './faults.ts';

/** What the guard needs. */
export interface MongoReplayGuardPorts {
  /** For `reservations`; the guard closes it. */
  readonly client: MongoClient;
  readonly clock: Clock;
  readonly observer: DatabaseObserver['signatures'];
}

/** More than this machine and MongoDB could do within the deadline. */
export const MAX_UNDER_WAY = 1000;
/** When a caller may ask again whose share of them is used up. */
const RETRY_AFTER_SECONDS = 1;
/** Well below the 5 s that Envoy waits. Writes take no signal: one that is given up ends by its socket's time limit. */
const RESERVE_MS = 1500;
/** Below that, so that MongoDB itself says what it waits for. */
const WRITE_MS = 1200;
/** Failures of reservations are judged over this span. */
const WINDOW_MS = 4000;

/**
 * {@link ReplayGuard} in the collection `replay`, for all replicas (spec §4.4): the first insert of an `_id` is the
 * first use. It counts when a majority of members has it, so that no failover forgets it; until then, and whenever
 * MongoDB does not answer, the outcome is unknown, and the signature may count as used.
 *
 * Every signature is remembered for as long as the longest clock skew that an endpoint may have makes it good, whatever
 * the endpoints have now: a replica may add here, and change nothing, so that a skew which is raised later finds all
 * that it needs. That is longer than any assertion lasts. A TTL index removes what is out of date, up to a minute or
 * more late. What is still there is `repeated`, which does no harm, as its time is outside the window by then. Takes
 * `insert` on the one collection.
 *
 * The writes under way are shared fairly ({@link FairShares}), so that no consumer takes all places.
 */
export class MongoReplayGuard implements ReplayGuard, AsyncDisposable {
  readonly #client: MongoClient;
  readonly #used: Collection<ReplayDocument>;
  /** Apart from the one for look-ups: writes can fail while reads go on. */
  readonly #breaker: Breaker<StoreUnavailable>;
  readonly #clock: Clock;
  readonly #shares = new FairShares();
  #underWay = 0;

  constructor({ client, clock, observer }: MongoReplayGuardPorts) {
    this.#client = client;
    this.#clock = clock;
    this.#used = collectionOf(client.db(), 'replay');
    this.#breaker = new Breaker({
      windowMs: WINDOW_MS,
      timeoutMs: RESERVE_MS,
      isFailure: (error) => error instanceof StoreUnavailable,
      faultOf: (_, latest) => new StoreUnavailable(`used signatures cannot be remembered: ${detailOf(latest)}`),
      observer: {
        down: (latest) => {
          observer.down(detailOf(latest));
        },
        up: () => {
          observer.up();
        },
      },
    });
  }

  async reserve(used: UsedSignature): Promise<Reservation> {
    const free = MAX_UNDER_WAY - this.#underWay;
    if (free <= 0) throw new StoreUnavailable('too many signatures are being remembered at once');
    if (!this.#shares.hasRoom(used, free)) return { retryAfterSeconds: RETRY_AFTER_SECONDS };
    return await this.#breaker.run(async () => await this.#insert(used));
  }

  /** Closes the connections. Reservations that run are uncertain. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#breaker[Symbol.dispose]();
    await this.#client.close();
  }

  async #insert(used: UsedSignature): Promise<Reservation> {
    this.#count(used, 1);
    try {
      // Does nothing when connected. The driver does not repeat a first connection that failed.
      await this.#client.connect();
      const untilSeconds = this.#clock.nowSeconds() + rememberedSeconds(timeWindow(MAX_CLOCK_SKEW_SECONDS));
      const document = { _id: replayKeyOf(used), expiresAt: new Date(untilSeconds * 1000) };
      await this.#used.insertOne(document, { writeConcern: { w: 'majority', wtimeoutMS: WRITE_MS } });
      return 'first';
    } catch (error) {
      if (isDuplicate(error)) return 'repeated';
      throw unknowable(error);
    } finally {
      this.#count(used, -1);
    }
  }

  #count(holder: Holder, change: 1 | -1): void {
    this.#underWay += change;
    this.#shares.add(holder, change);
  }
}

function detailOf(latest: StoreUnavailable | null): string {
  return latest?.message ?? 'it does not answer in time';
}

/** Whatever it is: without an answer of MongoDB nothing passes. */
function unknowable(error: unknown): StoreUnavailable {
  const fault = translateFault(error);
  if (fault instanceof StoreUnavailable) return fault;
  const reason = fault instanceof Error ? fault.message : 'unknown';
  return new StoreUnavailable(`a used signature could not be remembered: ${reason}`, { cause: fault });
}
