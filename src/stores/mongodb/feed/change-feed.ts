import type { MongoClient, Timestamp } from 'mongodb';
import type { Clock } from '../../../base/clock.ts';
import type { Sealer } from '../../../model/keyring/sealed.ts';
import type { StoreRevision } from '../../../model/store-revision.ts';
import { isStandAlone } from '../connect.ts';
import { requireKnownKeys } from '../require-known-keys.ts';
import { requireSchema } from '../schema/schema-version.ts';
import { backOffMs, isAborted, pause } from '../deadline.ts';
import { forGroups } from '../documents.ts';
import type { RawDocument } from '../mapping/document-fault.ts';
import { type CausalFloor, isPositionLost, PrimaryChanged, type StreamPosition } from './change-stream.ts';
import {
  type Change,
  followCollection,
  followedCollections,
  type FollowedCollection,
  pollCollections,
} from './follow-collection.ts';
import { readClaimNames } from './claim-names.ts';
import type { FeedMode, FeedProgress } from './feed-progress.ts';
import type { WholeCollections } from './live-catalog.ts';

/** Who is told of what the feed finds. */
export interface FeedListener {
  /** All endpoints and grants for groups were read. */
  read(documents: WholeCollections): void;
  /** Changes may have been missed: nothing that was read before counts. */
  everythingChanged(): void;
  changed(change: Change): void;
  /** Every change before this moment of the database was handed on; null: changes were lost. */
  reached(at: Timestamp | null): void;
  /** From a stand-alone server: the revision that was read before the endpoints. */
  polled(revision: StoreRevision | null): void;
  /** Changes come in, at start and after an error. `isNews`: they did not come this way last time. */
  running(mode: FeedMode, isNews: boolean): void;
  /** Changes stopped coming in, with the driver's error; called with every attempt that fails. */
  failed(error: unknown): void;
  /** History was lost; everything is read again. */
  historyLost(): void;
}

/** What a feed takes. */
export interface ChangeFeedPorts {
  /** For `changes`. */
  readonly client: MongoClient;
  readonly clock: Clock;
  readonly floor: CausalFloor;
  /** Written here. */
  readonly progress: FeedProgress;
  readonly listener: FeedListener;
  /** Has to be the one that the secrets in the database are sealed with. */
  readonly keyRing: Pick<Sealer, 'keyIds'>;
  /**
   * Connects all clients that are used from now on. The driver does not repeat a first connection that failed, but
   * connects when it is asked to, and does nothing when it is connected.
   */
  readonly connect: () => Promise<unknown>;
  readonly pollIntervalMs?: number | undefined;
}

const POLL_INTERVAL_MS = 2000;

/**
 * Everything that happens to the collections that decide checks (spec §6). Reads all endpoints, plans, issuers and
 * grants for groups, then follows the changes since a moment before, so that none is missed in between. Goes on after
 * its last position when a stream breaks, and begins again when history was lost. Never gives up.
 */
export class ChangeFeed implements AsyncDisposable {
  readonly #ports: ChangeFeedPorts;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** Null: everything has to be read. */
  #positions: Map<FollowedCollection, StreamPosition> | null = null;
  readonly #reached = new Map<FollowedCollection, Timestamp>();
  #failures = 0;

  constructor(ports: ChangeFeedPorts) {
    this.#ports = ports;
    this.#running = this.#run();
  }

  /** Stops. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        if (this.#positions === null) await this.#begin(signal);
        if (this.#positions === null) await this.#poll(signal);
        else await this.#follow(this.#positions, signal);
      } catch (error) {
        if (isAborted(signal)) return;
        if (isPositionLost(error)) {
          this.#positions = null;
          this.#reached.clear();
          this.#ports.listener.reached(null);
          this.#ports.listener.historyLost();
        } else if (!(error instanceof PrimaryChanged)) this.#ports.listener.failed(error);
      }
      await pause(backOffMs(this.#failures), signal);
      this.#failures += 1;
    }
  }

  #noteRunning(mode: FeedMode): void {
    const { progress, listener } = this.#ports;
    this.#failures = 0;
    if (progress.mode === mode) return;
    const isNews = progress.lastMode !== mode;
    progress.run(mode);
    listener.running(mode, isNews);
  }

  /** Reads everything, and notes the moment before as the position to follow from: changes since may come twice. */
  async #begin(signal: AbortSignal): Promise<void> {
    const { client, clock, floor } = this.#ports;
    await this.#ports.connect();
    const db = client.db();
    await using session = client.startSession({ causalConsistency: true });
    const endpoints = db.collection<RawDocument>('endpoints');
    // A secondary that was cut off would give a state of any age for the present one.
    const read = { session, readConcern: { level: 'majority' }, readPreference: 'primary', signal } as const;
    const askedMs = clock.nowMs();
    const standsAlone = await isStandAlone(db);
    await endpoints.findOne({}, { ...read, projection: { _id: 1 } });
    const since = session.operationTime;
    await requireSchema(db, signal);
    await requireKnownKeys(db, this.#ports.keyRing, signal);
    if (standsAlone || since === undefined) {
      this.#ports.listener.everythingChanged();
      return;
    }
    floor.raise(since, session);
    const groupGrants = db.collection<RawDocument>('grants').find(forGroups, read);
    const issuers = await db.collection<RawDocument>('issuers').find({}, read).toArray();
    this.#ports.listener.read({
      endpoints: await endpoints.find({}, read).toArray(),
      groupGrants: await groupGrants.toArray(),
      plans: await db.collection<RawDocument>('plans').find({}, read).toArray(),
      issuers,
      claimNames: await readClaimNames(
        db,
        issuers.map(({ _id }) => String(_id)),
        { session, signal, readPreference: 'primary' },
      ),
    });
    this.#ports.listener.everythingChanged();
    this.#positions = new Map(followedCollections.map((name) => [name, { startAtOperationTime: since }]));
    for (const name of followedCollections) {
      this.#ports.progress.restart(name, askedMs);
      this.#reach(name, since);
    }
  }

  /** A stream that goes on after its last position may begin with a moment that it had come to before. */
  #reach(name: FollowedCollection, at: Timestamp): void {
    const before = this.#reached.get(name);
    if (before?.greaterThanOrEqual(at) === true) return;
    this.#reached.set(name, at);
    if (this.#reached.size < followedCollections.length) return;
    const all = [...this.#reached.values()];
    this.#ports.listener.reached(all.reduce((least, each) => (each.lessThan(least) ? each : least)));
  }

  /** Follows all collections until one of them fails; then none is followed any more. */
  async #follow(positions: Map<FollowedCollection, StreamPosition>, signal: AbortSignal): Promise<void> {
    const { client, clock, floor, progress } = this.#ports;
    const round = new AbortController();
    const answered = new Set<FollowedCollection>();
    const follow = async (name: FollowedCollection, start: StreamPosition): Promise<void> => {
      try {
        await followCollection(name, start, {
          client,
          clock,
          signal: AbortSignal.any([signal, round.signal]),
          onChange: (change, clusterTime, session) => {
            floor.raise(clusterTime, session);
            this.#ports.listener.changed(change);
          },
          onReached: (at) => {
            this.#reach(name, at);
          },
          onConfirmed: (confirmedMs) => {
            progress.confirm(name, confirmedMs);
            answered.add(name);
            if (answered.size === followedCollections.length) this.#noteRunning('following');
          },
          onPosition: (position) => {
            positions.set(name, position);
          },
        });
      } finally {
        // From this moment on changes may be missed, whatever the other streams still have to close.
        progress.stop();
        round.abort();
      }
    };
    const ended = await Promise.allSettled([...positions].map(([name, start]) => follow(name, start)));
    const errors = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    if (errors.length > 0) throw errors.find((error) => isPositionLost(error)) ?? errors[0];
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { client, clock, progress, listener, pollIntervalMs = POLL_INTERVAL_MS } = this.#ports;
    await pollCollections({
      client,
      clock,
      signal,
      pollIntervalMs,
      onRead: (documents) => {
        listener.read(documents);
      },
      onRevision: (revision) => {
        listener.polled(revision);
      },
      onConfirmed: (confirmedMs) => {
        for (const name of followedCollections) progress.confirm(name, confirmedMs);
        this.#noteRunning('polling');
      },
    });
  }
}
