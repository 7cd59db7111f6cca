import { setTimeout as delay } from 'node:timers/promises';
import { type MongoClient, MongoServerError } from 'mongodb';
import type { Clock } from '../../../clock.ts';
import {
  type RevocationOutcome,
  revocationBounds,
  type RevokedToken,
  RevokedTokenList,
  type RevokedTokens,
} from '../../../oauth2/revoked-tokens.ts';
import { StoreUnavailable } from '../../credential-source.ts';
import { collectionNames, type RevokedTokenDocument } from '../documents.ts';
import { MongodbUnavailable, translateFault } from '../faults.ts';
import { backOffMs } from '../deadline.ts';
import { isPositionLost } from '../feed/change-feed.ts';
import { followRevokedTokens } from './follow-revoked-tokens.ts';

/** What the list needs. It does not own the client. */
export interface MongoRevokedTokensPorts {
  /** For `changes`. */
  readonly client: MongoClient;
  /** Connects the client, also after a first connection that failed. */
  connect(): Promise<unknown>;
  readonly clock: Clock;
  /** How long the list counts that was last known to be whole. */
  readonly maxStaleSeconds: number;
  readonly observer: {
    /** The list is whole, at start and after an error. */
    running(): void;
    /** The list cannot be followed, with the driver's error; told with every attempt that fails. */
    failed(error: unknown): void;
  };
  readonly pollIntervalMs?: number;
}

const POLL_INTERVAL_MS = 2000;
/** A list is not stale before this, so that a zero for `maxStaleSeconds` means "while the store answers". */
const LEAST_STALE_MS = 5000;
const DUPLICATE_KEY = 11000;
/** Somebody else than Postern filled the collection. */
const MAX_LISTED = 2 * revocationBounds.tokens;

/**
 * {@link RevokedTokens} in the collection `revokedTokens`, which a TTL index empties (spec §3.4): every replica has the whole
 * list in memory and follows the collection. While MongoDB is away nothing can be revoked, and the list of before counts
 * up to `maxStaleSeconds`, as credentials do (spec §6); then nobody can know any more what was revoked.
 */
export class MongoRevokedTokens implements RevokedTokens, AsyncDisposable {
  readonly #ports: MongoRevokedTokensPorts;
  readonly #list: RevokedTokenList;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** Those who wait for an attempt that begins after the one with this number. */
  #waiting: { readonly after: number; readonly resolve: () => void }[] = [];
  #attempt = 0;
  #endPause: () => void = () => undefined;
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
    const { tokenId, credentialId, expiresAt } = token;
    if (this.#list.has(tokenId)) return 'listed';
    if (!this.#list.hasRoomFor(credentialId)) return 'full';
    const tokens = this.#ports.client.db().collection<RevokedTokenDocument>(collectionNames.revokedTokens);
    try {
      await tokens.insertOne(
        { _id: tokenId, credentialId, expiresAt: new Date(expiresAt * 1000) },
        { writeConcern: { w: 'majority', wtimeoutMS: WRITE_MS } },
      );
    } catch (error) {
      const isListed = error instanceof MongoServerError && error.code === DUPLICATE_KEY;
      if (!isListed) throw translateFault(error);
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
      this.#endPause();
    });
  }

  /** Stops following. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { client, clock, observer, pollIntervalMs = POLL_INTERVAL_MS } = this.#ports;
    while (!signal.aborted) {
      this.#attempt += 1;
      try {
        await this.#ports.connect();
        await followRevokedTokens({
          ...{ client, clock, signal, pollIntervalMs },
          onRevoked: (token) => {
            if (this.#list.size >= MAX_LISTED) throw new MongodbUnavailable('record', TOO_MANY);
            this.#list.add(token);
          },
          onConfirmed: (confirmedMs) => {
            this.#confirm(confirmedMs);
          },
        });
      } catch (error) {
        if (isAborted(signal)) return;
        // What was missed is read with all the rest.
        if (!isPositionLost(error)) {
          this.#isRunning = false;
          observer.failed(error);
        }
      }
      this.#tellWaiting(this.#attempt);
      if (this.#waiting.length > 0) continue;
      const pause = new AbortController();
      this.#endPause = () => {
        pause.abort();
      };
      const ended = AbortSignal.any([signal, pause.signal]);
      await delay(backOffMs(this.#failures), undefined, { signal: ended }).catch(() => null);
      this.#failures += 1;
    }
  }

  /** Tells those who waited for this attempt or one before it. */
  #tellWaiting(attempt: number): void {
    const told = this.#waiting.filter(({ after }) => after < attempt);
    this.#waiting = this.#waiting.filter(({ after }) => after >= attempt);
    for (const { resolve } of told) resolve();
  }

  #confirm(confirmedMs: number): void {
    this.#confirmedMs = Math.max(confirmedMs, this.#confirmedMs ?? 0);
    this.#failures = 0;
    this.#tellWaiting(Number.POSITIVE_INFINITY);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#ports.observer.running();
  }
}

/** Less than Envoy waits for the answer. */
const WRITE_MS = 3000;

const TOO_MANY = `the collection ${collectionNames.revokedTokens} holds more than ${String(MAX_LISTED)} documents, which Postern does not write; remove what does not belong there`;

/** Asked anew after every wait. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
