import type { MongoClient, Timestamp } from 'mongodb';
import type { Clock, StartTimer } from '../../../base/clock.ts';
import { isSameRevision, type StoreRevision } from '../../../model/store-revision.ts';
import { UNKNOWN_FOR_MS } from '../../cache/unknown-app-keys.ts';
import type { DatabaseObserver } from '../../../check/store/check-store.ts';
import type { CredentialCache } from '../../credential-cache.ts';
import { RevisionInForce } from './revision-in-force.ts';
import { RevisionReader } from './revision-reader.ts';

/** What following the revision takes, and what it calls. */
export interface FollowedRevisionPorts {
  /** For `changes`. */
  readonly client: MongoClient;
  readonly clock: Clock;
  readonly startTimer: StartTimer;
  readonly followsChanges: () => boolean;
  readonly isCompiled: () => boolean;
  /** Whether look-ups are answered, so that what is dropped can be read again. */
  readonly isUp: () => boolean;
  readonly cache: Pick<CredentialCache, 'everythingChanged' | 'dropReadBefore' | 'size' | 'unknownSize'>;
  readonly onChanged: (revision: StoreRevision) => void;
  readonly observer: Pick<DatabaseObserver, 'defect'>;
}

/** After changes were lost: by then callers who come often were read again, and unknown App Keys are forgotten. */
const SETTLE_MS = UNKNOWN_FOR_MS + 1000;
const LOOK_AGAIN_MS = 1000;

/** The revision of the store that this process decides by, from what the feed of changes tells and from readings. */
export class FollowedRevision implements AsyncDisposable {
  readonly #ports: FollowedRevisionPorts;
  readonly #state: RevisionInForce;
  readonly #reader: RevisionReader;
  #polled: StoreRevision | null = null;
  #cancelTimer: (() => void) | null = null;

  constructor(ports: FollowedRevisionPorts) {
    const { client, followsChanges, isCompiled, onChanged, observer } = ports;
    this.#ports = ports;
    const state = new RevisionInForce({ isCompiled, onChanged });
    this.#state = state;
    this.#reader = new RevisionReader({
      client,
      followsChanges,
      observer,
      onRead: (revision, at) => {
        state.read(revision, at);
      },
    });
  }

  /** Null until it is known. */
  get inForce(): StoreRevision | null {
    return this.#state.inForce;
  }

  /** A change was taken. */
  changed(): void {
    this.#reader.readSoon();
  }

  /** The feed has handed on every change before this moment; null: changes were lost. */
  reach(at: Timestamp | null): void {
    this.#state.reach(at);
  }

  /** Everything was read again, after changes were lost: what the cache has from before may decide for a while. */
  readAgain(): void {
    const { cache } = this.#ports;
    if (cache.size + cache.unknownSize > 0) this.#dropLater();
    this.#reader.readSoon();
  }

  /** The revision was read, and then the endpoints, from a server that tells no changes. */
  polled(revision: StoreRevision | null): void {
    const { cache } = this.#ports;
    if (revision === null || isSameRevision(revision, this.#polled)) return;
    this.#polled = revision;
    cache.everythingChanged();
    if (cache.size + cache.unknownSize > 0) this.#dropLater();
    this.#state.take(revision);
  }

  /** Changed endpoints are in force. */
  compiled(): void {
    this.#state.compiled();
  }

  /** Stops. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelTimer?.();
    await this.#reader[Symbol.asyncDispose]();
  }

  /** Nothing new counts until what was read before now is dropped, which waits until it can be read again. */
  #dropLater(): void {
    const { clock, startTimer, isUp, cache } = this.#ports;
    const readBeforeMs = clock.nowMs() + 1;
    const drop = (): void => {
      if (!isUp()) {
        this.#cancelTimer = startTimer(LOOK_AGAIN_MS, drop);
        return;
      }
      this.#cancelTimer = null;
      cache.dropReadBefore(readBeforeMs);
      this.#state.release();
    };
    this.#state.hold();
    this.#cancelTimer?.();
    this.#cancelTimer = startTimer(SETTLE_MS, drop);
  }
}
