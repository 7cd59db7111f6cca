import type { Timestamp } from 'mongodb';
import type { DatabaseObserver } from '../../../check/store/check-store.ts';
import type { StoreRevision } from '../../../model/store-revision.ts';
import type { AppKeyReader } from './app-key-reader.ts';
import type { Availability } from './availability.ts';
import type { FeedListener } from './change-feed.ts';
import type { ClaimNamesReader } from './claim-names-reader.ts';
import type { CredentialLookUps } from './credential-look-ups.ts';
import { idTextOf } from './credential-reader.ts';
import type { FeedMode } from './feed-progress.ts';
import { type Change, followedCollections, type FollowedCollection } from './follow-collection.ts';
import type { FollowedRevision } from './followed-revision.ts';
import type { LiveCatalog, WholeCollections } from './live-catalog.ts';
import type { RecordFaults } from './record-faults.ts';

/** The parts that changes of a database concern. */
export interface FeedFollowerParts {
  readonly live: Pick<
    LiveCatalog,
    'replaceAll' | 'endpointChanged' | 'grantChanged' | 'planChanged' | 'issuerChanged' | 'claimsNamed' | 'hasClaims'
  >;
  readonly claimNamesReader: Pick<ClaimNamesReader, 'readSoon'>;
  readonly lookUps: Pick<CredentialLookUps, 'cache' | 'appKeys' | 'everythingChanged' | 'historyLost'>;
  readonly revision: Pick<FollowedRevision, 'changed' | 'reach' | 'readAgain' | 'polled'>;
  readonly appKeyReader: Pick<AppKeyReader, 'readAll'>;
  readonly availability: Pick<Availability, 'lose' | 'regain'>;
  readonly faults: Pick<RecordFaults, 'forget'>;
  readonly observer: Pick<DatabaseObserver, 'running' | 'missedChanges'>;
}

/** Tells the parts of a store what the feed of changes reports. */
export class FeedFollower implements FeedListener {
  readonly #parts: FeedFollowerParts;
  readonly #changes = new Map<FollowedCollection, number>(followedCollections.map((name) => [name, 0]));
  #lastFault: Error | null = null;

  constructor(parts: FeedFollowerParts) {
    this.#parts = parts;
  }

  /** Why changes last stopped coming in, in words for people; null when they never did. */
  get lastFault(): Error | null {
    return this.#lastFault;
  }

  /** Changes of a collection so far. */
  changeCount(collection: FollowedCollection): number {
    return this.#changes.get(collection) ?? 0;
  }

  read(documents: WholeCollections): void {
    this.#parts.live.replaceAll(documents);
  }

  everythingChanged(): void {
    const { lookUps, revision, appKeyReader } = this.#parts;
    lookUps.everythingChanged();
    revision.readAgain();
    appKeyReader.readAll();
  }

  changed(change: Change): void {
    this.#changes.set(change.collection, this.changeCount(change.collection) + 1);
    this.#take(change);
    this.#parts.revision.changed();
  }

  reached(at: Timestamp | null): void {
    this.#parts.revision.reach(at);
  }

  polled(revision: StoreRevision | null): void {
    this.#parts.revision.polled(revision);
  }

  running(mode: FeedMode, isNews: boolean): void {
    const { availability, observer } = this.#parts;
    availability.regain('changes');
    if (isNews) observer.running(mode);
  }

  failed(error: unknown): void {
    this.#lastFault = this.#parts.availability.lose('changes', error);
  }

  historyLost(): void {
    const { lookUps, observer } = this.#parts;
    lookUps.historyLost();
    observer.missedChanges();
  }

  #take(change: Change): void {
    const { collection, id } = change;
    const { live, lookUps, faults, claimNamesReader } = this.#parts;
    switch (collection) {
      case 'endpoints':
        live.endpointChanged(id, change.document);
        return;
      case 'plans':
        live.planChanged(id, change.document);
        return;
      case 'issuers':
        live.issuerChanged(id, change.document);
        // Its credentials may have been there before it, after an edit by hand.
        claimNamesReader.readSoon();
        return;
      case 'consumers':
        lookUps.cache.consumerChanged(idTextOf(id));
        break;
      case 'credentials':
        lookUps.cache.credentialChanged(idTextOf(id), change.appKeyHash);
        if (change.isDeleted) lookUps.appKeys.noteGone();
        if (change.claims !== null) live.claimsNamed(change.claims);
        if (change.areClaimsEdited || (change.isDeleted && live.hasClaims)) claimNamesReader.readSoon();
        break;
      case 'grants':
        // `endpointId/consumerId`; a document with another id is no grant of a consumer.
        lookUps.cache.grantChanged(idTextOf(id).split('/', 2)[1] ?? '');
        if (live.grantChanged(id, change.document)) return;
        break;
    }
    faults.forget(collection, id);
  }
}
