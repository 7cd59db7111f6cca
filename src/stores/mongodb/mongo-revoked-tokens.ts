import type { ClientSession, MongoClient, Timestamp } from 'mongodb';
import type { Clock } from '../../base/clock.ts';
import {
  type RevocationOutcome,
  revocationBounds,
  type RevokedToken,
  RevokedTokenList,
  type RevokedTokens,
} from '../../check/tokens/revoked-tokens.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import { isStandAlone } from './connect.ts';
import { backOffMs, EndablePause, isAborted } from './deadline.ts';
import { collectionOf } from './documents.ts';
import { isDuplicate } from './duplicates.ts';
import { MongodbUnavailable, translateFault } from './faults.ts';
import { type ChangeEvent, followStream, isPositionLost, poll, PrimaryChanged } from './feed/change-stream.ts';
import { requireSchema } from './schema/schema-version.ts';

/** What the list needs. It does not own the client. */
export interface MongoRevokedTokensPorts {
  /** For `changes`. */
  readonly client: MongoClient;
  readonly clock: Clock;
  /** How long the list counts that was last known to be whole. */
  readonly maxStaleSeconds: number;
  readonly observer: {
    /** The list is whole, at start and after an error. */
    up(): void;
    /** The list cannot be followed, with the driver's error; called with every attempt that fails. */
    down(error: unknown): void;
  };
  readonly pollIntervalMs?: number | undefined;
}

const POLL_INTERVAL_MS = 2000;
/** A list is not stale before this, so that a zero for `maxStaleSeconds` means "while the store answers". */
const LEAST_STALE_MS = 5000;
const BATCH_SIZE = 1000;
/** Beyond this, another program than Postern filled the collection. */
const MAX_LISTED = 2 * revocationBounds.tokens;

/**
 * {@link RevokedTokens} in the collection `revokedTokens`, which a TTL index empties (spec §3.4): every replica has the
 * whole list in memory and follows the collection. While MongoDB is down nothing can be revoked, and the last list
 * counts up to `maxStaleSeconds`, as credentials do (spec §6); after that it is unknown what was revoked.
 */
export class MongoRevokedTokens implements RevokedTokens, AsyncDisposable {
  readonly #ports: MongoRevokedTokensPorts;
  readonly #list: RevokedTokenList;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** Callers that wait for an attempt that begins after the one with this number. */
  #waiting: { readonly after: number; readonly resolve: () => void }[] = [];
  #attempt = 0;
  readonly #pause = new EndablePause();
  #confirmedMs: number | null = null;
  #failures = 0;
  #isRunning = false;

  constructor(ports: MongoRevokedTokensPorts) {
    this.#ports = ports;
    this.#list = new RevokedTokenList(ports.clock);
    this.#running = this.#run(this.#stop.signal);
  }

  isRevoked(tokenId: string): boolean {
    if (this.#list.has(tokenId)) return true;
    if (this.#confirmedMs === null) throw new StoreUnavailable('the list of revoked tokens was not read yet');
    const maxStaleMs = Math.max(this.#ports.maxStaleSeconds * 1000, LEAST_STALE_MS);
    if (Math.abs(this.#ports.clock.nowMs() - this.#confirmedMs) <= maxStaleMs) return false;
    throw new StoreUnavailable('the list of revoked tokens is out of date');
  }

  async revoke(token: RevokedToken): Promise<RevocationOutcome> {
    const { tokenId, consumerId, credentialId, expiresAt } = token;
    if (this.#list.has(tokenId)) return 'listed';
    if (!this.#list.hasRoomFor(token)) return 'full';
    try {
      await collectionOf(this.#ports.client.db(), 'revokedTokens').insertOne(
        { _id: tokenId, consumerId, credentialId, expiresAt: new Date(expiresAt * 1000) },
        { writeConcern: { w: 'majority', wtimeoutMS: WRITE_MS } },
      );
    } catch (error) {
      // It is listed already when it is a duplicate.
      if (!isDuplicate(error)) throw translateFault(error);
    }
    this.#list.add(token);
    return 'listed';
  }

  /**
   * Resolves when the list was read, or when an attempt failed that began after the call; does not wait for the pause
   * between attempts. Never, when it is disposed of before.
   */
  async tryNow(): Promise<void> {
    if (this.#confirmedMs !== null) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push({ after: this.#attempt, resolve });
      this.#pause.end();
    });
  }

  /** Stops following. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#attempt += 1;
      try {
        // The driver does not repeat a first connection that failed.
        await this.#ports.client.connect();
        await this.#follow(signal);
      } catch (error) {
        if (isAborted(signal)) return;
        // What was missed is read with all the rest.
        if (!isPositionLost(error) && !(error instanceof PrimaryChanged)) {
          this.#isRunning = false;
          this.#ports.observer.down(error);
        }
      }
      this.#resolveWaiting(this.#attempt);
      if (this.#waiting.length > 0) continue;
      await this.#pause.wait(backOffMs(this.#failures), signal);
      this.#failures += 1;
    }
  }

  /**
   * Adds all tokens that are revoked, and then each one that is revoked, until the signal is aborted. Rejects with
   * `FeedGap`, the driver's error or `MongodbUnavailable` when it cannot go on: it then begins with all tokens again,
   * because a token that is revoked stays so.
   */
  async #follow(signal: AbortSignal): Promise<void> {
    const { client, clock, pollIntervalMs = POLL_INTERVAL_MS } = this.#ports;
    await requireSchema(client.db(), signal);
    if (await isStandAlone(client.db())) {
      await poll(() => this.#readAll(signal), { clock, signal, pollIntervalMs });
      return;
    }
    await using session = client.startSession({ causalConsistency: true });
    const since = await this.#readAll(signal, session);
    if (since === undefined) return;
    const watched = {
      client,
      session,
      collection: 'revokedTokens',
      start: { startAtOperationTime: since },
      // The server removes those that expire, which matters to no replica.
      pipeline: [{ $match: { operationType: { $ne: 'delete' } } }, { $project: { operationType: 1, fullDocument: 1 } }],
      operationTypes: ['insert'],
    };
    await followStream(watched, {
      clock,
      signal,
      onEvent: ({ fullDocument }) => {
        this.#add(fullDocument);
      },
      onConfirmed: (confirmedMs) => {
        this.#confirm(confirmedMs);
      },
    });
  }

  /** Gives a moment before the reading. Reads from the primary: a secondary that was cut off would confirm for ever. */
  async #readAll(signal: AbortSignal, session?: ClientSession): Promise<Timestamp | undefined> {
    const { client, clock } = this.#ports;
    const tokens = collectionOf(client.db(), 'revokedTokens');
    const majority = session === undefined ? {} : ({ session, readConcern: { level: 'majority' } } as const);
    const options = { ...majority, readPreference: 'primary', signal } as const;
    const askedMs = clock.nowMs();
    await tokens.findOne({}, { ...options, projection: { _id: 1 } });
    const since = session?.operationTime;
    for await (const document of tokens.find({}, { ...options, batchSize: BATCH_SIZE })) this.#add({ ...document });
    this.#confirm(askedMs);
    return since;
  }

  /** A hand may have written any form, which then is no revoked token. */
  #add(document: ChangeEvent['fullDocument']): void {
    const { _id: tokenId, consumerId: owner, credentialId, expiresAt } = document ?? {};
    if (typeof tokenId !== 'string' || typeof credentialId !== 'string' || !(expiresAt instanceof Date)) return;
    if (this.#list.size >= MAX_LISTED) throw new MongodbUnavailable('record', TOO_MANY);
    const consumerId = typeof owner === 'string' ? owner : undefined;
    this.#list.add({ tokenId, consumerId, credentialId, expiresAt: Math.ceil(expiresAt.getTime() / 1000) });
  }

  /** Resolves what waited for this attempt or one before it. */
  #resolveWaiting(attempt: number): void {
    const done = this.#waiting.filter(({ after }) => after < attempt);
    this.#waiting = this.#waiting.filter(({ after }) => after >= attempt);
    for (const { resolve } of done) resolve();
  }

  #confirm(confirmedMs: number): void {
    this.#confirmedMs = Math.max(confirmedMs, this.#confirmedMs ?? 0);
    this.#failures = 0;
    this.#resolveWaiting(Number.POSITIVE_INFINITY);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#ports.observer.up();
  }
}

/** Less than Envoy waits for the answer. */
const WRITE_MS = 3000;

const TOO_MANY = `the collection revokedTokens holds more than ${String(MAX_LISTED)} documents, which Postern does not write; remove what does not belong there`;
