import { isAborted, pause } from '../deadline.ts';
import { MongodbUnavailable } from '../faults.ts';

/** What is read, and how often. */
export interface RepeatedReadingPorts {
  /** Resolves when the store was read for the first time: nothing is read before. */
  readonly ready: Promise<void>;
  /** Reads once. What it rejects with is a defect, unless MongoDB is down or the reading was stopped. */
  readonly read: (signal: AbortSignal) => Promise<void>;
  /** The pause before the next reading, in milliseconds. */
  readonly pauseMs: () => number;
  readonly observer: { defect(error: unknown): void };
}

/** Reads something of a database again and again, off the path of checks, also after a reading that failed. */
export class RepeatedReading implements AsyncDisposable {
  readonly #ports: RepeatedReadingPorts;
  readonly #stop = new AbortController();
  #running: Promise<void> | null = null;

  constructor(ports: RepeatedReadingPorts) {
    this.#ports = ports;
    const begin = (): void => {
      if (!this.#stop.signal.aborted) this.#running = this.#run(this.#stop.signal);
    };
    ports.ready.then(begin, () => undefined);
  }

  /** Stops. Nothing is read after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { read, pauseMs, observer } = this.#ports;
    while (!isAborted(signal)) {
      try {
        await read(signal);
      } catch (error) {
        if (isAborted(signal)) return;
        if (!(error instanceof MongodbUnavailable)) observer.defect(error);
      }
      await pause(pauseMs(), signal);
    }
  }
}
