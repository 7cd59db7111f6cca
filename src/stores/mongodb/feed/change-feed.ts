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
import { type CausalFloor, isPositionLost, type StreamPosition } from './change-stream.ts';
import {
  type Change,
  followCollection,
  followedCollections,
  type FollowedCollection,
  pollCollections,
} from './follow-collection.ts';
import type { WholeCollections } from './live-catalog.ts';

/**
 * How changes come: by change streams, or, from a stand-alone server, endpoints and grants for groups by looking and the
 * rest not at all.
 */
export type FeedMode = 'following' | 'polling';

/** What a feed takes, and what it calls. */
export interface ChangeFeedPorts {
  /** For `changes`. */
  readonly client: MongoClient;
  readonly clock: Clock;
  readonly floor: CausalFloor;
  /** Has to be the one that the secrets in the database are sealed with. */
  readonly keyRing: Pick<Sealer, 'keyIds'>;
  /**
   * Connects all clients that are used from now on. The driver does not repeat a first connection that failed, but
   * connects when it is asked to, and does nothing when it is connected.
   */
  readonly connect: () => Promise<unknown>;
  readonly onRead: (documents: WholeCollections) => void;
  /** Changes may have been missed: nothing that was read before counts. */
  readonly onEverythingChanged: () => void;
  readonly onChange: (change: Change) => void;
  /** Every change before this moment of the database was handed on; null: changes were lost. */
  readonly onReached: (at: Timestamp | null) => void;
  /** From a stand-alone server: the revision that was read before the endpoints. */
  readonly onRevision: (revision: StoreRevision | null) => void;
  /** Changes come in, at start and after an error. */
  readonly onRunning: (mode: FeedMode) => void;
  /** Changes stopped coming in, with the driver's error; called with every attempt that fails. */
  readonly onError: (error: unknown) => void;
  /** History was lost; everything is read again. */
  readonly onGap: () => void;
  readonly pollIntervalMs?: number | undefined;
}

const POLL_INTERVAL_MS = 2000;

/**
 * Everything that happens to the collections that decide checks (spec §6). Reads all endpoints and grants for groups,
 * then follows the changes since a moment before, so that none is missed in between. Goes on after its last position when a stream
 * breaks, and begins again when history was lost. Never gives up.
 */
export class ChangeFeed implements AsyncDisposable {
  readonly #ports: ChangeFeedPorts;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** Null: everything has to be read. */
  #positions: Map<FollowedCollection, StreamPosition> | null = null;
  readonly #confirmedMsOf = new Map<FollowedCollection, number>();
  /** The oldest of them: every check reads it. */
  #confirmedMs: number | null = null;
  readonly #reached = new Map<FollowedCollection, Timestamp>();
  #mode: FeedMode | null = null;
  #failures = 0;

  constructor(ports: ChangeFeedPorts) {
    this.#ports = ports;
    this.#running = this.#run();
  }

  /** Up to which moment of the clock endpoints and grants for groups are those of the store; null before the first time. */
  get confirmedMs(): number | null {
    return this.#confirmedMs;
  }

  /** Up to which moment of the clock every change has arrived; null where changes are not followed. */
  get completeMs(): number | null {
    return this.#mode === 'polling' ? null : this.confirmedMs;
  }

  /** Up to which moment of the clock every change of credentials has arrived; null while changes are not followed. */
  get credentialsCompleteMs(): number | null {
    return this.#mode === 'following' ? (this.#confirmedMsOf.get('credentials') ?? null) : null;
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
          this.#ports.onReached(null);
          this.#ports.onGap();
        } else this.#ports.onError(error);
      }
      await pause(backOffMs(this.#failures), signal);
      this.#failures += 1;
    }
  }

  #noteRunning(mode: FeedMode): void {
    this.#failures = 0;
    if (this.#mode === mode) return;
    this.#mode = mode;
    this.#ports.onRunning(mode);
  }

  #confirm(name: FollowedCollection, confirmedMs: number): void {
    this.#setConfirmed(name, Math.max(confirmedMs, this.#confirmedMsOf.get(name) ?? 0));
  }

  #setConfirmed(name: FollowedCollection, confirmedMs: number): void {
    this.#confirmedMsOf.set(name, confirmedMs);
    if (this.#confirmedMsOf.size === followedCollections.length) {
      this.#confirmedMs = Math.min(...this.#confirmedMsOf.values());
    }
  }

  /** Reads everything, and notes the moment before as the position to follow from: changes since may come twice. */
  async #begin(signal: AbortSignal): Promise<void> {
    const { client, clock, floor } = this.#ports;
    await this.#ports.connect();
    const db = client.db();
    await using session = client.startSession({ causalConsistency: true });
    const endpoints = db.collection<RawDocument>('endpoints');
    const read = { session, readConcern: { level: 'majority' }, signal } as const;
    const askedMs = clock.nowMs();
    const standsAlone = await isStandAlone(db);
    await endpoints.findOne({}, { ...read, projection: { _id: 1 } });
    const since = session.operationTime;
    await requireSchema(db, signal);
    await requireKnownKeys(db, this.#ports.keyRing, signal);
    if (standsAlone || since === undefined) {
      this.#ports.onEverythingChanged();
      return;
    }
    floor.raise(since, session);
    const groupGrants = db.collection<RawDocument>('grants').find(forGroups, read);
    this.#ports.onRead({
      endpoints: await endpoints.find({}, read).toArray(),
      groupGrants: await groupGrants.toArray(),
    });
    this.#ports.onEverythingChanged();
    this.#positions = new Map(followedCollections.map((name) => [name, { startAtOperationTime: since }]));
    for (const name of followedCollections) {
      this.#setConfirmed(name, askedMs);
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
    this.#ports.onReached(all.reduce((least, each) => (each.lessThan(least) ? each : least)));
  }

  /** Follows all collections until one of them fails; then none is followed any more. */
  async #follow(positions: Map<FollowedCollection, StreamPosition>, signal: AbortSignal): Promise<void> {
    const { client, clock, floor } = this.#ports;
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
            this.#ports.onChange(change);
          },
          onReached: (at) => {
            this.#reach(name, at);
          },
          onConfirmed: (confirmedMs) => {
            this.#confirm(name, confirmedMs);
            answered.add(name);
            if (answered.size === followedCollections.length) this.#noteRunning('following');
          },
          onPosition: (position) => {
            positions.set(name, position);
          },
        });
      } finally {
        // From this moment on changes may be missed, whatever the other streams still have to close.
        this.#mode = null;
        round.abort();
      }
    };
    const ended = await Promise.allSettled([...positions].map(([name, start]) => follow(name, start)));
    const errors = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    if (errors.length > 0) throw errors.find((error) => isPositionLost(error)) ?? errors[0];
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { client, clock, onRead, onRevision, pollIntervalMs = POLL_INTERVAL_MS } = this.#ports;
    await pollCollections({
      ...{ client, clock, signal, pollIntervalMs, onRead, onRevision },
      onConfirmed: (confirmedMs) => {
        for (const name of followedCollections) this.#confirm(name, confirmedMs);
        this.#noteRunning('polling');
      },
    });
  }
}
