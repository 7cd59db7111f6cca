import type { Clock, StartTimer } from '../../base/clock.ts';
import type { Catalog, CheckStore, DatabaseObserver } from '../../check/store/check-store.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import type { Sealer } from '../../model/keyring/sealed.ts';
import { type StoreRevision, wholeRevision } from '../../model/store-revision.ts';
import type { CredentialCache } from '../credential-cache.ts';
import { connectMongodb } from './connect.ts';
import { AppKeyReader } from './feed/app-key-reader.ts';
import { Availability } from './feed/availability.ts';
import { ChangeFeed } from './feed/change-feed.ts';
import { CausalFloor } from './feed/change-stream.ts';
import { ClaimNamesReader } from './feed/claim-names-reader.ts';
import { CredentialLookUps } from './feed/credential-look-ups.ts';
import { EndingReader } from './feed/ending-reader.ts';
import { FeedFollower } from './feed/feed-follower.ts';
import { type FeedMode, FeedProgress } from './feed/feed-progress.ts';
import type { FollowedCollection } from './feed/follow-collection.ts';
import { FollowedRevision } from './feed/followed-revision.ts';
import { type CompiledRecords, type CompileReason, LiveCatalog } from './feed/live-catalog.ts';
import { RecordFaults } from './feed/record-faults.ts';
import { RightsReader } from './feed/rights-reader.ts';
import { describeFault, type DocumentFault } from './mapping/document-fault.ts';
import { MongoReplayGuard } from './mongo-replay-guard.ts';
import { MongoRevokedTokens } from './mongo-revoked-tokens.ts';
import { createSinks, type MongoSinks } from './sinks.ts';

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
 * MongoDB as a store for checks (spec §6): endpoints, plans, issuers and grants for groups in memory, following their
 * collections; credentials with their consumers and own grants through a bounded cache, whose entries every change
 * drops.
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
  /** What is written beside checks. */
  readonly sinks: MongoSinks;
  /** What runs out. */
  readonly endings: EndingReader;
  /** Access tokens that their clients revoked. */
  readonly revokedTokens: MongoRevokedTokens;
  /** Signatures that were used on endpoints with `replayProtection`. Connects with the first of them. */
  readonly replayGuard: MongoReplayGuard;
  readonly #ports: MongoCheckStorePorts;
  readonly #availability: Availability;
  readonly #faults: RecordFaults;
  readonly #rights: RightsReader;
  readonly #progress = new FeedProgress();
  readonly #lookUps: CredentialLookUps;
  readonly #live: LiveCatalog;
  readonly #revision: FollowedRevision;
  readonly #appKeyReader: AppKeyReader;
  readonly #claimNamesReader: ClaimNamesReader;
  readonly #follower: FeedFollower;
  readonly #feed: ChangeFeed;
  readonly #closeClients: () => Promise<void>;
  #markRead: () => void = () => undefined;
  #onRevision: () => void = () => undefined;
  #catalog: Catalog | null = null;
  /** Of grants for groups; those of other grants are noted when they are looked up. */
  #grantFaults: readonly DocumentFault[] = [];

  /**
   * Builds the parts in the order in which they know each other: what decides checks, then what follows changes, then
   * what is beside checks. Throws `MongodbUnavailable` for an address that is not understood.
   */
  constructor(uri: string, ports: MongoCheckStorePorts) {
    const { clock, startTimer, observer, keyRing, maxStaleSeconds, pollIntervalMs } = ports;
    this.#ports = ports;
    const checks = connectMongodb(uri, 'checks');
    const changes = connectMongodb(uri, 'changes');
    const reservations = connectMongodb(uri, 'reservations');
    this.#closeClients = async () => {
      await Promise.all([checks.close(), changes.close()]);
    };
    const floor = new CausalFloor();
    const progress = this.#progress;
    const availability = new Availability(clock, observer);
    const faults = new RecordFaults(clock, (fault) => {
      observer.faulty(describeFault(fault));
    });
    const lookUps = new CredentialLookUps({
      client: checks,
      clock,
      startTimer,
      observer,
      keyRing,
      floor,
      progress,
      faults,
      availability,
      maxEntries: ports.maxCachedCredentials,
      maxStaleSeconds,
    });
    const live = new LiveCatalog({
      clock,
      startTimer,
      onCompiled: (records, why) => {
        this.#compiled(records, why);
      },
    });

    const revision = new FollowedRevision({
      client: changes,
      clock,
      startTimer,
      observer,
      cache: lookUps.cache,
      followsChanges: () => progress.lastMode === 'following',
      isCompiled: () => live.isCompiled,
      isUp: () => availability.isUp,
      onChanged: () => {
        this.#onRevision();
      },
    });
    const appKeyReader = new AppKeyReader({
      client: changes,
      clock,
      floor,
      observer,
      filter: lookUps.appKeys,
      followsChanges: () => progress.completeMs !== null,
    });
    const claimNamesReader = new ClaimNamesReader({
      client: changes,
      floor,
      observer,
      begin: () => live.beginClaimNames(),
      onRead: (all) => {
        live.claimNamesRead(all);
      },
    });
    const follower = new FeedFollower({
      live,
      lookUps,
      revision,
      appKeyReader,
      claimNamesReader,
      availability,
      faults,
      observer,
    });
    this.#availability = availability;
    this.#faults = faults;
    this.#lookUps = lookUps;
    this.#live = live;
    this.#revision = revision;
    this.#appKeyReader = appKeyReader;
    this.#claimNamesReader = claimNamesReader;
    this.#follower = follower;
    this.#feed = new ChangeFeed({
      client: changes,
      clock,
      floor,
      progress,
      keyRing,
      pollIntervalMs,
      connect: () => Promise.all([changes.connect(), checks.connect()]),
      listener: follower,
    });

    this.revokedTokens = new MongoRevokedTokens({
      client: changes,
      clock,
      maxStaleSeconds,
      pollIntervalMs,
      observer: {
        up: () => {
          availability.regain('revoked-tokens');
        },
        down: (error) => {
          availability.lose('revoked-tokens', error);
        },
      },
    });
    this.ready = this.#open();
    this.replayGuard = new MongoReplayGuard({ client: reservations, clock, observer: observer.signatures });
    this.endings = new EndingReader({ client: changes, clock, ready: this.ready, observer });
    this.#rights = new RightsReader({ client: changes, ready: this.ready, observer });
    this.sinks = createSinks(changes.db(), maxStaleSeconds);
  }

  current(): Catalog {
    if (this.#catalog === null) throw new StoreUnavailable(this.findUnreadiness() ?? 'the store was not read yet');
    return this.#catalog;
  }

  /** Whole seconds since what is held in memory was last known to be the store's; 0 while nothing is. */
  ageSeconds(): number {
    const { confirmedMs } = this.#progress;
    return confirmedMs === null ? 0 : Math.max(0, Math.floor((this.#ports.clock.nowMs() - confirmedMs) / 1000));
  }

  /** Also when nothing was confirmed for longer than a cached credential may serve. */
  findUnreadiness(): string | null {
    if (this.#catalog === null) return this.#follower.lastFault?.message ?? 'MongoDB is being read';
    const { maxStaleSeconds } = this.#ports;
    const ageSeconds = this.ageSeconds();
    if (this.#availability.isUp || ageSeconds <= maxStaleSeconds) return null;
    const limit = `longer than POSTERN_MAX_STALE_SECONDS (${String(maxStaleSeconds)}): no cached credential may serve`;
    const why = this.#availability.describe() ?? 'MongoDB does not answer';
    return `MongoDB could not be read for ${String(ageSeconds)} s, ${limit}; ${why}`;
  }

  canLookUp(): boolean {
    return this.#lookUps.areAnswered;
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
    return this.#progress.lastMode !== null && this.#availability.isUp;
  }

  /** How changes come now; null while they do not. */
  get mode(): FeedMode | null {
    return this.#availability.isUp ? this.#progress.lastMode : null;
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
    return this.#follower.changeCount(collection);
  }

  /** Documents that cannot be read: all that are held in memory as a whole, of others those that were looked up. */
  faultCount(collection: FollowedCollection): number {
    return this.#faults.count(collection);
  }

  get cache(): CredentialCache {
    return this.#lookUps.cache;
  }

  /** Stops following, and closes all connections. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#live[Symbol.dispose]();
    await this.#feed[Symbol.asyncDispose]();
    await this.#revision[Symbol.asyncDispose]();
    await this.#appKeyReader[Symbol.asyncDispose]();
    await this.#claimNamesReader[Symbol.asyncDispose]();
    await this.endings[Symbol.asyncDispose]();
    await this.#rights[Symbol.asyncDispose]();
    await this.revokedTokens[Symbol.asyncDispose]();
    await this.replayGuard[Symbol.asyncDispose]();
    await this.#lookUps[Symbol.asyncDispose]();
    await this.#closeClients();
  }

  /** Waits for the endpoints. The rest is tried only then: a failure while they could not be read shows nothing. */
  async #open(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#markRead = resolve;
    });
    await this.revokedTokens.tryNow();
    await this.#lookUps.warmUp();
  }

  #compiled(compiled: CompiledRecords, why: CompileReason): void {
    const { endpoints, groupGrants, grantFaults, plans, planFaults, issuers, issuerFaults } = compiled;
    this.#faults.replace('endpoints', endpoints.faults);
    this.#faults.replace('plans', planFaults);
    this.#faults.replace('issuers', issuerFaults);
    this.#faults.exchange(this.#grantFaults, grantFaults);
    this.#grantFaults = grantFaults;
    this.#catalog = {
      endpoints: endpoints.table,
      groupGrants,
      plans,
      issuers,
      credentials: this.#lookUps.cache,
    };
    this.#revision.compiled();
    this.#markRead();
    if (why !== 'others-changed') this.#ports.observer[why](endpoints);
  }
}
