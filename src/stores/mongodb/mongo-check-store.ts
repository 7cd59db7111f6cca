import type { Clock, StartTimer } from '../../base/clock.ts';
import type { Sealer } from '../../model/keyring/sealed.ts';
import { hashAppKey } from '../../model/app-key.ts';
import { type StoreRevision, wholeRevision } from '../../model/store-revision.ts';
import { AppKeyFilter } from '../cache/app-key-filter.ts';
import { CredentialCache } from '../credential-cache.ts';
import { type HeldCredential, StoreUnavailable } from '../../check/store/credential-source.ts';
import { LookUpBreaker } from '../look-up-breaker.ts';
import type { CheckStore, DatabaseObserver, Catalog } from '../../check/store/check-store.ts';
import type { TrafficSink } from '../traffic/traffic-recorder.ts';
import type { ReplicaRegister } from '../replica-heartbeat.ts';
import type { UsageSink } from '../usage-recorder.ts';
import { connectMongodb } from './connect.ts';
import { MongodbUnavailable } from './faults.ts';
import { AppKeyReader } from './feed/app-key-reader.ts';
import { Availability, LookUpProbe } from './feed/availability.ts';
import { CausalFloor } from './feed/change-stream.ts';
import { ChangeFeed, type FeedMode } from './feed/change-feed.ts';
import { FollowedRevision } from './feed/followed-revision.ts';
import { LiveCatalog } from './feed/live-catalog.ts';
import { type Change, followedCollections, type FollowedCollection } from './feed/follow-collection.ts';
import { idTextOf, createCredentialReader } from './feed/credential-reader.ts';
import { EndingReader } from './feed/ending-reader.ts';
import { RightsReader } from './feed/rights-reader.ts';
import { RecordFaults } from './feed/record-faults.ts';
import { describeFault, type DocumentFault } from './mapping/document-fault.ts';
import { MongoReplayGuard } from './mongo-replay-guard.ts';
import { MongoRevokedTokens } from './mongo-revoked-tokens.ts';
import type { RefusalSink } from '../../check/refusals/refusal-writer.ts';
import { createRefusalSink } from './refusals.ts';
import { createTrafficSink } from './traffic.ts';
import { createReplicaRegister, type ReplicaIdentity } from './replicas.ts';
import { createUsageSink } from './usage.ts';

/** What a MongoDB store needs. */
export interface MongoCheckStorePorts {
  readonly clock: Clock;
  readonly startTimer: StartTimer;
  /** Opens App Secrets. `reload` looks whether the key ring was changed, and gives whether it was. */
  readonly keyRing: Sealer & { reload(): Promise<boolean> };
  readonly observer: DatabaseObserver;
  /** Credentials held in memory at most. */
  readonly maxCachedCredentials: number;
  readonly maxStaleSeconds: number;
  readonly pollIntervalMs?: number | undefined;
}

/**
 * MongoDB as a store for checks (spec §6): endpoints and grants for groups in memory, following their collections;
 * credentials with their consumers and own grants through a bounded cache, whose entries every change drops.
 *
 * Opening needs no MongoDB: {@link current} throws `StoreUnavailable` until the endpoints were read for the first time,
 * and from then on gives the last ones that could be read.
 */
export class MongoCheckStore implements CheckStore {
  /**
   * Resolves when the endpoints were read for the first time, and reading the revoked tokens and a look-up were tried
   * since; never, when that does not happen.
   */
  readonly ready: Promise<void>;
  /** Where this process, once it has a name, says that it is there. */
  readonly createRegister: (replica: Omit<ReplicaIdentity, 'maxStaleSeconds'>) => ReplicaRegister;
  /** Where the times of last use are kept. */
  readonly usage: UsageSink;
  /** What runs out. */
  readonly endings: EndingReader;
  /** Where refusals of known callers are kept. */
  readonly refusals: RefusalSink;
  /** Where requests are counted. */
  readonly traffic: TrafficSink;
  /** Access tokens that their clients revoked. */
  readonly revokedTokens: MongoRevokedTokens;
  /** Signatures that were used on endpoints with `replayProtection`. Connects with the first of them. */
  readonly replayGuard: MongoReplayGuard;
  readonly #ports: MongoCheckStorePorts;
  readonly #live: LiveCatalog;
  readonly #faults: RecordFaults;
  readonly #rights: RightsReader;
  readonly #availability: Availability;
  readonly #breaker: LookUpBreaker;
  readonly #probe: LookUpProbe;
  readonly #cache: CredentialCache;
  readonly #feed: ChangeFeed;
  readonly #revision: FollowedRevision;
  readonly #appKeys = new AppKeyFilter();
  readonly #appKeyReader: AppKeyReader;
  readonly #closeClients: () => Promise<void>;
  readonly #changes = new Map<FollowedCollection, number>(followedCollections.map((name) => [name, 0]));
  #markReady: () => void = () => undefined;
  #onRevision: () => void = () => undefined;
  #catalog: Catalog | null = null;
  /** Of grants for groups; those of other grants are noted when they are looked up. */
  #grantFaults: readonly DocumentFault[] = [];
  #lastFault: Error | null = null;
  /** False from the loss of history, also by dropped collections, to the next whole reading: absent may mean lost. */
  #isWhole = false;
  #mode: FeedMode | null = null;

  /** Throws `MongodbUnavailable` for an address that is not understood. */
  constructor(uri: string, ports: MongoCheckStorePorts) {
    const { clock, startTimer, observer, keyRing, maxStaleSeconds, pollIntervalMs } = ports;
    this.#ports = ports;
    const endpointsRead = new Promise<void>((resolve) => {
      this.#markReady = resolve;
    });
    this.#faults = new RecordFaults(clock, (fault) => {
      observer.faulty(describeFault(fault));
    });
    this.#availability = new Availability(clock, observer);
    this.#live = new LiveCatalog({
      ...{ clock, startTimer },
      onCompiled: ({ endpoints, groupGrants, grantFaults }, why) => {
        this.#faults.replace('endpoints', endpoints.faults);
        this.#faults.exchange(this.#grantFaults, grantFaults);
        this.#grantFaults = grantFaults;
        this.#catalog = { endpoints: endpoints.table, groupGrants, credentials: this.#cache };
        this.#revision.compiled();
        this.#markReady();
        if (why !== 'grants-changed') observer[why](endpoints);
      },
    });
    const floor = new CausalFloor();
    const checks = connectMongodb(uri, 'checks');
    const changes = connectMongodb(uri, 'changes');
    this.usage = createUsageSink(changes.db());
    this.refusals = createRefusalSink(changes.db());
    this.traffic = createTrafficSink(changes.db());
    this.createRegister = (replica) => createReplicaRegister(changes.db(), { ...replica, maxStaleSeconds });
    this.#closeClients = async () => {
      await Promise.all([checks.close(), changes.close()]);
    };
    this.revokedTokens = new MongoRevokedTokens({
      ...{ client: changes, clock, maxStaleSeconds, pollIntervalMs },
      observer: {
        up: () => {
          this.#availability.regain('revoked-tokens');
        },
        down: (error) => {
          this.#availability.lose('revoked-tokens', error);
        },
      },
    });
    const reservations = connectMongodb(uri, 'reservations');
    this.replayGuard = new MongoReplayGuard({ client: reservations, clock, observer: observer.signatures });
    // Tried only then: a failure while the endpoints could not be read either shows nothing.
    this.ready = endpointsRead.then(async () => {
      await this.revokedTokens.tryNow();
      await this.#warmUp();
    });
    this.endings = new EndingReader({ client: changes, clock, ready: this.ready, observer });
    this.#rights = new RightsReader({ client: changes, ready: this.ready, observer });
    const readCredential = createCredentialReader({ client: checks, floor, keyRing, faults: this.#faults });
    const read = async (appKeyHash: string): Promise<HeldCredential | null> => {
      if (!this.#isWhole) throw new MongodbUnavailable('schema', NOT_WHOLE);
      return await readCredential(appKeyHash);
    };
    this.#breaker = new LookUpBreaker(
      { read },
      {
        down: () => {
          this.#availability.lose('look-ups', new MongodbUnavailable('slow', LOOK_UPS_FAIL));
        },
        up: () => {
          this.#availability.regain('look-ups');
        },
      },
    );
    this.#probe = new LookUpProbe({
      isInDoubt: () => !this.#availability.isUp,
      ask: () => this.#breaker.read(HASH_WITHOUT_HOLDER),
      ...{ startTimer, observer },
    });
    this.#cache = new CredentialCache(
      { maxEntries: ports.maxCachedCredentials, maxStaleSeconds },
      {
        reader: this.#breaker,
        appKeys: this.#appKeys,
        confirmedMs: () => this.#feed.completeMs ?? Number.NEGATIVE_INFINITY,
        appKeysConfirmedMs: () => this.#feed.credentialsCompleteMs ?? Number.NEGATIVE_INFINITY,
        ...{ clock, startTimer, observer },
      },
    );
    this.#appKeyReader = new AppKeyReader({
      ...{ client: changes, clock, floor, observer, filter: this.#appKeys },
      followsChanges: () => this.#feed.completeMs !== null,
    });
    this.#revision = new FollowedRevision({
      ...{ client: changes, clock, startTimer, observer, cache: this.#cache },
      followsChanges: () => this.#mode === 'following',
      isCompiled: () => this.#live.isCompiled,
      isUp: () => this.#availability.isUp,
      onChanged: () => {
        this.#onRevision();
      },
    });
    this.#feed = new ChangeFeed({
      ...{ client: changes, clock, floor, keyRing, pollIntervalMs },
      connect: () => Promise.all([changes.connect(), checks.connect()]),
      onRead: (documents) => {
        this.#live.replaceAll(documents);
      },
      onEverythingChanged: () => {
        this.#isWhole = true;
        this.#cache.everythingChanged();
        this.#revision.readAgain();
        this.#appKeyReader.readAll();
      },
      onChange: (change) => {
        this.#take(change);
        this.#revision.changed();
      },
      onReached: (at) => {
        this.#revision.reach(at);
      },
      onRevision: (revision) => {
        this.#revision.polled(revision);
      },
      onRunning: (mode) => {
        this.#availability.regain('changes');
        if (this.#mode !== mode) observer.running(mode);
        this.#mode = mode;
      },
      onError: (error) => {
        this.#lastFault = this.#availability.lose('changes', error);
      },
      onGap: () => {
        this.#isWhole = false;
        this.#appKeys.lose();
        observer.missedChanges();
      },
    });
  }

  current(): Catalog {
    if (this.#catalog === null) throw new StoreUnavailable(this.findUnreadiness() ?? 'the store was not read yet');
    return this.#catalog;
  }

  /** Whole seconds since what is held in memory was last known to be the store's; 0 while nothing is. */
  ageSeconds(): number {
    const confirmedMs = this.#feed.confirmedMs;
    return confirmedMs === null ? 0 : Math.max(0, Math.floor((this.#ports.clock.nowMs() - confirmedMs) / 1000));
  }

  /** Also when nothing was confirmed for longer than a cached credential may serve. */
  findUnreadiness(): string | null {
    if (this.#catalog === null) return this.#lastFault?.message ?? 'MongoDB is being read';
    const { maxStaleSeconds } = this.#ports;
    const ageSeconds = this.ageSeconds();
    if (this.#availability.isUp || ageSeconds <= maxStaleSeconds) return null;
    const limit = `longer than POSTERN_MAX_STALE_SECONDS (${String(maxStaleSeconds)}): no cached credential may serve`;
    const why = this.#availability.describe() ?? 'MongoDB does not answer';
    return `MongoDB could not be read for ${String(ageSeconds)} s, ${limit}; ${why}`;
  }

  canLookUp(): boolean {
    return !this.#probe.fails;
  }

  findNotice(): string | null {
    if (this.#catalog === null) return null;
    const { missing } = this.#rights;
    const fault = this.#availability.describe();
    const parts = [
      ...(missing.length === 0 ? [] : [`MongoDB forbids the user of its address: ${missing.join('; ')}`]),
      ...(fault === null ? [] : [`${fault}; deciding with what was read ${String(this.ageSeconds())} s ago`]),
    ];
    return parts.length === 0 ? null : parts.join('\n');
  }

  /** Whether changes come in and look-ups are answered. */
  get isUp(): boolean {
    return this.#mode !== null && this.#availability.isUp;
  }

  /** How changes come now; null while they do not. */
  get mode(): FeedMode | null {
    return this.#availability.isUp ? this.#mode : null;
  }

  /**
   * The commits that checks are decided by: every change of each commit that has ended there is in force. Null until
   * that is known. It stays while changes do not arrive.
   */
  get revisionInForce(): StoreRevision | null {
    return this.#revision.inForce;
  }

  /** Calls back whenever another revision is in force. There is one listener at most. */
  onRevision(listener: () => void): void {
    this.#onRevision = listener;
  }

  /** The highest revision such that every change of each commit up to it is in force; null until that is known. */
  get revision(): number | null {
    return this.revisionInForce === null ? null : wholeRevision(this.revisionInForce);
  }

  describeRevision(): string | null {
    return this.revision === null ? null : String(this.revision);
  }

  /** Changes of a collection so far. */
  changeCount(collection: FollowedCollection): number {
    return this.#changes.get(collection) ?? 0;
  }

  /** Documents that cannot be read: all endpoints and grants for groups, of others those that were looked up. */
  faultCount(collection: FollowedCollection): number {
    return this.#faults.count(collection);
  }

  get cache(): CredentialCache {
    return this.#cache;
  }

  /** Stops following, and closes all connections. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#live[Symbol.dispose]();
    this.#probe[Symbol.dispose]();
    await this.#feed[Symbol.asyncDispose]();
    await this.#revision[Symbol.asyncDispose]();
    await this.#appKeyReader[Symbol.asyncDispose]();
    await this.endings[Symbol.asyncDispose]();
    await this.#rights[Symbol.asyncDispose]();
    await this.revokedTokens[Symbol.asyncDispose]();
    await this.replayGuard[Symbol.asyncDispose]();
    await this.#cache[Symbol.asyncDispose]();
    this.#breaker[Symbol.dispose]();
    await this.#closeClients();
  }

  /** The first look-up opens a connection and takes as long as several others: no caller has to wait for that. */
  async #warmUp(): Promise<void> {
    try {
      await this.#breaker.read(HASH_WITHOUT_HOLDER);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.#ports.observer.defect(error);
    }
  }

  #take(change: Change): void {
    const { collection, id } = change;
    this.#changes.set(collection, this.changeCount(collection) + 1);
    switch (collection) {
      case 'endpoints':
        this.#live.endpointChanged(id, change.document);
        return;
      case 'consumers':
        this.#cache.consumerChanged(idTextOf(id));
        break;
      case 'credentials':
        this.#cache.credentialChanged(idTextOf(id), change.appKeyHash);
        if (change.isDeleted) this.#appKeys.noteGone();
        break;
      case 'grants':
        // `endpointId/consumerId`; a document with another id is no grant of a consumer.
        this.#cache.grantChanged(idTextOf(id).split('/', 2)[1] ?? '');
        if (this.#live.grantChanged(id, change.document)) return;
        break;
    }
    this.#faults.forget(collection, id);
  }
}

/** No App Key is empty. */
const HASH_WITHOUT_HOLDER = hashAppKey('');
const NOT_WHOLE = 'MongoDB is being read again after changes were missed';
const LOOK_UPS_FAIL = 'MongoDB does not answer look-ups of credentials in time';
