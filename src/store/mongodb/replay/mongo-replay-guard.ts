import { type Collection, type MongoClient, MongoServerError } from 'mongodb';
import type { ReplayGuard, Reservation } from '../../../replay/replay-guard.ts';
import { StoreUnavailable } from '../../credential-source.ts';
import { collectionNames, type ReplayDocument } from '../documents.ts';
import { translateFault } from '../faults.ts';
import { ReplayBreaker, type ReplayBreakerObserver } from './replay-breaker.ts';

/** What the guard needs. */
export interface MongoReplayGuardPorts {
  /** For `reservations`; the guard closes it. */
  readonly client: MongoClient;
  readonly observer: ReplayBreakerObserver;
}

const DUPLICATE_KEY = 11000;
/** More than this machine and MongoDB could do within the deadline. */
const MAX_UNDER_WAY = 1000;
/** Below the deadline of the breaker, so that MongoDB itself says what it waits for. */
const WRITE_MS = 1200;

/**
 * {@link ReplayGuard} in the collection `replay`, for all replicas (spec §4.4): the one insert of an `_id` that nobody made
 * before is the first use. It counts when a majority of members has it, so that no failover forgets it; until then, and
 * whenever MongoDB does not say, nobody can know, and the signature may count as used.
 *
 * A TTL index removes what is out of date, up to a minute or more late. What is still there is `repeated`: no harm, as its
 * time is outside the window by then. Takes `insert` on the one collection.
 */
export class MongoReplayGuard implements ReplayGuard, AsyncDisposable {
  readonly #client: MongoClient;
  readonly #used: Collection<ReplayDocument>;
  readonly #breaker: ReplayBreaker;
  #underWay = 0;

  constructor({ client, observer }: MongoReplayGuardPorts) {
    this.#client = client;
    this.#used = client.db().collection<ReplayDocument>(collectionNames.replay);
    this.#breaker = new ReplayBreaker(async (key, untilSeconds) => await this.#insert(key, untilSeconds), observer);
  }

  async reserve(key: string, untilSeconds: number): Promise<Reservation> {
    if (this.#underWay >= MAX_UNDER_WAY) throw new StoreUnavailable('too many signatures are being remembered at once');
    return await this.#breaker.reserve(key, untilSeconds);
  }

  /** Closes the connections. Reservations that run are uncertain. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#breaker[Symbol.asyncDispose]();
    await this.#client.close();
  }

  async #insert(key: string, untilSeconds: number): Promise<Reservation> {
    this.#underWay += 1;
    try {
      // Connected, it does nothing; a client whose first connection failed does not try again by itself.
      await this.#client.connect();
      const document = { _id: key, expiresAt: new Date(untilSeconds * 1000) };
      await this.#used.insertOne(document, { writeConcern: { w: 'majority', wtimeoutMS: WRITE_MS } });
      return 'first';
    } catch (error) {
      if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return 'repeated';
      throw unknowable(error);
    } finally {
      this.#underWay -= 1;
    }
  }
}

/** Whatever it is: without an answer of MongoDB nothing passes. */
function unknowable(error: unknown): StoreUnavailable {
  const fault = translateFault(error);
  if (fault instanceof StoreUnavailable) return fault;
  const reason = fault instanceof Error ? fault.message : 'unknown';
  return new StoreUnavailable(`a used signature could not be remembered: ${reason}`, { cause: fault });
}
