import { EndablePause, isAborted, pause } from '../deadline.ts';
import { MongodbUnavailable, translateFault } from '../faults.ts';

/** What is read, and how often. */
export interface RepeatedReadingPorts {
  /** Nothing is read before it resolves, such as when the store was read for the first time; absent: read at once. */
  readonly ready?: Promise<void>;
  /** Reads once. What it rejects with is a defect, unless MongoDB is down or the reading was stopped. */
  readonly read: (signal: AbortSignal) => Promise<void>;
  /** The pause before the next reading, in milliseconds. `failures`: how many readings failed since a good one. */
  readonly pauseMs: (failures: number) => number;
  /** How long a reading that {@link RepeatedReading.readSoon} asks for is put off, in milliseconds; 0 by default. */
  readonly gapMs?: number;
  readonly observer: { defect(error: unknown): void };
}

/** Reads something of a database again and again, off the path of checks, also after a reading that failed. */
export class RepeatedReading implements AsyncDisposable {
  readonly #ports: RepeatedReadingPorts;
  readonly #stop = new AbortController();
  readonly #pause = new EndablePause();
  #running: Promise<void> | null = null;
  #isWanted = false;

  constructor(ports: RepeatedReadingPorts) {
    this.#ports = ports;
    const begin = (): void => {
      if (!this.#stop.signal.aborted) this.#running = this.#run(this.#stop.signal);
    };
    if (ports.ready === undefined) begin();
    else ports.ready.then(begin, () => undefined);
  }

  /** Ends the pause before the next reading; what is asked for during a reading is read after it. */
  readSoon(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#pause.end();
  }

  /** Stops. Nothing is read after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { read, pauseMs, gapMs = 0, observer } = this.#ports;
    let failures = 0;
    while (!isAborted(signal)) {
      if (this.#isWanted) await pause(gapMs, signal);
      this.#isWanted = false;
      try {
        await read(signal);
        failures = 0;
      } catch (error) {
        if (isAborted(signal)) return;
        const fault = translateFault(error);
        // That the database is down is reported by those who decide checks with it.
        if (!(fault instanceof MongodbUnavailable)) observer.defect(fault);
        failures += 1;
      }
      if (!this.#hasNews()) await this.#pause.wait(pauseMs(failures), signal);
    }
  }

  /** The compiler takes what was written before an `await` for still true. */
  #hasNews(): boolean {
    return this.#isWanted;
  }
}
