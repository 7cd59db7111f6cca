import type { MongoClient, Timestamp } from 'mongodb';
import type { StoreRevision } from '../../../model/store-revision.ts';
import type { DatabaseObserver } from '../../../check/store/check-store.ts';
import { readRevision } from '../commit/store-revision.ts';
import { backOffMs, isAborted } from '../deadline.ts';
import { RepeatedReading } from './repeated-reading.ts';

/** What reading the revision takes, and what it calls. */
export interface RevisionReaderPorts {
  /** For `changes`. */
  readonly client: MongoClient;
  /** Whether changes come by change streams; on a stand-alone server the revision is read with the endpoints. */
  readonly followsChanges: () => boolean;
  /** What was read, and a moment of the database that is not before it. */
  readonly onRead: (revision: StoreRevision, at: Timestamp) => void;
  readonly observer: Pick<DatabaseObserver, 'defect'>;
}

/**
 * After a change it takes a commit so long to note its own end; and changes of a bulk commit are one reason to read.
 */
const GAP_MS = 40;
/** While commits are under way. */
const BUSY_MS = 150;
/** For commits that changed nothing here, such as failed ones. */
const IDLE_MS = 2000;

/** Reads which commits of the store have ended: soon after changes, and every two seconds. Never gives up. */
export class RevisionReader implements AsyncDisposable {
  readonly #ports: RevisionReaderPorts;
  readonly #reading: RepeatedReading;
  #isBusy = true;

  constructor(ports: RevisionReaderPorts) {
    const { followsChanges, observer } = ports;
    this.#ports = ports;
    this.#reading = new RepeatedReading({
      read: async (signal) => {
        this.#isBusy = !followsChanges() || (await this.#read(signal));
      },
      pauseMs: (failures) => (failures > 0 ? backOffMs(failures - 1) : this.#isBusy ? BUSY_MS : IDLE_MS),
      gapMs: GAP_MS,
      observer,
    });
  }

  /** Something changed. */
  readSoon(): void {
    this.#reading.readSoon();
  }

  /** Stops. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reading[Symbol.asyncDispose]();
  }

  /** Gives whether commits are under way. */
  async #read(signal: AbortSignal): Promise<boolean> {
    const { client, onRead } = this.#ports;
    await using session = client.startSession({ causalConsistency: true });
    const options = { session, readConcern: { level: 'majority' }, readPreference: 'primary', signal } as const;
    const revision = await readRevision(client.db(), options);
    const { operationTime } = session;
    if (isAborted(signal) || revision === null || operationTime === undefined) return false;
    onRead(revision, operationTime);
    return revision.underWay.length > 0;
  }
}
