import type { MongoClient, Timestamp } from 'mongodb';
import type { StoreRevision } from '../../../model/store-revision.ts';
import type { DatabaseObserver } from '../../../check/store/check-store.ts';
import { readRevision } from '../commit/store-revision.ts';
import { backOffMs, EndablePause, isAborted, pause } from '../deadline.ts';
import { MongodbUnavailable, translateFault } from '../faults.ts';

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
  readonly #stop = new AbortController();
  readonly #pause = new EndablePause();
  readonly #running: Promise<void>;
  #isWanted = false;

  constructor(ports: RevisionReaderPorts) {
    this.#ports = ports;
    this.#running = this.#run(this.#stop.signal);
  }

  /** Something changed. */
  readSoon(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#pause.end();
  }

  /** Stops. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { followsChanges, observer } = this.#ports;
    let failures = 0;
    while (!signal.aborted) {
      if (!followsChanges()) {
        await this.#pause.wait(BUSY_MS, signal);
        continue;
      }
      if (this.#isWanted) await pause(GAP_MS, signal);
      this.#isWanted = false;
      let waitMs;
      try {
        waitMs = (await this.#read(signal)) ? BUSY_MS : IDLE_MS;
        failures = 0;
      } catch (error) {
        if (isAborted(signal)) return;
        const fault = translateFault(error);
        // That the database is down is reported by those who decide checks with it.
        if (!(fault instanceof MongodbUnavailable)) observer.defect(fault);
        waitMs = backOffMs(failures);
        failures += 1;
      }
      // One that came during the reading is not waited for.
      if (!this.#hasNews()) await this.#pause.wait(waitMs, signal);
    }
  }

  /** The compiler takes what was written before an `await` for still true. */
  #hasNews(): boolean {
    return this.#isWanted;
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
